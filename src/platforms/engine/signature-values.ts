/*
 * Where a delivery carries its signature, and in what form: taken apart here, judged by the verifiers. Values come apart by
 * position and separator only, in bounded number, so no header can be expensive.
 */

import { type DeliveryReader, firstFormValue, valueAt } from './delivery-reader.ts';
import type { Encoding, Hash, SignatureScheme } from './model.ts';

/** What the header rules leave of a credential header. */
const redactedValue = '[redacted]';
const mostValues = 16;
const digestBytes: Readonly<Record<Hash, number>> = { sha1: 20, sha256: 32, sha384: 48, sha512: 64 };

export type SignaturePresence = 'absent' | 'redacted' | 'present';

/** A signature header's value, its literal prefix not yet taken off. */
export type HeaderValue = { value: string; prefix: string };

/** Whether the delivery carries this signature; an empty value, or a value that belongs to another scheme, counts as absent. */
export function signaturePresence(scheme: SignatureScheme, reader: DeliveryReader): SignaturePresence {
  if (scheme.header === null) return isSignedInBody(scheme, reader) ? 'present' : 'absent';
  if (reader.header(scheme.header)?.trim() === redactedValue) return 'redacted';
  const values = headerValues(scheme, reader);
  if (values.length === 0) return 'absent';
  switch (scheme.kind) {
    case 'standard-webhooks':
      return values.some(({ value }) =>
        versionedSignatures(value).some(([version]) => hasWantedVersion(version, scheme)),
      )
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
  return values.slice(0, mostValues);
}

/** Entries `v1,<signature>` of a Standard Webhooks header: separated by spaces, or by `, ` where the header was repeated. */
export function versionedSignatures(value: string): [version: string, signature: string][] {
  return value
    .split(' ', mostValues)
    .map(entry => entry.split(',', 2))
    .filter((pair): pair is [string, string] => pair.length === 2 && pair[1] !== '');
}

/** A scheme reads the entries of its own version: `v1` unless it says otherwise. */
export const hasWantedVersion = (version: string, scheme: SignatureScheme): boolean =>
  version === (scheme.version ?? 'v1');

export type NamedValues = ReadonlyMap<string, readonly string[]>;

/** `name=value` pairs; names may repeat. */
export function parseNamedValues(value: string, separator: string): NamedValues {
  const named = new Map<string, string[]>();
  for (const part of value.split(separator, 4 * mostValues)) {
    const equals = part.indexOf('=');
    if (equals <= 0) continue;
    const name = part.slice(0, equals).trim();
    const values = named.get(name);
    if (values === undefined) named.set(name, [part.slice(equals + 1).trim()]);
    else if (values.length < mostValues) values.push(part.slice(equals + 1).trim());
  }
  return named;
}

/** The bytes of a digest that arrived as text; null when the text cannot be one. */
export function decodeDigest(text: string, encoding: Encoding, hash: Hash): Buffer | null {
  const size = digestBytes[hash];
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

function isSignedInBody(scheme: SignatureScheme, reader: DeliveryReader): boolean {
  switch (scheme.kind) {
    case 'adyen-items':
      return isNonEmptyString(
        valueAt(reader.json(), 'notificationItems.0.NotificationRequestItem.additionalData.hmacSignature'),
      );
    case 'aws-sns':
      return isNonEmptyString(valueAt(reader.json(), 'Signature'));
    case 'mailgun':
      return (
        isNonEmptyString(valueAt(reader.json(), 'signature.signature')) ||
        isNonEmptyString(firstFormValue(reader.form(), 'signature'))
      );
    case 'dropbox-sign':
      return (
        isNonEmptyString(valueAt(reader.json(), 'event.event_hash')) ||
        isNonEmptyString(firstFormValue(reader.form(), 'json'))
      );
    case 'client-state':
      return isNonEmptyString(valueAt(reader.json(), 'value.0.clientState'));
    case 'braintree':
      return isNonEmptyString(firstFormValue(reader.form(), 'bt_signature'));
    case 'paddle-classic':
      return isNonEmptyString(firstFormValue(reader.form(), 'p_signature'));
    default:
      return scheme.kind === 'jwt-body' && reader.delivery.body.length > 0;
  }
}

export const isNonEmptyString = (value: unknown): value is string => typeof value === 'string' && value !== '';
