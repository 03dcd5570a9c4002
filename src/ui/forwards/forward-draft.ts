/* A forward as it is being edited: the texts of its fields, which may be wrong for a while. Pure. */

import type { Forward, ForwardInput } from '../../features/forwards/model.ts';
import { FilterError } from '../../shared/filter/filter.ts';
import { parseDuration } from '../../shared/units.ts';
import { parse } from '../inspector/filter/filter-text.ts';
import { readDestination } from '../inspector/replay/destination.ts';
import { ApiError } from '../kit/api.ts';

export type ForwardDraft = {
  name: string;
  url: string;
  where: string;
  mode: Forward['mode'];
  orderBy: string;
  isPerDelivery: boolean;
  isSigned: boolean;
  headers: readonly (readonly [name: string, value: string])[];
  timeoutS: string;
  retryFor: string;
  retryFirst: string;
  retryMax: string;
  isEnabled: boolean;
};
export type ForwardField = keyof ForwardDraft;
export type ForwardProblems = Partial<Record<ForwardField, string>>;

export const emptyDraft: ForwardDraft = {
  name: '',
  url: '',
  where: '',
  mode: 'parallel',
  orderBy: '',
  isPerDelivery: false,
  isSigned: false,
  headers: [],
  timeoutS: '30',
  retryFor: '24h',
  retryFirst: '5s',
  retryMax: '1h',
  isEnabled: true,
};

export const draftOf = (forward: Forward): ForwardDraft => ({
  name: forward.name,
  url: forward.url,
  where: forward.where,
  mode: forward.mode,
  orderBy: forward.orderBy ?? '',
  isPerDelivery: forward.per === 'delivery',
  isSigned: forward.sign === 'fresh',
  headers: forward.headers,
  timeoutS: String(forward.timeoutS),
  retryFor: forward.retry.for,
  retryFirst: forward.retry.first,
  retryMax: forward.retry.max,
  isEnabled: forward.enabled,
});

const givenHeaders = ({ headers }: ForwardDraft) =>
  headers.filter(([name, value]) => name.trim() !== '' || value.trim() !== '');

/** Whether it has more than a name, a URL and a filter. */
export const hasMore = (draft: ForwardDraft): boolean => {
  const names = Object.keys(emptyDraft) as ForwardField[];
  const basic: ForwardField[] = ['name', 'url', 'where', 'mode', 'orderBy'];
  return names.some(
    name => !basic.includes(name) && (name === 'headers' ? draft.headers.length > 0 : draft[name] !== emptyDraft[name]),
  );
};

/** Fields that were not filled in yet are wrong only once the form is sent. */
export function problemsOf(draft: ForwardDraft, isSent: boolean): ForwardProblems {
  const problems: ForwardProblems = {};
  const { problem } = readDestination(draft.url);
  if (problem) problems.url = problem;
  if (isSent && draft.url.trim() === '') problems.url = 'Where are the events sent?';
  if (isSent && draft.name.trim() === '') problems.name = 'Give it a name.';
  const filter = parse(draft.where);
  if (filter instanceof FilterError) problems.where = filter.message;
  if (!/^\d{1,3}$/.test(draft.timeoutS.trim()) || Number(draft.timeoutS) < 1 || Number(draft.timeoutS) > 120)
    problems.timeoutS = 'A whole number from 1 to 120.';
  for (const field of ['retryFor', 'retryFirst', 'retryMax'] as const)
    if (parseDuration(draft[field].trim()) === undefined) problems[field] = `A duration, such as ${emptyDraft[field]}.`;
  if (draft.isSigned && givenHeaders(draft).length > 0)
    problems.headers = 'A forward that signs anew may not add headers: its events would be given up.';
  return problems;
}

/** Of a draft without problems. */
export const requestOf = (draft: ForwardDraft): ForwardInput => ({
  name: draft.name.trim(),
  url: readDestination(draft.url).url,
  where: draft.where.trim() === '' ? null : draft.where.trim(),
  mode: draft.mode,
  orderBy: draft.mode === 'ordered' && draft.orderBy.trim() !== '' ? draft.orderBy.trim() : null,
  sign: draft.isSigned ? 'fresh' : 'as-captured',
  headers: givenHeaders(draft).map(([name, value]): [string, string] => [name.trim(), value]),
  timeoutS: Number(draft.timeoutS),
  retry: { for: draft.retryFor.trim(), first: draft.retryFirst.trim(), max: draft.retryMax.trim() },
  per: draft.isPerDelivery ? 'delivery' : 'event',
  enabled: draft.isEnabled,
});

const places: readonly (readonly [place: RegExp, field: ForwardField])[] = [
  [/^name\b/i, 'name'],
  [/^url\b/i, 'url'],
  [/^where\b/i, 'where'],
  [/^mode\b/i, 'mode'],
  [/^orderBy\b/i, 'orderBy'],
  [/^sign\b/i, 'isSigned'],
  [/^headers\b/i, 'headers'],
  [/^timeoutS\b/i, 'timeoutS'],
  [/^retry\.for\b/i, 'retryFor'],
  [/^retry\.max\b/i, 'retryMax'],
  [/^retry\b/i, 'retryFirst'],
  [/^per\b/i, 'isPerDelivery'],
  [/^enabled\b/i, 'isEnabled'],
];

/** A problem that the server found. */
export type ServerProblem = { message: string; field?: ForwardField; filter?: FilterError };

/** `Url: the destination is …`, `Invalid body: name: …`, `Invalid where: …` with a position. */
export function problemOfError(error: unknown): ServerProblem {
  const message = error instanceof Error ? error.message : String(error);
  const { position, nearest } = error instanceof ApiError ? error.body : {};
  if (typeof position === 'number') {
    const words = message.replace(/^Invalid where: /, '');
    const near = typeof nearest === 'string' ? nearest : null;
    return { message: words, field: 'where', filter: new FilterError(words, position, near) };
  }
  const inBody = /^Invalid body: ([\w.]+): (.*)$/s.exec(message);
  const field = places.find(([place]) => place.test(inBody?.[1] ?? message))?.[1];
  if (!field) return { message };
  const words = inBody?.[2] ?? message;
  return { message: words.charAt(0).toUpperCase() + words.slice(1), field };
}
