/* What every verifier is given and what it may answer, and the few steps that all of them share. */
import { type BinaryLike, createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { type DeliveryReader, valueAt } from '../delivery-reader.ts';
import type { Hash, SignatureScheme, SignedTimestamp } from '../model.ts';
import type { NamedValues } from '../signature-values.ts';

/** One secret tried against one signature. `receivedAt` is epoch ms; `urls` are candidates of the URL it was sent to. */
export type SignatureCheck = {
  scheme: SignatureScheme;
  reader: DeliveryReader;
  secret: string;
  receivedAt: number;
  urls: readonly string[];
};

/** `stale`: the signature holds, its time does not. `unsupported`: nothing here can tell. */
export type Outcome = 'valid' | 'stale' | 'mismatch' | 'malformed' | 'unsupported';

export type Verifier = (check: SignatureCheck) => Outcome;

/** Compares in constant time; only the length may be learned. */
export const sameBytes = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && timingSafeEqual(a, b);

export const sameText = (a: string, b: string): boolean => sameBytes(Buffer.from(a, 'utf8'), Buffer.from(b, 'utf8'));

/** HMAC over parts, one after the other, without joining them. Text parts are bytes as they came (latin1). */
export function hmacOf(hash: Hash, key: BinaryLike, parts: readonly (string | Uint8Array)[]): Buffer {
  const mac = createHmac(hash, key);
  for (const part of parts) typeof part === 'string' ? mac.update(part, 'latin1') : mac.update(part);
  return mac.digest();
}

export function digestOf(hash: Hash, parts: readonly (string | Uint8Array)[]): Buffer {
  const digest = createHash(hash);
  for (const part of parts) typeof part === 'string' ? digest.update(part, 'latin1') : digest.update(part);
  return digest.digest();
}

/** For a signature that holds: `valid` when its time is within the window around the receipt, else `stale`. */
export function checkTimestamp(check: SignatureCheck, named?: NamedValues, claims?: unknown): Outcome {
  const { time } = check.scheme;
  if (time?.toleranceSeconds === undefined) return 'valid';
  const signed = readSignedTimestamp(time, check.reader, named, claims);
  if (signed === null) return 'malformed';
  return Math.abs(check.receivedAt - signed) <= time.toleranceSeconds * 1000 ? 'valid' : 'stale';
}

function readSignedTimestamp(
  time: SignedTimestamp,
  reader: DeliveryReader,
  named?: NamedValues,
  claims?: unknown,
): number | null {
  const colon = time.from.indexOf(':');
  const name = time.from.slice(colon + 1);
  switch (time.from.slice(0, colon)) {
    case 'header':
      return parseTimestamp(reader.header(name), time.unit);
    case 'value':
      return parseTimestamp(named?.get(name)?.[0], time.unit);
    case 'json':
      return parseTimestamp(valueAt(reader.json(), name), time.unit);
    default:
      return parseTimestamp(valueAt(claims, name), time.unit);
  }
}

/** Epoch ms; null when the value is no time. */
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
