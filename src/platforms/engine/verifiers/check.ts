/* The steps that verifiers share. */

import { type BinaryLike, createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { type DeliveryReader, valueAt } from '../delivery-reader.ts';
import type { Comparison, Hash, MessagePart, Outcome, SignatureCheck, SignedTimestamp } from '../signature-scheme.ts';
import type { NamedValues } from '../signature-values.ts';

/** Compares in constant time: the time depends only on the length. */
export const sameBytes = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && timingSafeEqual(a, b);

export const sameText = (a: string, b: string): boolean => sameBytes(Buffer.from(a, 'utf8'), Buffer.from(b, 'utf8'));

/** Whether one of the received values is the value that the secret produces for the message. */
export function isOneReceived(
  { observe }: SignatureCheck,
  { message, received, expected }: Comparison & { expected: Uint8Array },
): boolean {
  observe?.({ message, received, expected });
  return received.some(value => sameBytes(value, expected));
}

/** Whether one of the received digests is the HMAC of the message. */
export const isMacReceived = (
  check: SignatureCheck,
  mac: { hash: Hash; key: BinaryLike; message: readonly MessagePart[]; received: readonly Uint8Array[] },
): boolean => isOneReceived(check, { ...mac, expected: hmacOf(mac.hash, mac.key, mac.message) });

/** HMAC over the parts in order, without a copy. */
export function hmacOf(hash: Hash, key: BinaryLike, parts: readonly MessagePart[]): Buffer {
  const mac = createHmac(hash, key);
  for (const part of parts) typeof part === 'string' ? mac.update(part, 'latin1') : mac.update(part);
  return mac.digest();
}

export function digestOf(hash: Hash, parts: readonly MessagePart[]): Buffer {
  const digest = createHash(hash);
  for (const part of parts) typeof part === 'string' ? digest.update(part, 'latin1') : digest.update(part);
  return digest.digest();
}

/** The places of a signed timestamp, in addition to headers and body. */
type TimestampSources = { named?: NamedValues; claims?: unknown };

/** For a correct signature: `valid` if its timestamp is within the tolerance around the receipt, else `stale`. */
export function checkTimestamp(check: SignatureCheck, sources: TimestampSources = {}): Outcome {
  const { timestamp } = check.scheme;
  if (timestamp?.toleranceSeconds === undefined) return 'valid';
  const signedAt = readTimestamp(timestamp, check.reader, sources);
  if (signedAt === null) return 'malformed';
  return Math.abs(check.receivedAt - signedAt) <= timestamp.toleranceSeconds * 1000 ? 'valid' : 'stale';
}

/** Epoch ms; null without a timestamp. */
export function readTimestamp(
  { from, unit }: SignedTimestamp,
  reader: DeliveryReader,
  { named, claims }: TimestampSources,
): number | null {
  const colon = from.indexOf(':');
  const name = from.slice(colon + 1);
  switch (from.slice(0, colon)) {
    case 'header':
      return parseTimestamp(reader.header(name), unit);
    case 'value':
      return parseTimestamp(named?.get(name)?.[0], unit);
    case 'json':
      return parseTimestamp(valueAt(reader.json(), name), unit);
    default:
      return parseTimestamp(valueAt(claims, name), unit);
  }
}

/** Epoch ms; null if the value is not a timestamp. */
export function parseTimestamp(value: unknown, unit: SignedTimestamp['unit']): number | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  const text = String(value).trim();
  if (unit === 'rfc3339' || unit === 'http-date') {
    // More than three decimals are not parsed everywhere.
    const parsed = text.length > 64 ? Number.NaN : Date.parse(text.replace(/(\.\d{3})\d{1,9}/, '$1'));
    return Number.isNaN(parsed) ? null : parsed;
  }
  if (!/^\d{1,16}(\.\d{1,9})?$/.test(text)) return null;
  const number = Number(text);
  const inMs = unit === 'ms' || (unit === 'auto' && number > 1e11);
  return inMs ? number : number * 1000;
}

/** A scalar of a JSON body as text; '' for other values. */
export const scalarText = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';

export const utf8 = (text: string): Buffer => Buffer.from(text, 'utf8');
