/*
 * One event of a JSON export (interface "Export files"), checked before anything of it is stored. What cannot have been
 * captured is refused; the header rules apply to what others have written as well.
 */
import { createHash } from 'node:crypto';
import { invalid } from './errors.ts';
import { applyHeaderRules, type HeaderPair } from './headers.ts';
import { maxEventTypeCharacters } from './limits.ts';
import { firstCharacters } from './text.ts';

export type ImportedEvent = {
  receivedAt: number;
  method: string;
  path: string;
  query: string | null;
  headers: HeaderPair[];
  platform: string | null;
  eventType: string | null;
  body: Uint8Array;
  sha256: Uint8Array;
};

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const pathForm = /^(?:\/[\x21-\x3e\x40-\x7e\x80-\xff]*)?$/;
const queryForm = /^[\x21-\x7e\x80-\xff]*$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: NUL is what a field value cannot hold
const fieldValue = /^[^\u0000\r\n\u0100-\uffff]*$/;
const platformForm = /^[a-z0-9][a-z0-9._-]{0,49}$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: refusing control characters is the purpose
const notInType = /[\u0000-\u001f\u007f]|\p{Surrogate}/u;
/** Direction characters, which exports of 1.0.0 may hold, are left out as capture leaves them out. */
const leftOutOfType = /\p{Bidi_Control}/gu;
/** As far as a list's cursor reaches: some 35,000 years. */
const maxTime = 2 ** 50;

/** @throws invalid with the field that is wrong */
export function readEvent(value: unknown): ImportedEvent {
  const event = record(value, 'the event');
  const text = (name: string, form: RegExp): string => {
    const found = event[name];
    if (typeof found !== 'string' || !form.test(found)) throw invalid(`${name} is not one`);
    return found;
  };
  const receivedAt = event['receivedAt'];
  if (typeof receivedAt !== 'number' || !Number.isSafeInteger(receivedAt) || Math.abs(receivedAt) > maxTime)
    throw invalid('receivedAt is not a time');
  const body = readBody(text('payloadRaw', /^/), event['payloadEncoding']);
  const sha256 = createHash('sha256').update(body).digest();
  const { sha256: stated = null } = event;
  if (stated !== null && stated !== sha256.toString('hex')) throw invalid('payloadRaw does not match sha256');
  return {
    receivedAt,
    method: text('method', token),
    path: text('path', pathForm),
    query: (event['query'] ?? null) === null ? null : text('query', queryForm),
    headers: applyHeaderRules(readHeaders(event['rawHeaders'])),
    platform: (event['platform'] ?? null) === null ? null : text('platform', platformForm),
    eventType: readEventType(event['eventType']),
    body,
    sha256,
  };
}

/** @throws invalid */
export function record(value: unknown, what: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid(`${what} is not an object`);
  return value as Record<string, unknown>;
}

function readBody(text: string, encoding: unknown): Uint8Array {
  if (encoding === 'utf8') return Buffer.from(text);
  if (encoding !== 'base64') throw invalid('payloadEncoding is neither utf8 nor base64');
  const body = Buffer.from(text, 'base64');
  // What is no base64 is skipped without a word.
  if (body.toString('base64') !== text) throw invalid('payloadRaw is not base64');
  return body;
}

function readHeaders(value: unknown): HeaderPair[] {
  if (!Array.isArray(value)) throw invalid('rawHeaders is not a list');
  return value.map((pair: unknown) => {
    const [name, content] = Array.isArray(pair) && pair.length === 2 ? (pair as unknown[]) : [];
    if (typeof name !== 'string' || !token.test(name)) throw invalid('rawHeaders has a pair without a header name');
    if (typeof content !== 'string' || !fieldValue.test(content))
      throw invalid(`the header ${name} has no header value`);
    return [name, content];
  });
}

function readEventType(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string' || notInType.test(value)) throw invalid('eventType is not one');
  return firstCharacters(value.replace(leftOutOfType, ''), maxEventTypeCharacters) || null;
}
