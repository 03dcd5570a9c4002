/* Signatures that anyone can check: Ed25519, ECDSA and RSA, with the platform's public key as the user pasted it. */
import { type KeyObject, verify as verifySignature } from 'node:crypto';
import { firstFormValue, valueAt } from '../delivery-reader.ts';
import { ed25519Key, publicKeys } from '../public-keys.ts';
import { splitPair } from '../secrets.ts';
import {
  decodeBase64,
  hasWantedVersion,
  headerValues,
  isNonEmptyString,
  versionedSignatures,
} from '../signature-values.ts';
import { checkTimestamp, type Outcome, type SignatureCheck } from './check.ts';
import { phpSerialized } from './fields.ts';
import { renderMessage, standardWebhooksPrefix } from './hmac.ts';

const snsNotification = ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'];
const snsConfirmation = ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'];

/** Ed25519 or ECDSA over a template. */
export function checkPublicKey(check: SignatureCheck): Outcome {
  const { scheme, reader } = check;
  const value = headerValues(scheme, reader)[0]?.value ?? '';
  const message = renderMessage(scheme.message ?? '{body}', {
    reader,
    body: reader.delivery.body,
    url: '',
    named: new Map(),
  });
  const signature = scheme.encoding === 'hex' ? decodeHex(value) : decodeBase64(value);
  if (message === null || signature === null) return 'malformed';
  const data = Buffer.concat(message.map(part => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part)));
  return judge(check, holds(check, scheme.keyFormat === 'ed25519' ? null : 'sha256', data, signature));
}

/** Standard Webhooks, asymmetric: entries `v1a,<base64>`. */
export function checkStandardWebhooksKey(check: SignatureCheck): Outcome {
  const { scheme, reader } = check;
  const head = standardWebhooksPrefix(scheme, reader);
  if (head === null) return 'malformed';
  const data = Buffer.concat([Buffer.from(head, 'latin1'), reader.delivery.body]);
  const signatures = headerValues(scheme, reader)
    .flatMap(({ value }) => versionedSignatures(value))
    .filter(([version]) => hasWantedVersion(version, scheme))
    .map(([, text]) => decodeBase64(text.replace(/,$/, '')))
    .filter(signature => signature?.length === 64);
  if (signatures.length === 0) return 'malformed';
  return judge(
    check,
    signatures.some(signature => signature !== null && signature !== undefined && holds(check, null, data, signature)),
  );
}

/** Amazon SNS: `Key\nValue\n` lines of the fields that are there; version 1 is SHA-1, version 2 SHA-256. */
export function checkSns(check: SignatureCheck): Outcome {
  const message = check.reader.json();
  const told = valueAt(message, 'Signature');
  const signature = isNonEmptyString(told) ? decodeBase64(told) : null;
  const version = valueAt(message, 'SignatureVersion');
  const type = valueAt(message, 'Type');
  if (signature === null || !isNonEmptyString(type) || (version !== '1' && version !== '2')) return 'malformed';
  const hash = version === '1' ? 'sha1' : 'sha256';
  // Libraries and documentation disagree on whether the token of an unsubscribe message is signed.
  const lists = type === 'Notification' ? [snsNotification] : [snsConfirmation];
  if (type === 'UnsubscribeConfirmation') lists.push(snsConfirmation.filter(name => name !== 'Token'));
  return judge(
    check,
    lists.some(names => {
      const lines = names
        .map(name => [name, valueAt(message, name)] as const)
        .filter(([, value]) => typeof value === 'string');
      return holds(check, hash, utf8(lines.map(([name, value]) => `${name}\n${value}\n`).join('')), signature);
    }),
  );
}

/** PayPal: id, time, webhook id and the CRC-32 of the body. */
export function checkPayPal(check: SignatureCheck): Outcome {
  const { reader } = check;
  const pair = splitPair(check.secret);
  const id = reader.header('paypal-transmission-id');
  const time = reader.header('paypal-transmission-time');
  const signature = decodeBase64(headerValues(check.scheme, reader)[0]?.value ?? '');
  if (pair === null) return 'unsupported';
  if (id === undefined || time === undefined || signature === null) return 'malformed';
  const data = utf8(`${id}|${time}|${pair.left}|${Bun.hash.crc32(reader.delivery.body)}`);
  return judge(check, holds({ ...check, secret: pair.right }, 'sha256', data, signature));
}

/** Travis CI: the JSON text in the form field `payload`. */
export function checkTravis(check: SignatureCheck): Outcome {
  const payload = firstFormValue(check.reader.form(), 'payload');
  const signature = decodeBase64(headerValues(check.scheme, check.reader)[0]?.value ?? '');
  if (payload === undefined || signature === null) return 'malformed';
  return judge(check, holds(check, 'sha1', utf8(payload), signature));
}

export function checkPaddleClassic(check: SignatureCheck): Outcome {
  const signature = decodeBase64(firstFormValue(check.reader.form(), 'p_signature') ?? '');
  const data = phpSerialized(check.reader, 'p_signature');
  if (data === null || signature === null) return 'malformed';
  return judge(check, holds(check, 'sha1', data, signature));
}

/** eBay: the header is base64 of JSON that holds the signature and names its digest. */
export function checkEbay(check: SignatureCheck): Outcome {
  const header = decodeBase64(headerValues(check.scheme, check.reader)[0]?.value ?? '');
  if (header === null || header.length > 8192) return 'malformed';
  let parsed: unknown;
  try {
    parsed = JSON.parse(header.toString('utf8'));
  } catch {
    return 'malformed';
  }
  const told = valueAt(parsed, 'signature');
  const signature = isNonEmptyString(told) ? decodeBase64(told) : null;
  if (signature === null) return 'malformed';
  const hash = /^sha-?256$/i.test(String(valueAt(parsed, 'digest'))) ? 'sha256' : 'sha1';
  return judge(check, holds(check, hash, check.reader.delivery.body, signature));
}

/** True when any key in the secret verifies the signature. `hash` null = the algorithm has its own. */
function holds(
  check: SignatureCheck,
  hash: 'sha1' | 'sha256' | null,
  data: Uint8Array,
  signature: Uint8Array,
): boolean {
  const one = hash === null ? ed25519Key(check.secret) : null;
  const keys: KeyObject[] = hash !== null ? publicKeys(check.secret) : one === null ? [] : [one];
  return keys.some(key => {
    const isEdwards = key.asymmetricKeyType === 'ed25519';
    if (isEdwards !== (hash === null)) return false;
    try {
      return verifySignature(hash, data, key, signature);
    } catch {
      return false;
    }
  });
}

const judge = (check: SignatureCheck, matched: boolean): Outcome => (matched ? checkTimestamp(check) : 'mismatch');

const decodeHex = (text: string): Buffer | null =>
  text.length % 2 === 0 && text.length <= 1024 && /^[0-9a-f]+$/i.test(text) ? Buffer.from(text, 'hex') : null;

const utf8 = (text: string): Buffer => Buffer.from(text, 'utf8');
