/*
 * Parses public keys as users paste them: PEM (key or certificate), base64 of a DER SubjectPublicKeyInfo, raw Ed25519
 * (hex or base64), JWK or a JWK set. A private key is never accepted as a public key.
 */
import { createPublicKey, type JsonWebKeyInput, type KeyObject, X509Certificate } from 'node:crypto';

const ed25519SpkiHead = Buffer.from('302a300506032b6570032100', 'hex');

/** All keys in the text: a JWK set may have several. Empty if the text is not a public key. */
export function publicKeys(text: string): KeyObject[] {
  const keys: KeyObject[] = [];
  for (const one of candidates(text)) {
    const key = parseKey(one);
    if (key !== null) keys.push(key);
  }
  return keys;
}

/** Ed25519 from 64 hex digits, or from base64 of 32 bytes with or without `whpk_`. */
export function ed25519Key(text: string): KeyObject | null {
  const raw = /^[0-9a-f]{64}$/i.test(text)
    ? Buffer.from(text, 'hex')
    : Buffer.from(text.replace(/^whpk_/, ''), 'base64');
  if (raw.length === 32) return parseKey({ key: Buffer.concat([ed25519SpkiHead, raw]), format: 'der', type: 'spki' });
  return publicKeys(text).find(key => key.asymmetricKeyType === 'ed25519') ?? null;
}

/** Restores the line breaks of PEM, which are often pasted as spaces or as a literal `\n`. */
export function normalizePem(text: string): string | null {
  const flat = text.replace(/\\r|\\n|\r|\n/g, ' ').trim();
  const match = /^-----BEGIN ([A-Z0-9 ]{3,40})-----([A-Za-z0-9+/= ]{1,20000})-----END ([A-Z0-9 ]{3,40})-----/.exec(
    flat,
  );
  if (match?.[1] === undefined || match[2] === undefined || match[1] !== match[3]) return null;
  const lines = match[2].replace(/ /g, '').match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${match[1]}-----\n${lines.join('\n')}\n-----END ${match[1]}-----\n`;
}

type KeyInput = string | { key: Buffer; format: 'der'; type: 'spki' } | JsonWebKeyInput;

function candidates(text: string): KeyInput[] {
  if (text.startsWith('-----BEGIN')) {
    const pem = normalizePem(text);
    return pem === null || pem.includes('PRIVATE KEY') ? [] : [pem];
  }
  if (text.startsWith('{')) return webKeys(text);
  const der = Buffer.from(text, 'base64');
  return der.length < 32 ? [] : [{ key: der, format: 'der', type: 'spki' }];
}

function webKeys(text: string): KeyInput[] {
  try {
    const parsed: unknown = JSON.parse(text);
    const list = (parsed as { keys?: unknown }).keys ?? [parsed];
    if (!Array.isArray(list)) return [];
    return list
      .slice(0, 20)
      .filter(
        (jwk): jwk is JsonWebKeyInput['key'] =>
          typeof jwk === 'object' && jwk !== null && !('d' in jwk) && !('k' in jwk),
      )
      .map(key => ({ key, format: 'jwk' }));
  } catch {
    return [];
  }
}

function parseKey(input: KeyInput): KeyObject | null {
  try {
    if (typeof input === 'string' && input.includes('CERTIFICATE')) return new X509Certificate(input).publicKey;
    return createPublicKey(input);
  } catch {
    return null;
  }
}
