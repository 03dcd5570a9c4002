/*
 * Validates one event of a JSON export (interface "Export files"). An event that capture could not have stored is refused. The
 * header rules are applied, because another program may have written the file.
 */

import { createHash } from 'node:crypto';
import { faults, maxDelayMs } from '../../shared/answers.ts';
import { maxNameCharacters } from '../../shared/limits.ts';
import { type Answered, type Refusal, refusals, type StoredOutcome } from '../answers/model.ts';
import { decodeBody } from '../encoding/body-encoding.ts';
import { invalid } from '../errors.ts';
import { applyHeaderRules, type HeaderPair } from '../headers.ts';
import { maxEventTypeCharacters } from '../limits.ts';
import { firstCharacters, isPlainText } from '../text.ts';
import { readPin, readTags } from './event-marks.ts';

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
  pin: ImportedPin | null;
  tags: string[];
  outcome: StoredOutcome;
};

/** `pinnedAt`: epoch ms. */
export type ImportedPin = { name: string | null; note: string | null; pinnedAt: number };

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** The limit is longer than any method that capture accepts. */
const methodForm = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
const pathForm = /^(?:\/[\x21-\x3e\x40-\x7e\x80-\xff]*)?$/;
const queryForm = /^[\x21-\x7e\x80-\xff]*$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: a field value cannot contain NUL
const fieldValue = /^[^\u0000\r\n\u0100-\uffff]*$/;
const platformForm = /^[a-z0-9][a-z0-9._-]{0,49}$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: refusing control characters is the purpose
const forbiddenInType = /[\u0000-\u001f\u007f]|\p{Surrogate}/u;
/** Capture removes bidirectional control characters; exports of 1.0.0 may still have them. */
const removedFromType = /\p{Bidi_Control}/gu;
/** The largest time that a list cursor can encode: about 35,000 years from 1970. */
const maxTime = 2 ** 50;

/** @throws invalid, naming the field */
export function readEvent(value: unknown): ImportedEvent {
  const event = record(value, 'the event');
  const text = (name: string, form: RegExp): string => {
    const found = event[name];
    if (typeof found !== 'string' || !form.test(found)) throw invalid(`${name} is invalid`);
    return found;
  };
  const receivedAt = readTime(event['receivedAt'], 'receivedAt');
  const body = readBody(text('payloadRaw', /^/), event['payloadEncoding']);
  const sha256 = createHash('sha256').update(body).digest();
  const { sha256: expected = null } = event;
  if (expected !== null && expected !== sha256.toString('hex')) throw invalid('payloadRaw does not match sha256');
  return {
    receivedAt,
    method: text('method', methodForm),
    path: text('path', pathForm),
    query: (event['query'] ?? null) === null ? null : text('query', queryForm),
    headers: applyHeaderRules(readHeaders(event['rawHeaders'])),
    platform: (event['platform'] ?? null) === null ? null : text('platform', platformForm),
    eventType: readEventType(event['eventType']),
    body,
    sha256,
    pin: readExportedPin(event['pin']),
    tags: readTags(event['tags'] ?? []),
    outcome: readOutcome(event['answered'] ?? null, event['refused'] ?? null),
  };
}

function readTime(value: unknown, field: string): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || Math.abs(value) > maxTime)
    throw invalid(`${field} is not a valid time in milliseconds`);
  return value;
}

function readExportedPin(value: unknown): ImportedPin | null {
  if (value === undefined || value === null) return null;
  const { name, note, pinnedAt } = record(value, 'pin');
  return { ...readPin({ name, note }), pinnedAt: readTime(pinnedAt, 'pinnedAt') };
}

/** Exports of earlier versions do not contain the responses to senders. */
function readOutcome(value: unknown, refused: unknown): StoredOutcome {
  if (value === null) return null;
  const { status, rule, delayMs, fault, limited } = record(value, 'answered');
  const found = { status, rule, delayMs, fault, limited };
  const isAnswered =
    (status === null || (isInteger(status, 599) && status >= 100)) &&
    (rule === null || (typeof rule === 'string' && isPlainText(rule) && rule.length <= maxNameCharacters)) &&
    isInteger(delayMs, maxDelayMs) &&
    (fault === null || faults.some(one => one === fault)) &&
    typeof limited === 'boolean';
  if (!isAnswered) throw invalid('answered is invalid');
  if (refused !== null && !refusals.some(one => one === refused)) throw invalid('refused is invalid');
  const isUsual = status === 200 && rule === null && delayMs === 0 && fault === null && !limited && refused === null;
  return isUsual ? null : { answered: found as Answered, refused: refused as Refusal | null };
}

const isInteger = (value: unknown, max: number): value is number =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= max;

/** @throws invalid */
export function record(value: unknown, what: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid(`${what} is not an object`);
  return value as Record<string, unknown>;
}

function readBody(text: string, encoding: unknown): Uint8Array {
  if (encoding !== 'utf8' && encoding !== 'base64') throw invalid('payloadEncoding must be utf8 or base64');
  return decodeBody(text, encoding, 'payloadRaw');
}

function readHeaders(value: unknown): HeaderPair[] {
  if (!Array.isArray(value)) throw invalid('rawHeaders is not a list');
  return value.map((pair: unknown) => {
    const [name, content] = Array.isArray(pair) && pair.length === 2 ? (pair as unknown[]) : [];
    if (typeof name !== 'string' || !token.test(name)) throw invalid('rawHeaders has an invalid header name');
    if (typeof content !== 'string' || !fieldValue.test(content))
      throw invalid(`the value of header ${name} is invalid`);
    return [name, content];
  });
}

function readEventType(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string' || forbiddenInType.test(value)) throw invalid('eventType is invalid');
  return firstCharacters(value.replace(removedFromType, ''), maxEventTypeCharacters) || null;
}
