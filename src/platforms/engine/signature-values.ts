/* Reads and decodes signatures. Values are split by position and are bounded, so that no header is expensive. */

import type { DeliveryReader } from './delivery-reader.ts';
import type { Encoding, Hash, SignatureScheme } from './signature-scheme.ts';

/** The value with which the header rules store a credential header. */
const redactedValue = '[redacted]';
const maxValues = 16;
const digestBytes: Readonly<Record<Hash, number>> = { sha1: 20, sha256: 32, sha384: 48, sha512: 64 };

export type SignaturePresence = 'absent' | 'redacted' | 'present';

/** The value of a signature header, with its literal prefix. */
export type HeaderValue = { value: string; prefix: string };

/** An empty value, and a value of a different scheme, count as missing. */
export function signaturePresence(scheme: SignatureScheme, reader: DeliveryReader): SignaturePresence {
  if (scheme.header !== null) {
    if (reader.header(scheme.header)?.trim() === redactedValue) return 'redacted';
    if (headerValues(scheme, reader).length === 0) return 'absent';
  }
  const isPresent = scheme.isPresent ?? hasOwnValue;
  return isPresent(reader, scheme) ? 'present' : 'absent';
}

/** `Authorization` may contain credentials of other schemes; in any other header, a value of a different form is malformed. */
const hasOwnValue = (reader: DeliveryReader, scheme: SignatureScheme): boolean =>
  scheme.header !== 'authorization' ||
  headerValues(scheme, reader).some(({ value, prefix }) => value.startsWith(prefix));

/** All non-empty values of the scheme's headers. */
export function headerValues(scheme: SignatureScheme, reader: DeliveryReader): HeaderValue[] {
  const values: HeaderValue[] = [];
  const take = (name: string, prefix: string) => {
    const value = reader.header(name)?.trim();
    if (value !== undefined && value !== '' && value !== prefix.trim()) values.push({ value, prefix });
  };
  if (scheme.header === null) return values;
  take(scheme.header, scheme.prefix ?? '');
  for (const other of scheme.alternativeHeaders ?? []) take(other.header, other.prefix ?? '');
  if (scheme.headerPattern !== undefined) {
    for (const name of reader.headers.keys()) {
      if (name !== scheme.header && scheme.headerPattern.test(name)) take(name, scheme.prefix ?? '');
    }
  }
  return values.slice(0, maxValues);
}

/** Entries `v1,<signature>` of a Standard Webhooks header: separated by spaces, or by `, ` if the header was repeated. */
export function versionedSignatures(value: string): [version: string, signature: string][] {
  return value
    .split(' ', maxValues)
    .map(entry => entry.split(',', 2))
    .filter((pair): pair is [string, string] => pair.length === 2 && pair[1] !== '');
}

export type NamedValues = ReadonlyMap<string, readonly string[]>;

/** `name=value` pairs; names may repeat. */
export function parseNamedValues(value: string, separator: string): NamedValues {
  const named = new Map<string, string[]>();
  for (const part of value.split(separator, 4 * maxValues)) {
    const equals = part.indexOf('=');
    if (equals <= 0) continue;
    const name = part.slice(0, equals).trim();
    const values = named.get(name);
    if (values === undefined) named.set(name, [part.slice(equals + 1).trim()]);
    else if (values.length < maxValues) values.push(part.slice(equals + 1).trim());
  }
  return named;
}

/** The bytes of an encoded digest; null if the text is not a digest. */
export function decodeDigest(text: string, encoding: Encoding, hash: Hash): Buffer | null {
  const size = digestBytes[hash];
  if (encoding === 'hex' || encoding === 'hex-or-base64') {
    if (text.length === 2 * size && /^[0-9a-f]+$/i.test(text)) return Buffer.from(text, 'hex');
    if (encoding === 'hex') return null;
  }
  const bytes = decodeBase64(text);
  return bytes !== null && bytes.length === size ? bytes : null;
}

/** Base64 in either alphabet; null if the text has other characters. */
export function decodeBase64(text: string): Buffer | null {
  return /^[A-Za-z0-9+/_-]+={0,2}$/.test(text) ? Buffer.from(text, 'base64') : null;
}

export const isNonEmptyString = (value: unknown): value is string => typeof value === 'string' && value !== '';
