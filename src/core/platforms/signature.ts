/*
 * Where a delivery carries its signature, and in what form: taken apart here, judged by the verifiers. Values come apart by
 * position and separator only, in bounded number, so no header can be expensive.
 */
import type { Encoding, Hash, Scheme } from './model.ts';
import { at, field, type Reading } from './reading.ts';

/** What the header rules leave of a credential header. */
const REDACTED = '[redacted]';
const MOST_VALUES = 16;
const DIGEST_BYTES: Readonly<Record<Hash, number>> = { sha1: 20, sha256: 32, sha384: 48, sha512: 64 };

export type Presence = 'absent' | 'redacted' | 'present';

/** A signature header's value, its literal prefix not yet taken off. */
export type HeaderValue = { value: string; prefix: string };

/** Whether the delivery carries this signature; an empty value, or a value that belongs to another scheme, counts as absent. */
export function presence(scheme: Scheme, reading: Reading): Presence {
  if (scheme.header === null) return inBody(scheme, reading) ? 'present' : 'absent';
  if (reading.header(scheme.header)?.trim() === REDACTED) return 'redacted';
  const values = headerValues(scheme, reading);
  if (values.length === 0) return 'absent';
  switch (scheme.kind) {
    case 'standard-webhooks':
      return values.some(({ value }) => entries(value).some(([version]) => isWanted(version, scheme)))
        ? 'present'
        : 'absent';
    case 'jwt':
      return values.some(({ value, prefix }) => value.startsWith(prefix) && value.split('.', 4).length === 3)
        ? 'present'
        : 'absent';
    default:
      // Other credentials than this scheme's travel in Authorization; elsewhere a foreign form is malformed.
      return scheme.header === 'authorization' && !values.some(({ value, prefix }) => value.startsWith(prefix))
        ? 'absent'
        : 'present';
  }
}

/** All values of the scheme's headers that are not empty. */
export function headerValues(scheme: Scheme, reading: Reading): HeaderValue[] {
  const values: HeaderValue[] = [];
  const take = (name: string, prefix: string) => {
    const value = reading.header(name)?.trim();
    if (value !== undefined && value !== '' && value !== prefix.trim()) values.push({ value, prefix });
  };
  if (scheme.header === null) return values;
  take(scheme.header, scheme.prefix ?? '');
  for (const other of scheme.also ?? []) take(other.header, other.prefix ?? '');
  if (scheme.pattern !== undefined) {
    for (const name of reading.headers.keys()) {
      if (name !== scheme.header && scheme.pattern.test(name)) take(name, scheme.prefix ?? '');
    }
  }
  return values.slice(0, MOST_VALUES);
}

/** Entries `v1,<signature>` of a Standard Webhooks header: separated by spaces, or by `, ` where the header was repeated. */
export function entries(value: string): [version: string, signature: string][] {
  return value
    .split(' ', MOST_VALUES)
    .map(entry => entry.split(',', 2))
    .filter((pair): pair is [string, string] => pair.length === 2 && pair[1] !== '');
}

/** A scheme reads the entries of its own version: `v1` unless it says otherwise. */
export const isWanted = (version: string, scheme: Scheme): boolean => version === (scheme.version ?? 'v1');

export type NamedValues = ReadonlyMap<string, readonly string[]>;

/** `name=value` pairs; names may repeat. */
export function namedValues(value: string, separator: string): NamedValues {
  const named = new Map<string, string[]>();
  for (const part of value.split(separator, 4 * MOST_VALUES)) {
    const equals = part.indexOf('=');
    if (equals <= 0) continue;
    const name = part.slice(0, equals).trim();
    const values = named.get(name);
    if (values === undefined) named.set(name, [part.slice(equals + 1).trim()]);
    else if (values.length < MOST_VALUES) values.push(part.slice(equals + 1).trim());
  }
  return named;
}

/** The bytes of a digest that arrived as text; null when the text cannot be one. */
export function decodeDigest(text: string, encoding: Encoding, hash: Hash): Buffer | null {
  const size = DIGEST_BYTES[hash];
  if (encoding === 'hex' || encoding === 'hex-or-base64') {
    if (text.length === 2 * size && /^[0-9a-f]+$/i.test(text)) return Buffer.from(text, 'hex');
    if (encoding === 'hex') return null;
  }
  const bytes = decodeBase64(text);
  return bytes !== null && bytes.length === size ? bytes : null;
}

/** Base64 in either alphabet; null where other characters stand in between. */
export function decodeBase64(text: string): Buffer | null {
  return /^[A-Za-z0-9+/_-]+={0,2}$/.test(text) ? Buffer.from(text, 'base64') : null;
}

function inBody(scheme: Scheme, reading: Reading): boolean {
  switch (scheme.kind) {
    case 'adyen-items':
      return isText(at(reading.json(), 'notificationItems.0.NotificationRequestItem.additionalData.hmacSignature'));
    case 'aws-sns':
      return isText(at(reading.json(), 'Signature'));
    case 'mailgun':
      return isText(at(reading.json(), 'signature.signature')) || isText(field(reading.form(), 'signature'));
    case 'dropbox-sign':
      return isText(at(reading.json(), 'event.event_hash')) || isText(field(reading.form(), 'json'));
    case 'client-state':
      return isText(at(reading.json(), 'value.0.clientState'));
    case 'braintree':
      return isText(field(reading.form(), 'bt_signature'));
    case 'paddle-classic':
      return isText(field(reading.form(), 'p_signature'));
    default:
      return scheme.kind === 'jwt-body' && reading.delivery.body.length > 0;
  }
}

export const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
