/* Signs with an HMAC over a template, or over the body alone if the value names the hash. */

import { decodeKeys } from '../secrets.ts';
import type { Hash, Signer, SigningTask } from '../signature-scheme.ts';
import { decodeDigest, headerValues } from '../signature-values.ts';
import { hmacOf } from '../verifiers/check.ts';
import { formOfBodyValue, renderMessage } from '../verifiers/hmac.ts';
import { cannotSign, encodeDigest, formatTimestamp, inSignatureHeaders, oldNamedValue } from './task.ts';

export const signHmac: Signer = task => {
  const { scheme, reader } = task;
  const { list, message: template = '{body}', hash = 'sha256', encoding = 'hex', timestamp } = scheme;
  const [key] = decodeKeys(scheme.keyFormat, task.secret);
  if (key === undefined) return cannotSign("the secret is not in the sender's format");
  const time =
    list?.timestamp === undefined || timestamp === undefined
      ? undefined
      : formatTimestamp(task.at, timestamp.unit, oldNamedValue(task, list.separator, list.timestamp));
  const message = renderMessage(template, {
    reader,
    body: signedBody(task),
    url: task.url,
    named: new Map(list?.timestamp === undefined || time === undefined ? [] : [[list.timestamp, [time]]]),
  });
  if (message === null) return cannotSign(`a signed header is missing: the signature covers ${template}`);
  const text = encodeDigest(
    task.seal(hmacOf(hash, key, message)),
    encoding === 'hex-or-base64' ? oldEncoding(task, hash) : encoding,
  );
  if (list === undefined) return inSignatureHeaders(task, prefix => prefix + text);
  const stamp = time === undefined ? '' : `${list.timestamp}=${time}${list.separator}`;
  return inSignatureHeaders(task, () => `${stamp}${list.signature}=${text}`);
};

/** `sha256=<hex>`, or the hash of the delivery's old signature. */
export const signNamedHash: Signer = task => {
  const named = /^(sha1|sha256|sha384|sha512)=/i.exec(headerValues(task.scheme, task.original)[0]?.value ?? '')?.[1];
  const hash = (named?.toLowerCase() ?? 'sha256') as Hash;
  const digest = task.seal(hmacOf(hash, Buffer.from(task.secret, 'utf8'), [task.reader.delivery.body]));
  return inSignatureHeaders(task, () => `${hash}=${digest.toString('hex')}`);
};

/** In the form of the delivery's old signature. */
export const signBody: Signer = task => {
  const old = formOfBodyValue(headerValues(task.scheme, task.original)[0]?.value ?? '');
  if (old === null) return cannotSign('the signature of the delivery is in an unknown format');
  const digest = task.seal(hmacOf(old.hash, Buffer.from(task.secret, 'utf8'), [task.reader.delivery.body]));
  return inSignatureHeaders(task, () => old.prefix + encodeDigest(digest, old.encoding));
};

/** The bytes that the sender signs for the body. */
function signedBody({ scheme, reader }: SigningTask): Uint8Array {
  const [variant] = scheme.signsVariant === true ? (scheme.bodyVariants?.(reader) ?? []) : [];
  return variant ?? reader.delivery.body;
}

function oldEncoding({ scheme, original }: SigningTask, hash: Hash): 'hex' | 'base64' {
  const value = headerValues(scheme, original)[0]?.value ?? '';
  return decodeDigest(value, 'hex', hash) === null && decodeDigest(value, 'base64', hash) !== null ? 'base64' : 'hex';
}
