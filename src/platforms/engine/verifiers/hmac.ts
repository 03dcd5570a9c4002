/* HMAC over a template, or over the body alone if the value names the hash. */
import type { DeliveryReader } from '../delivery-reader.ts';
import { decodeKeys } from '../secrets.ts';
import type { Hash, MessagePart, Outcome, SignatureCheck, SignatureScheme } from '../signature-scheme.ts';
import {
  decodeDigest,
  type HeaderValue,
  headerValues,
  type NamedValues,
  parseNamedValues,
} from '../signature-values.ts';
import { checkTimestamp, isMacReceived } from './check.ts';

type Presented = { digests: Buffer[]; named: NamedValues };

const noNamedValues: NamedValues = new Map();
const hashes: readonly Hash[] = ['sha1', 'sha256', 'sha384', 'sha512'];

/** Any value in any header may match, over any variant of the body and any URL. */
export function verifyHmac(check: SignatureCheck): Outcome {
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
      for (const body of bodies(scheme, reader)) {
        const message = renderMessage(template, { reader, body, url, named: presented.named });
        if (message === null) continue;
        outcome = 'mismatch';
        for (const key of keys) {
          if (isMacReceived(check, { hash, key, message, received: presented.digests })) {
            return checkTimestamp(check, { named: presented.named });
          }
        }
      }
    }
  }
  return outcome;
}

export function verifyNamedHashHmac(check: SignatureCheck): Outcome {
  const key = Buffer.from(check.secret, 'utf8');
  const message = [check.reader.delivery.body];
  let outcome: Outcome = 'malformed';
  for (const { value } of headerValues(check.scheme, check.reader)) {
    const equals = value.indexOf('=');
    const hash = hashes.find(name => name === value.slice(0, equals).toLowerCase());
    const digest = hash === undefined ? null : decodeDigest(value.slice(equals + 1), 'hex', hash);
    if (hash === undefined || digest === null) continue;
    outcome = 'mismatch';
    if (isMacReceived(check, { hash, key, message, received: [digest] })) return 'valid';
  }
  return outcome;
}

const bodyValueForm = /^(?:(sha1|sha256|sha384|sha512|hmac-sha256)=)?(.{20,200})$/i;

/** The hash, prefix and encoding of a value that `verifyBodyHmac` can read; null for other values. */
export function formOfBodyValue(value: string): { hash: Hash; prefix: string; encoding: 'hex' | 'base64' } | null {
  const [, name, text = ''] = bodyValueForm.exec(value) ?? [];
  for (const hash of hashes) {
    if (name !== undefined && !name.toLowerCase().endsWith(hash)) continue;
    for (const encoding of ['hex', 'base64'] as const)
      if (decodeDigest(text, encoding, hash) !== null)
        return { hash, encoding, prefix: name === undefined ? '' : `${name}=` };
  }
  return null;
}

/** Senders use this header for various purposes, so a value that does not match does not count as invalid. */
export function verifyBodyHmac(check: SignatureCheck): Outcome {
  const key = Buffer.from(check.secret, 'utf8');
  const message = [check.reader.delivery.body];
  for (const { value } of headerValues(check.scheme, check.reader)) {
    const [, prefix, text] = bodyValueForm.exec(value) ?? [];
    for (const hash of hashes) {
      if (text === undefined || (prefix !== undefined && !prefix.toLowerCase().endsWith(hash))) continue;
      const digest = decodeDigest(text, 'hex-or-base64', hash);
      if (digest !== null && isMacReceived(check, { hash, key, message, received: [digest] })) return 'valid';
    }
  }
  return 'unsupported';
}

/** `{body}` raw bytes, `{url}`, `{name}` a value of the list or else a header, verbatim. Null if a part is missing. */
export function renderMessage(
  template: string,
  from: { reader: DeliveryReader; body: Uint8Array; url: string; named: NamedValues },
): MessagePart[] | null {
  const parts: MessagePart[] = [];
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
  const { list, encoding = 'hex' } = scheme;
  const named = list === undefined ? noNamedValues : parseNamedValues(value, list.separator);
  const texts =
    list === undefined
      ? value
          .split(',', 16)
          .map(text => text.trim())
          .filter(text => text.startsWith(prefix))
          .map(text => text.slice(prefix.length))
      : (named.get(list.signature) ?? []);
  const digests = texts.map(text => decodeDigest(text, encoding, hash)).filter(digest => digest !== null);
  return digests.length === 0 ? null : { digests, named };
}

/** The raw body first. */
function* bodies({ bodyVariants }: SignatureScheme, reader: DeliveryReader): Generator<Uint8Array> {
  yield reader.delivery.body;
  if (bodyVariants !== undefined) yield* bodyVariants(reader);
}
