/* Finds the field to which a problem reported by the server belongs. Pure. */

import { FilterError } from '../../shared/filter/filter.ts';
import { ApiError } from '../kit/api.ts';
import type { RuleDraft, RuleField } from './draft.ts';

export type ServerProblem = {
  message: string;
  /** The rule and its field, if they are named. */
  key?: number;
  field?: RuleField;
  /** A problem in a condition, with its position. */
  filter?: FilterError;
};

const fields: readonly (readonly [path: RegExp, field: RuleField])[] = [
  [/^answer\.headers\b/, 'headers'],
  [/^answer\.body/, 'body'],
  [/^answer\.delayMs\b/, 'delay'],
  [/^answer\.fault\b/, 'fault'],
  [/^answer\b/, 'status'],
  [/^rate\.perS\b/, 'ratePerS'],
  [/^rate\b/, 'rateMax'],
  ...(['name', 'when', 'per', 'first', 'every', 'chance', 'handshake'] as const).map(
    field => [new RegExp(`^${field}\\b`), field] as const,
  ),
];

/** `rules[1] ("flaky"): answer.status must be …`, `rules[0].name: …`, `rules.0.answer: …` */
const place = /\brules(?:\[(\d+)\]|[./](\d+))(?: \("(?:[^"\\]|\\.)*"\))?[:./]? ?([\w.]*)(?:\[\d+\])*[:.]? ?(.*)$/is;

/** @param drafts the rules that were sent, in this order */
export function problemOfError(error: unknown, drafts: readonly RuleDraft[]): ServerProblem {
  const message = error instanceof Error ? error.message : String(error);
  const [, inList, inPath, path = '', words = ''] = place.exec(message) ?? [];
  const draft = drafts[Number(inList ?? inPath ?? -1)];
  if (!draft) return { message };
  const field = fields.find(([pattern]) => pattern.test(path))?.[1];
  if (!field) return { message };
  const { position, nearest } = error instanceof ApiError ? error.body : {};
  const filter =
    field === 'when' && typeof position === 'number'
      ? new FilterError(words, position, typeof nearest === 'string' ? nearest : null)
      : undefined;
  return { message: sentence(words) || message, key: draft.key, field, ...(filter && { filter }) };
}

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
