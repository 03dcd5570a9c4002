/*
 * Signing secrets as users paste them, and the keys in them. A platform's signature schemes define the formats that it accepts;
 * a secret without a platform is stored unchanged and decoded as the scheme of each delivery needs it.
 */

import { maxSigningSecretCharacters } from '../../core/limits.ts';
import type { Platform } from './platform.ts';
import type { PlatformIndex } from './platform-index.ts';
import { ed25519Key, normalizePem, publicKeys } from './public-keys.ts';
import type { KeyFormat } from './signature-scheme.ts';

const controlCharacter = /\p{Cc}/u;

/** For messages and for `hooktape platforms`. */
export const keyFormatDescriptions: Readonly<Record<KeyFormat, string>> = {
  text: 'the text as shown',
  hex: 'hexadecimal digits',
  base64: 'base64',
  whsec: 'whsec_ followed by base64',
  'whsec-or-text': 'whsec_ followed by base64, or the secret as the platform shows it',
  'after-colon': 'the whole API key, NAME:SECRET',
  nfkd: 'the text as shown',
  pair: 'PUBLIC_KEY|PRIVATE_KEY',
  'id-and-certificate': 'WEBHOOK_ID|PEM certificate',
  ed25519: 'the public key, 64 hexadecimal digits (or whpk_ followed by base64)',
  'public-key': 'the public key or certificate: PEM, base64 (DER) or JWK',
};

export type ParsedSecret = { secret: string } | { error: string };

/**
 * Normalises a pasted secret for a platform: trims white space, joins wrapped lines, restores the line breaks of PEM.
 * `platform` null = for any platform. The error says why the text cannot be a secret of that platform.
 */
export const createSecretParser =
  ({ find }: PlatformIndex) =>
  (platform: string | null, pasted: string): ParsedSecret => {
    const text = pasted.replace(/^[\s\ufeff\u200b]+|[\s\ufeff\u200b]+$/g, '');
    const pem = normalizePem(text);
    const error = refusal(text, pem);
    if (error !== null) return { error };
    if (platform === null) return normalizeForAnyPlatform(pem ?? text);
    const row = find(platform);
    return row === undefined
      ? { error: `unknown platform "${platform.slice(0, 60)}"` }
      : normalizeForPlatform(row, pem ?? text);
  };

/** The reason why the text cannot be a secret of any platform. */
function refusal(text: string, pem: string | null): string | null {
  if (text === '') return 'the secret is empty';
  if (text.length > maxSigningSecretCharacters) return 'the secret is longer than 16 KiB';
  if (text === '[redacted]' || /^[*•]{4,}$/.test(text)) return 'that is a placeholder, not the secret itself';
  if (/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(text)) {
    return 'that is a private key: paste the public key or the certificate';
  }
  return text.startsWith('-----BEGIN') && pem === null ? 'the PEM block is cut off or damaged' : null;
}

function normalizeForPlatform(platform: Platform, text: string): ParsedSecret {
  const formats = acceptedKeyFormats(platform);
  if (formats.length === 0) {
    return { error: `${platform.title} does not sign its deliveries, so it has no signing secret` };
  }
  for (const format of formats) {
    const secret = normalize(format, text);
    if (secret !== null) return { secret };
  }
  const expected = formats.map(format => keyFormatDescriptions[format]).join('; or ');
  return { error: `a secret of ${platform.title} must be ${expected}` };
}

/** The formats that a platform's secrets may have, strictest first: any text is valid as `text`. Empty = no secret. */
export function acceptedKeyFormats(platform: Platform): KeyFormat[] {
  const formats = new Set(platform.signatures.map(scheme => scheme.keyFormat));
  if (platform.takesVerifyToken) formats.add('text');
  const looseness = (format: KeyFormat) => (['text', 'nfkd', 'whsec-or-text'].includes(format) ? 1 : 0);
  return [...formats].sort((a, b) => looseness(a) - looseness(b));
}

