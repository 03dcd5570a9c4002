/*
 * Signing secrets as people paste them, and the keys they stand for. Which forms a platform takes is in its table row; a secret
 * without a platform is kept as it is and read in whatever form the delivery's scheme wants.
 */

import { maxSigningSecretCharacters } from '../../core/limits.ts';
import { findPlatform } from '../platforms.ts';
import type { KeyFormat, Platform } from './model.ts';
import { ed25519Key, normalizePem, publicKeys } from './public-keys.ts';

const controlCharacter = /\p{Cc}/u;

/** What each form looks like, for messages and for the documentation. */
export const keyFormatDescriptions: Readonly<Record<KeyFormat, string>> = {
  text: 'the text as shown',
  hex: 'hexadecimal digits',
  base64: 'base64',
  whsec: 'whsec_ followed by base64',
  'whsec-or-text': 'whsec_ followed by base64, or the text as shown',
  'after-colon': 'the whole API key, NAME:SECRET',
  nfkd: 'the text as shown',
  pair: 'PUBLIC_KEY|PRIVATE_KEY',
  'id-and-certificate': 'WEBHOOK_ID|PEM certificate',
  ed25519: 'the public key, 64 hexadecimal digits (or whpk_ followed by base64)',
  'public-key': 'the public key or certificate: PEM, base64 (DER) or JWK',
};

/**
 * Normalises a pasted secret for a platform: trims white space, joins wrapped lines, restores PEM line breaks.
 * `platform` null = it may serve any. The error says why the text cannot be a secret of that platform.
 */
export function parseSecret(platform: string | null, pasted: string): { secret: string } | { error: string } {
  const text = pasted.replace(/^[\s\ufeff\u200b]+|[\s\ufeff\u200b]+$/g, '');
  if (text === '') return { error: 'the secret is empty' };
  if (text.length > maxSigningSecretCharacters) return { error: 'the secret is longer than 16 KiB' };
  if (text === '[redacted]' || /^[*•]{4,}$/.test(text))
    return { error: 'that is a placeholder, not the secret itself' };
  if (/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(text)) {
    return { error: 'that is a private key: paste the public key or the certificate' };
  }
  const pem = normalizePem(text);
  if (text.startsWith('-----BEGIN') && pem === null) return { error: 'the PEM block is cut off or damaged' };
  if (platform === null) return normalizeForAnyPlatform(pem ?? text);
  const row = findPlatform(platform);
  if (row === undefined) return { error: `unknown platform "${platform.slice(0, 60)}"` };
  const forms = acceptedKeyFormats(row);
  if (forms.length === 0) {
    return { error: `${row.title} does not sign its deliveries: there is no secret to check them with` };
  }
  for (const form of forms) {
    const secret = normalize(form, pem ?? text);
    if (secret !== null) return { secret };
  }
  return { error: `a secret of ${row.title} is ${forms.map(form => keyFormatDescriptions[form]).join('; or ')}` };
}

/** The forms a platform's secrets may have, the strictest first: `text` would swallow all others. */
export function acceptedKeyFormats(row: Platform): KeyFormat[] {
  const forms = new Set(row.signatures.map(scheme => scheme.keyFormat));
  if (row.takesVerifyToken) forms.add('text');
  const loose = (form: KeyFormat) => (form === 'text' || form === 'nfkd' || form === 'whsec-or-text' ? 1 : 0);
  return [...forms].sort((a, b) => loose(a) - loose(b));
}

/** The keys that a secret stands for in a form; empty when it cannot be one. Public keys are read by `keys.ts` instead. */
export function decodeKeys(form: KeyFormat, secret: string): Buffer[] {
  switch (form) {
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

/** The two halves of `left|right`. */
export function splitPair(secret: string): { left: string; right: string } | null {
  const bar = secret.indexOf('|');
  if (bar <= 0 || bar === secret.length - 1) return null;
  return { left: secret.slice(0, bar).trim(), right: secret.slice(bar + 1).trim() };
}

/** True when a scheme of this form could use the secret: others are passed over as if they were not registered. */
export function canUseSecret(form: KeyFormat, secret: string): boolean {
  return normalize(form, secret) !== null;
}

function normalize(form: KeyFormat, text: string): string | null {
  switch (form) {
    case 'text':
    case 'nfkd':
    case 'whsec-or-text':
      return controlCharacter.test(text) ? null : text;
    case 'hex':
    case 'base64':
    case 'whsec': {
      // Without its prefix it may be another form's text, whose inner spaces count.
      if (form === 'whsec' && !text.startsWith('whsec_') && /\s/.test(text)) return null;
      const joined = text.replace(/\s+/g, '');
      return decodeKeys(form, joined).length > 0 ? joined : null;
    }
    case 'after-colon':
      return !controlCharacter.test(text) && decodeKeys(form, text).length > 0 ? text : null;
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

function normalizeForAnyPlatform(text: string): { secret: string } | { error: string } {
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

/** Strict: Buffer would skip foreign characters and make a key of anything. */
const isBase64 = (text: string): boolean =>
  text.length >= 4 && /^[A-Za-z0-9+/_-]+={0,2}$/.test(text) && text.replace(/=+$/, '').length % 4 !== 1;
