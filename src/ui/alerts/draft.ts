/* What the form of an alert collects, the requests that it makes, and the field to which a problem belongs. Pure. */

import type { Alert, AlertChange, AlertInput } from '../../features/alerts/model.ts';
import { FilterError } from '../../shared/filter/filter.ts';
import { withScheme } from '../../shared/typed-url.ts';
import { ApiError } from '../kit/api.ts';
import {
  type ChannelType,
  type Condition,
  type Kind,
  kindOf,
  sentence,
  splitMinutes,
  type Unit,
  unitMinutes,
} from './wording.ts';

export type AlertDraft = {
  kind: Kind;
  name: string;
  where: string;
  amount: string;
  unit: Unit;
  count: string;
  channelType: ChannelType;
  url: string;
  to: string;
  /** Of ntfy: an access token. */
  token: string;
  /** Of ntfy: it goes on without a token. */
  isTokenRemoved: boolean;
  /** Of a webhook that has a secret: it gets another one. */
  isNewSecret: boolean;
};

export type DraftField = 'name' | 'where' | 'amount' | 'count' | 'channel' | 'url' | 'to' | 'token';
export type DraftProblems = Partial<Record<DraftField, string>>;

/** Of a part of the form. */
export type PartProps = {
  draft: AlertDraft;
  problems: DraftProblems;
  change: (changed: Partial<AlertDraft>) => void;
};

const maxMinutes = 43_200;
const maxCount = 1000;
const secretBytes = 32;

/** Which settings a kind takes. */
export const takes = {
  where: (kind: Kind): boolean => kind !== 'new_type' && kind !== 'forward_stuck',
  minutes: (kind: Kind): boolean => kind !== 'new_type' && kind !== 'schema_change',
  count: (kind: Kind): boolean => kind === 'bad_signatures',
};

const defaultMinutes = (kind: Kind): string => (kind === 'silence' ? '30' : '5');

export const newDraft = (kind: Kind): AlertDraft => ({
  kind,
  name: '',
  where: '',
  amount: defaultMinutes(kind),
  unit: 'minute',
  count: '3',
  channelType: 'slack',
  url: '',
  to: '',
  token: '',
  isTokenRemoved: false,
  isNewSecret: false,
});

/** Another kind; what was entered for time stays unless it is the default. */
export function withKind(draft: AlertDraft, kind: Kind): AlertDraft {
  const isDefault = draft.unit === 'minute' && draft.amount === defaultMinutes(draft.kind);
  return { ...draft, kind, ...(isDefault && { amount: defaultMinutes(kind) }) };
}

export function draftOf({ kind, name, where, minutes, count, channel }: Alert): AlertDraft {
  const draft = newDraft(kind);
  const split = minutes === null ? undefined : splitMinutes(minutes);
  return {
    ...draft,
    name,
    where: where ?? '',
    ...(split && { amount: String(split.amount), unit: split.unit }),
    ...(count !== null && { count: String(count) }),
    channelType: channel.type,
    url: channel.url ?? '',
    to: channel.to ?? '',
  };
}

const wholeNumber = /^\d{1,6}$/;
const minutesOf = ({ amount, unit }: AlertDraft): number => Number(amount.trim()) * unitMinutes[unit];

/** The condition of a draft without problems. */
export const conditionOf = (draft: AlertDraft): Condition => ({
  kind: draft.kind,
  where: takes.where(draft.kind) && draft.where.trim() !== '' ? draft.where.trim() : null,
  minutes: takes.minutes(draft.kind) ? minutesOf(draft) : null,
  count: takes.count(draft.kind) ? Number(draft.count.trim()) : null,
});

/** What is known without asking the server. */
export function problemsOf(draft: AlertDraft): DraftProblems {
  const { kind, amount, count, channelType, url, to } = draft;
  const minutes = minutesOf(draft);
  const problems: DraftProblems = {};
  if (takes.minutes(kind) && (!wholeNumber.test(amount.trim()) || minutes < 1))
    problems.amount = 'Enter a whole number, at least 1.';
  else if (takes.minutes(kind) && minutes > maxMinutes) problems.amount = 'At most 30 days.';
  if (takes.count(kind) && (!wholeNumber.test(count.trim()) || Number(count) < 1 || Number(count) > maxCount))
    problems.count = `Enter a whole number from 1 to ${maxCount.toLocaleString()}.`;
  if (channelType === 'email' && to.trim() === '') problems.to = 'Enter the address that gets the emails.';
  if (channelType !== 'email' && url.trim() === '') problems.url = 'Enter the URL.';
  return problems;
}

