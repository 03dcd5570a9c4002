/*
 * The general routine: HMAC over a template. Any value in any header, any variant of the body and any URL may match. The three
 * relatives at the end differ only in where hash or timestamp stand.
 */
import { asBuffer } from '../../../core/buffer.ts';
import { type DeliveryReader, firstFormValue } from '../delivery-reader.ts';
import type { Encoding, Hash, SignatureScheme } from '../model.ts';
import { decodeKeys } from '../secrets.ts';
import {
  decodeDigest,
  type HeaderValue,
  hasWantedVersion,
  headerValues,
  type NamedValues,
  parseNamedValues,
  versionedSignatures,
} from '../signature-values.ts';
import {
  checkTimestamp,
  hmacOf,
  type Outcome,
  parseTimestamp,
  type SignatureCheck,
  sameBytes,
  sameText,
} from './check.ts';

type Presented = { digests: Buffer[]; named: NamedValues };

const none: NamedValues = new Map();
const hashes: readonly Hash[] = ['sha1', 'sha256', 'sha384', 'sha512'];

export function checkHmac(check: SignatureCheck): Outcome {
  const { scheme, reader } = check;
  const keys = decodeKeys(scheme.keyFormat, check.secret);
  if (keys.length === 0) return 'unsupported';
  const hash = scheme.hash ?? 'sha256';
  const template = scheme.message ?? '{body}';
  const urls = template.includes('{url}') ? check.urls : [''];
  if (urls.length === 0) return 'unsupported';
  let outcome: Outcome = 'malformed';
  for (const value of headerValues(scheme, reader)) {
    const presented = parseDigests(value, scheme, hash);
    if (presented === null) continue;
    for (const url of urls) {
      for (const body of bodyVariants(scheme, reader)) {
        const message = renderMessage(template, { reader, body, url, named: presented.named });
        if (message === null) continue;
        outcome = 'mismatch';
        for (const key of keys) {
          const expected = hmacOf(hash, key, message);
          if (presented.digests.some(digest => sameBytes(digest, expected)))
            return checkTimestamp(check, presented.named);
        }
      }
    }
  }
  return outcome;
}

/** Standard Webhooks, symmetric: `{id}.{timestamp}.{body}`. */
export function checkStandardWebhooks(check: SignatureCheck): Outcome {
  const { scheme, reader } = check;
  const head = standardWebhooksPrefix(scheme, reader);
  if (head === null) return 'malformed';
  const digests = headerValues(scheme, reader)
    .flatMap(({ value }) => versionedSignatures(value))
    .filter(([version]) => hasWantedVersion(version, scheme))
    .map(([, signature]) => decodeDigest(signature.replace(/,$/, ''), 'base64', 'sha256'))
    .filter(digest => digest !== null);
  if (digests.length === 0) return 'malformed';
  for (const key of decodeKeys(scheme.keyFormat, check.secret)) {
    const expected = hmacOf('sha256', key, [head, reader.delivery.body]);
    if (digests.some(digest => sameBytes(digest, expected))) return checkTimestamp(check);
  }
  return 'mismatch';
}

/** What comes before the body in a Standard Webhooks message. */
export function standardWebhooksPrefix(scheme: SignatureScheme, reader: DeliveryReader): string | null {
  const id = reader.header(`${scheme.family ?? 'webhook'}-id`);
  const time = reader.header(`${scheme.family ?? 'webhook'}-timestamp`)?.trim();
  return id === undefined || id === '' || parseTimestamp(time, 's') === null ? null : `${id}.${time}.`;
}

/** A fixed value; in Authorization it may stand after a word such as `Bearer`, or be the `user:password` of Basic. */
export function checkToken(check: SignatureCheck): Outcome {
  for (const { value } of headerValues(check.scheme, check.reader)) {
    // Header bytes arrive as latin1 text; the secret was typed as Unicode.
    const told = Buffer.from(value, 'latin1').toString('utf8');
    const bare = told.replace(/^(Bearer|Basic|Token) +/i, '');
    const tries = [told];
    if (check.scheme.header === 'authorization' && bare !== told) {
      tries.push(bare);
      if (/^Basic /i.test(told)) tries.push(Buffer.from(bare, 'base64').toString('utf8'));
    }
    if (tries.some(text => sameText(text, check.secret))) return 'valid';
  }
  return 'mismatch';
}

/** WebSub: the prefix of the value names the hash. */
export function checkWebSub(check: SignatureCheck): Outcome {
  let outcome: Outcome = 'malformed';
  for (const { value } of headerValues(check.scheme, check.reader)) {
    const equals = value.indexOf('=');
    const hash = hashes.find(name => name === value.slice(0, equals).toLowerCase());
    const digest = hash === undefined ? null : decodeDigest(value.slice(equals + 1), 'hex', hash);
    if (hash === undefined || digest === null) continue;
    outcome = 'mismatch';
    if (sameBytes(digest, hmacOf(hash, Buffer.from(check.secret, 'utf8'), [check.reader.delivery.body])))
      return 'valid';
  }
  return outcome;
}

