/* Signatures that a public key verifies: Ed25519, ECDSA and RSA. The key is what the user registered. */
import { type KeyObject, verify as verifySignature } from 'node:crypto';
import { ed25519Key, publicKeys } from '../public-keys.ts';
import type { Outcome, SignatureCheck } from '../signature-scheme.ts';
import { decodeBase64, headerValues } from '../signature-values.ts';
import { checkTimestamp } from './check.ts';
import { renderMessage } from './hmac.ts';

/** Ed25519 or ECDSA over a template. */
export function verifyPublicKey(check: SignatureCheck): Outcome {
  const { scheme, reader } = check;
  const value = firstHeaderValue(check);
  const message = renderMessage(scheme.message ?? '{body}', {
    reader,
    body: reader.delivery.body,
    url: '',
    named: new Map(),
  });
  const signature = scheme.encoding === 'hex' ? decodeHex(value) : decodeBase64(value);
  if (message === null || signature === null) return 'malformed';
  const data = Buffer.concat(message.map(part => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part)));
  return outcomeOf(check, isSignedByKey(check, scheme.keyFormat === 'ed25519' ? null : 'sha256', data, signature));
}

/** Whether any key in the secret verifies the signature. `hash` null = Ed25519, which has its own. */
export function isSignedByKey(
  { secret, observe }: SignatureCheck,
  hash: 'sha1' | 'sha256' | null,
  data: Uint8Array,
  signature: Uint8Array,
): boolean {
  observe?.({ message: [data], received: [signature], expected: null });
  const keys: KeyObject[] = hash === null ? [ed25519Key(secret)].filter(key => key !== null) : publicKeys(secret);
  return keys.some(key => {
    if ((key.asymmetricKeyType === 'ed25519') !== (hash === null)) return false;
    try {
      return verifySignature(hash, data, key, signature);
    } catch {
      return false;
    }
  });
}

export const outcomeOf = (check: SignatureCheck, isSigned: boolean): Outcome =>
  isSigned ? checkTimestamp(check) : 'mismatch';

export const firstHeaderValue = (check: SignatureCheck): string =>
  headerValues(check.scheme, check.reader)[0]?.value ?? '';

const decodeHex = (text: string): Buffer | null =>
  text.length % 2 === 0 && text.length <= 1024 && /^[0-9a-f]+$/i.test(text) ? Buffer.from(text, 'hex') : null;