const channelOf = ({
  channelType: type,
  url,
  to,
  token,
  isTokenRemoved,
  isNewSecret,
}: AlertDraft): AlertInput['channel'] => {
  if (type === 'email') return { type, to: to.trim() };
  return {
    type,
    url: withScheme(url.trim()),
    // Empty: none any more. Absent: as before.
    ...(type === 'ntfy' && (isTokenRemoved || token.trim() !== '') && { secret: isTokenRemoved ? '' : token.trim() }),
    ...(type === 'webhook' && isNewSecret && { secret: newWebhookSecret() }),
  };
};

const nameOf = ({ name, kind }: AlertDraft): string => name.trim() || (kindOf(kind)?.defaultName ?? kind);

/** Of a draft without problems. */
export const requestOf = (draft: AlertDraft): AlertInput => {
  const { kind, where, minutes, count } = conditionOf(draft);
  return {
    name: nameOf(draft),
    kind,
    ...(where !== null && { where }),
    ...(minutes !== null && { minutes }),
    ...(count !== null && { count }),
    channel: channelOf(draft),
  };
};

/** Only what differs: a new condition starts the alert anew. Empty when nothing does. */
export function changeOf(draft: AlertDraft, alert: Alert): AlertChange {
  const next = conditionOf(draft);
  const before = draftOf(alert);
  const isNewChannel =
    draft.channelType !== before.channelType ||
    (draft.channelType === 'email' ? draft.to.trim() !== before.to : draft.url.trim() !== before.url) ||
    (draft.channelType === 'ntfy' && (draft.isTokenRemoved || draft.token.trim() !== '')) ||
    (draft.channelType === 'webhook' && draft.isNewSecret);
  return {
    ...(nameOf(draft) !== alert.name && { name: nameOf(draft) }),
    ...(next.where !== alert.where && { where: next.where }),
    ...(next.minutes !== alert.minutes && { minutes: next.minutes }),
    ...(next.count !== alert.count && { count: next.count }),
    ...(isNewChannel && { channel: channelOf(draft) }),
  };
}

/** As the server makes them. */
function newWebhookSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(secretBytes));
  return `whsec_${btoa(String.fromCharCode(...bytes))}`;
}

export type ServerProblem = { message: string; field?: DraftField; filter?: FilterError };

const places: readonly (readonly [path: RegExp, field: DraftField])[] = [
  [/^channel[./]url\b/, 'url'],
  [/^channel[./]to\b/, 'to'],
  [/^channel[./]secret\b/, 'token'],
  [/^channel\b/, 'channel'],
  [/^name\b/, 'name'],
  [/^minutes\b/, 'amount'],
  [/^count\b/, 'count'],
  [/^where\b/, 'where'],
];

/** `channel.url: required for slack`, `channel.url must be …`, `invalid body: minutes: …`; a wrong filter has a position. */
export function problemOfError(error: unknown): ServerProblem {
  const message = error instanceof Error ? error.message : String(error);
  if (!(error instanceof ApiError) || error.status !== 400) return { message };
  const { error: text, position, nearest } = error.body;
  if (typeof text !== 'string') return { message };
  const words = text.replace(/^invalid (?:body: )?/, '');
  if (typeof position === 'number') {
    const filter = new FilterError(
      words.replace(/^where: ?/, ''),
      position,
      typeof nearest === 'string' ? nearest : null,
    );
    return { message, field: 'where', filter };
  }
  const found = places.find(([path]) => path.test(words));
  if (!found) return { message };
  const [path, field] = found;
  const rest = words.replace(path, '').replace(/^[:.]? */, '');
  return { message: sentence(rest) || message, field };
}
