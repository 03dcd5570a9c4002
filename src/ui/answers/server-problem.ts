/* Finds the field that a refusal of the server is about. Pure. */

import type { RuleDraft, RuleField } from './draft.ts';

export type ServerProblem = {
  message: string;
  /** The rule, if one is named. */
  key?: number;
  field?: RuleField;
};

/** The API's names of fields, the most specific first. */
const fields: readonly [path: RegExp, field: RuleField][] = [
  [/^answer\.headers\b/, 'headers'],
  [/^answer\.body(Encoding)?\b/, 'body'],
  [/^answer\.delayMs\b/, 'delay'],
  [/^answer\.fault\b/, 'fault'],
  [/^answer(\.status)?\b/, 'status'],
  [/^rate\.perS\b/, 'ratePerS'],
  [/^rate\b/, 'rateMax'],
  [/^(name|when|per|first|every|chance|handshake)\b/, 'name'],
];

/** `rules[1].answer.headers[0]: …` */
export function problemOfError(error: unknown, drafts: readonly RuleDraft[]): ServerProblem {
  const message = error instanceof Error ? error.message : String(error);
  const [, index, path = ''] = /\brules(?:\[|[./])(\d+)\]?[./]?([\w.[\]/]*)/i.exec(message) ?? [];
  const draft = index === undefined ? undefined : drafts[Number(index)];
  if (!draft) return { message };
  const found = fields.find(([pattern]) => pattern.test(path));
  if (!found) return { message, key: draft.key };
  const [, known] = found;
  const field = known === 'name' ? ((/^\w+/.exec(path)?.[0] ?? 'name') as RuleField) : known;
  return { message, key: draft.key, field };
}
