/* Signatures that anyone can check: Ed25519, ECDSA and RSA, with the platform's public key as the user pasted it. */
import { type KeyObject, verify as verifySignature } from 'node:crypto';
import { ed25519Key, publicKeys } from '../keys.ts';
import { at, field } from '../reading.ts';
import { halves } from '../secrets.ts';
import { decodeBase64, entries, headerValues, isText, isWanted } from '../signature.ts';
import { type Check, judgeTime, type Outcome } from './check.ts';
import { phpSerialized } from './fields.ts';
import { fill, signedHead } from './hmac.ts';

const SNS_NOTIFICATION = ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'];
const SNS_CONFIRMATION = ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'];

/** Ed25519 or ECDSA over a template. */
export function checkPublicKey(check: Check): Outcome {
  const { scheme, reading } = check;
  const value = headerValues(scheme, reading)[0]?.value ?? '';
  const message = fill(scheme.message ?? '{body}', { reading, body: reading.delivery.body, url: '', named: new Map() });
  const signature = scheme.encoding === 'hex' ? decodeHex(value) : decodeBase64(value);
  if (message === null || signature === null) return 'malformed';
  const data = Buffer.concat(message.map(part => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part)));
  return judge(check, holds(check, scheme.key === 'ed25519' ? null : 'sha256', data, signature));
}

/** Standard Webhooks, asymmetric: entries `v1a,<base64>`. */
export function checkStandardWebhooksKey(check: Check): Outcome {
  const { scheme, reading } = check;
  const head = signedHead(scheme, reading);
  if (head === null) return 'malformed';
  const data = Buffer.concat([Buffer.from(head, 'latin1'), reading.delivery.body]);
  const signatures = headerValues(scheme, reading)
    .flatMap(({ value }) => entries(value))
    .filter(([version]) => isWanted(version, scheme))
    .map(([, text]) => decodeBase64(text.replace(/,$/, '')))
    .filter(signature => signature?.length === 64);
  if (signatures.length === 0) return 'malformed';
  return judge(
    check,
    signatures.some(signature => signature !== null && signature !== undefined && holds(check, null, data, signature)),
  );
}

/** Amazon SNS: `Key\nValue\n` lines of the fields that are there; version 1 is SHA-1, version 2 SHA-256. */
export function checkSns(check: Check): Outcome {
  const message = check.reading.json();
  const told = at(message, 'Signature');
  const signature = isText(told) ? decodeBase64(told) : null;
  const version = at(message, 'SignatureVersion');
  const type = at(message, 'Type');
  if (signature === null || !isText(type) || (version !== '1' && version !== '2')) return 'malformed';
  const hash = version === '1' ? 'sha1' : 'sha256';
  // Libraries and documentation disagree on whether the token of an unsubscribe message is signed.
  const lists = type === 'Notification' ? [SNS_NOTIFICATION] : [SNS_CONFIRMATION];
  if (type === 'UnsubscribeConfirmation') lists.push(SNS_CONFIRMATION.filter(name => name !== 'Token'));
  return judge(
    check,
    lists.some(names => {
      const lines = names
        .map(name => [name, at(message, name)] as const)
        .filter(([, value]) => typeof value === 'string');
      return holds(check, hash, utf8(lines.map(([name, value]) => `${name}\n${value}\n`).join('')), signature);
    }),
  );
}

/** PayPal: id, time, webhook id and the CRC-32 of the body. */
export function checkPayPal(check: Check): Outcome {
  const { reading } = check;
  const pair = halves(check.secret);
  const id = reading.header('paypal-transmission-id');
  const time = reading.header('paypal-transmission-time');
  const signature = decodeBase64(headerValues(check.scheme, reading)[0]?.value ?? '');
  if (pair === null) return 'unsupported';
  if (id === undefined || time === undefined || signature === null) return 'malformed';
  const data = utf8(`${id}|${time}|${pair.left}|${Bun.hash.crc32(reading.delivery.body)}`);
  return judge(check, holds({ ...check, secret: pair.right }, 'sha256', data, signature));
}

/** Travis CI: the JSON text in the form field `payload`. */
export function checkTravis(check: Check): Outcome {
  const payload = field(check.reading.form(), 'payload');
  const signature = decodeBase64(headerValues(check.scheme, check.reading)[0]?.value ?? '');
  if (payload === undefined || signature === null) return 'malformed';
  return judge(check, holds(check, 'sha1', utf8(payload), signature));
}

export function checkPaddleClassic(check: Check): Outcome {
  const signature = decodeBase64(field(check.reading.form(), 'p_signature') ?? '');
  const data = phpSerialized(check.reading, 'p_signature');
  if (data === null || signature === null) return 'malformed';
  return judge(check, holds(check, 'sha1', data, signature));
}

/** eBay: the header is base64 of JSON that holds the signature and names its digest. */
export function checkEbay(check: Check): Outcome {
  const header = decodeBase64(headerValues(check.scheme, check.reading)[0]?.value ?? '');
  if (header === null || header.length > 8192) return 'malformed';
  let parsed: unknown;
  try {
    parsed = JSON.parse(header.toString('utf8'));
  } catch {
    return 'malformed';
  }
  const told = at(parsed, 'signature');
  const signature = isText(told) ? decodeBase64(told) : null;
  if (signature === null) return 'malformed';
  const hash = /^sha-?256$/i.test(String(at(parsed, 'digest'))) ? 'sha256' : 'sha1';
  return judge(check, holds(check, hash, check.reading.delivery.body, signature));
}

/** True when any key in the secret verifies the signature. `hash` null = the algorithm has its own. */
function holds(check: Check, hash: 'sha1' | 'sha256' | null, data: Uint8Array, signature: Uint8Array): boolean {
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

const judge = (check: Check, matched: boolean): Outcome => (matched ? judgeTime(check) : 'mismatch');

const decodeHex = (text: string): Buffer | null =>
  text.length % 2 === 0 && text.length <= 1024 && /^[0-9a-f]+$/i.test(text) ? Buffer.from(text, 'hex') : null;

const utf8 = (text: string): Buffer => Buffer.from(text, 'utf8');