/** A header name that nobody owns: the digest's prefix or length tells the hash. Not matching proves nothing here. */
export function checkBodyHmac(check: SignatureCheck): Outcome {
  const key = Buffer.from(check.secret, 'utf8');
  for (const { value } of headerValues(check.scheme, check.reader)) {
    const [, prefix, text] = /^(?:(sha1|sha256|sha384|sha512|hmac-sha256)=)?(.{20,200})$/i.exec(value) ?? [];
    for (const hash of hashes) {
      if (text === undefined || (prefix !== undefined && !prefix.toLowerCase().endsWith(hash))) continue;
      const digest = decodeDigest(text, 'hex-or-base64', hash);
      if (digest !== null && sameBytes(digest, hmacOf(hash, key, [check.reader.delivery.body]))) return 'valid';
    }
  }
  return 'unsupported';
}

/** Recurly: timestamp first, then one or more digests. */
export function checkRecurly(check: SignatureCheck): Outcome {
  for (const { value } of headerValues(check.scheme, check.reader)) {
    const [time, ...texts] = value.split(',', 17).map(part => part.trim());
    const digests = texts.map(text => decodeDigest(text, 'hex', 'sha256')).filter(digest => digest !== null);
    if (parseTimestamp(time, 'auto') === null || digests.length === 0) return 'malformed';
    const expected = hmacOf('sha256', Buffer.from(check.secret, 'utf8'), [`${time}.`, check.reader.delivery.body]);
    return digests.some(digest => sameBytes(digest, expected)) ? 'valid' : 'mismatch';
  }
  return 'malformed';
}

/** Hook0: `v1` covers the headers it lists as well and is preferred; `v0` covers time and body. */
export function checkHook0(check: SignatureCheck): Outcome {
  const { reader } = check;
  const named = parseNamedValues(headerValues(check.scheme, reader)[0]?.value ?? '', ',');
  const time = named.get('t')?.[0];
  const list = named.get('h')?.[0];
  if (time === undefined) return 'malformed';
  const parts: string[] = [time];
  let texts = named.get('v0') ?? [];
  if (named.has('v1') && list !== undefined) {
    const names = list.split(' ', 65).filter(name => name !== '');
    const values = names.map(name => reader.header(name.toLowerCase()));
    if (names.length > 64 || values.includes(undefined)) return 'malformed';
    parts.push(list, values.join('.'));
    texts = named.get('v1') ?? [];
  }
  const digests = texts.map(text => decodeDigest(text, 'hex', 'sha256')).filter(digest => digest !== null);
  if (digests.length === 0) return 'malformed';
  const key = Buffer.from(check.secret, 'utf8');
  const expected = hmacOf('sha256', key, [`${parts.join('.')}.`, reader.delivery.body]);
  return digests.some(digest => sameBytes(digest, expected)) ? checkTimestamp(check, named) : 'mismatch';
}

/**
 * A template with its parts in place: `{body}` raw bytes, `{url}`, `{name}` a value of the presented list or else a header, verbatim.
 * Null when a part is missing.
 */
export function renderMessage(
  template: string,
  from: { reader: DeliveryReader; body: Uint8Array; url: string; named: NamedValues },
): (string | Uint8Array)[] | null {
  const parts: (string | Uint8Array)[] = [];
  for (const piece of template.split(/(\{[\w-]+\})/)) {
    if (piece === '{body}') parts.push(from.body);
    else if (piece === '{url}') parts.push(Buffer.from(from.url, 'utf8'));
    else if (piece.startsWith('{')) {
      const name = piece.slice(1, -1);
      const value = from.named.get(name)?.[0] ?? from.reader.header(name);
      if (value === undefined) return null;
      parts.push(value);
    } else if (piece !== '') parts.push(piece);
  }
  return parts;
}

function parseDigests({ value, prefix }: HeaderValue, scheme: SignatureScheme, hash: Hash): Presented | null {
  const encoding: Encoding = scheme.encoding ?? 'hex';
  const named = scheme.list === undefined ? none : parseNamedValues(value, scheme.list.separator);
  const texts =
    scheme.list === undefined
      ? value
          .split(',', 16)
          .map(text => text.trim())
          .filter(text => text.startsWith(prefix))
      : (named.get(scheme.list.signature) ?? []);
  const digests = texts
    .map(text => decodeDigest(scheme.list === undefined ? text.slice(prefix.length) : text, encoding, hash))
    .filter(digest => digest !== null);
  return digests.length === 0 ? null : { digests, named };
}

/** The raw body first, then what some senders sign in its place. */
function* bodyVariants(scheme: SignatureScheme, reader: DeliveryReader): Generator<Uint8Array> {
  yield reader.delivery.body;
  if (scheme.bodyVariant === 'json-text') {
    const inField = firstFormValue(reader.form(), 'payload');
    if (inField !== undefined) yield Buffer.from(inField, 'utf8');
    const inQuery = reader.query().get('payload');
    if (inQuery !== undefined) yield Buffer.from(inQuery, 'utf8');
  } else if (scheme.bodyVariant === 'ascii-json') {
    const text = asBuffer(reader.delivery.body).toString('utf8');
    const escaped = text.replace(/[\u0080-\uffff]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
    if (escaped !== text) yield Buffer.from(escaped, 'latin1');
  } else if (scheme.bodyVariant === 'float-weights') {
    const text = asBuffer(reader.delivery.body).toString('utf8');
    const rewritten = text.replace(/("weight":\s{0,8}\d{1,20})(?=\s{0,8}[,}])/g, '$1.0');
    if (rewritten !== text) yield Buffer.from(rewritten, 'utf8');
  }
}
