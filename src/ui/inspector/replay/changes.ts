/* The changes that the replay dialog makes to an event, as the API takes them. Pure. */

import { bytesOf, utf8Text } from '../body/bytes.ts';
import { isJsonDocument, parseJson } from '../body/json.ts';

type Pair = readonly [name: string, value: string];

/** `body` undefined: as captured. `headers` are all that will be sent, in order. */
export type Draft = { body: string | undefined; headers: readonly Pair[] };

/** `edit` of a replay, as far as the dialog makes one. */
export type Edit = { body?: string; bodyEncoding?: 'utf8'; headers?: [name: string, value: string | null][] };

type Captured = { rawHeaders: readonly Pair[]; payloadRaw: string; payloadEncoding: 'utf8' | 'base64' };

/** Headers of the connection, and headers that are set when the request is sent: they cannot be edited. */
const fixedHeaders = new Set(
  'accept-encoding connection content-length expect forwarded host keep-alive proxy-connection te trailer transfer-encoding upgrade x-hooktape-edited x-service-replay'.split(
    ' ',
  ),
);

/** The headers that a replay sends: all but the headers of the connection, and credentials, which are not stored. */
export const sentHeaders = (raw: readonly Pair[]): Pair[] =>
  raw.filter(([name, value]) => !fixedHeaders.has(name.toLowerCase()) && value !== '[redacted]');

export const editableBody = ({ payloadRaw, payloadEncoding }: Captured): string | undefined =>
  payloadEncoding === 'utf8' ? payloadRaw : utf8Text(bytesOf(payloadRaw, payloadEncoding));

/** Larger bodies would make the text area slow. */
const maxEditableChars = 512 << 10;

/** The body as the dialog lets it be edited; undefined when it is sent as captured. */
export function bodyToEdit(event: Captured): string | undefined {
  const text = editableBody(event);
  return text !== undefined && text.length <= maxEditableChars ? text : undefined;
}

export function editOf(event: Captured, draft: Draft): Edit | undefined {
  const headers = headerChanges(sentHeaders(event.rawHeaders), draft.headers);
  const isBodyChanged = draft.body !== undefined && draft.body !== editableBody(event);
  if (headers.length === 0 && !isBodyChanged) return undefined;
  return {
    ...(isBodyChanged && draft.body !== undefined && { body: draft.body, bodyEncoding: 'utf8' as const }),
    ...(headers.length > 0 && { headers }),
  };
}

/** A value replaces all headers of its name; null removes them. A name that is given twice is sent twice. */
function headerChanges(before: readonly Pair[], after: readonly Pair[]): [string, string | null][] {
  const [old, now] = [grouped(before), grouped(after.filter(([name]) => name.trim() !== ''))];
  const changes: [string, string | null][] = [];
  for (const [key, { name }] of old) if (!now.has(key)) changes.push([name, null]);
  for (const [key, { name, values }] of now) {
    const was = old.get(key);
    if (was?.values.join('\n') !== values.join('\n'))
      changes.push(...values.map((value): [string, string] => [name, value]));
  }
  return changes;
}

function grouped(pairs: readonly Pair[]): Map<string, { name: string; values: string[] }> {
  const groups = new Map<string, { name: string; values: string[] }>();
  for (const [name, value] of pairs) {
    const key = name.trim().toLowerCase();
    const group = groups.get(key);
    if (group) group.values.push(value);
    else groups.set(key, { name: name.trim(), values: [value] });
  }
  return groups;
}

/** What is wrong with an edited body that was JSON; empty when nothing is. */
export function bodyProblem(original: string | undefined, edited: string): string {
  if (original === undefined || !isJsonDocument(parseJson(original))) return '';
  const parsed = parseJson(edited);
  if (isJsonDocument(parsed)) return '';
  return `No longer valid JSON (line ${parsed.line}, column ${parsed.column}): ${parsed.problem}. It can be sent as it is.`;
}