/** The keys in a secret; empty if it does not have the format. For public keys see `public-keys.ts`. */
export function decodeKeys(format: KeyFormat, secret: string): Buffer[] {
  switch (format) {
    case 'text':
      return [Buffer.from(secret, 'utf8')];
    case 'nfkd':
      return [Buffer.from(secret.normalize('NFKD'), 'utf8')];
    case 'hex':
      return isHex(secret) ? [Buffer.from(secret, 'hex')] : [];
    case 'base64':
      return isBase64(secret) ? [Buffer.from(secret, 'base64')] : [];
    case 'whsec': {
      const encoded = secret.replace(/^whsec_/, '');
      return isBase64(encoded) ? [Buffer.from(encoded, 'base64')] : [];
    }
    case 'whsec-or-text':
      return [...decodeKeys('whsec', secret), Buffer.from(secret, 'utf8')];
    case 'after-colon': {
      const colon = secret.indexOf(':');
      return colon > 0 && colon < secret.length - 1 ? [Buffer.from(secret.slice(colon + 1), 'utf8')] : [];
    }
    default:
      return [];
  }
}

/** Splits `left|right`. */
export function splitPair(secret: string): { left: string; right: string } | null {
  const bar = secret.indexOf('|');
  if (bar <= 0 || bar === secret.length - 1) return null;
  return { left: secret.slice(0, bar).trim(), right: secret.slice(bar + 1).trim() };
}

/** Whether the secret has the format. Otherwise it is skipped, as if it were not registered. */
export function canUseSecret(format: KeyFormat, secret: string): boolean {
  return normalize(format, secret) !== null;
}

function normalize(format: KeyFormat, text: string): string | null {
  switch (format) {
    case 'text':
    case 'nfkd':
    case 'whsec-or-text':
      return controlCharacter.test(text) ? null : text;
    case 'hex':
    case 'base64':
    case 'whsec': {
      // Without the prefix it may be a secret of another format, in which spaces are significant.
      if (format === 'whsec' && !text.startsWith('whsec_') && /\s/.test(text)) return null;
      const joined = text.replace(/\s+/g, '');
      return decodeKeys(format, joined).length > 0 ? joined : null;
    }
    case 'after-colon':
      return !controlCharacter.test(text) && decodeKeys(format, text).length > 0 ? text : null;
    case 'pair':
      return !controlCharacter.test(text) && splitPair(text) !== null ? text : null;
    case 'id-and-certificate': {
      const parts = splitPair(text);
      const pem = parts === null ? null : normalizePem(parts.right);
      return parts !== null && pem !== null && publicKeys(pem).length > 0 ? `${parts.left}|${pem}` : null;
    }
    case 'ed25519': {
      const joined = text.startsWith('-----BEGIN') ? text : text.replace(/\s+/g, '');
      return ed25519Key(joined) === null ? null : joined;
    }
    case 'public-key': {
      const joined = text.startsWith('-----BEGIN') || text.startsWith('{') ? text : text.replace(/\s+/g, '');
      return publicKeys(joined).length > 0 ? joined : null;
    }
  }
}

function normalizeForAnyPlatform(text: string): ParsedSecret {
  if (text.startsWith('-----BEGIN')) return { secret: text };
  const bar = splitPair(text);
  const certificate = bar === null ? null : normalizePem(bar.right);
  if (bar !== null && certificate !== null) return { secret: `${bar.left}|${certificate}` };
  if (text.startsWith('{') && publicKeys(text).length > 0) return { secret: text };
  return controlCharacter.test(text)
    ? { error: 'the secret has line breaks or control characters inside' }
    : { secret: text };
}

const isHex = (text: string): boolean => text.length >= 2 && text.length % 2 === 0 && /^[0-9a-fA-F]+$/.test(text);

/** A strict check, because Buffer skips characters outside the alphabet and so decodes any text. */
const isBase64 = (text: string): boolean =>
  text.length >= 4 && /^[A-Za-z0-9+/_-]+={0,2}$/.test(text) && text.replace(/=+$/, '').length % 4 !== 1;
