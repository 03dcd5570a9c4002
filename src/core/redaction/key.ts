/*
 * The hash of a redacted value, which is equal for equal values of one team: HMAC-SHA-256 under a key from HOOKTAPE_SECRET and the
 * team. The key keeps others from guessing a short value from its hash.
 */
import { createHmac, hkdfSync } from 'node:crypto';

const hashCharacters = 16;

/** The key of a team. */
export const deriveRedactionKey = (secret: string, teamId: string): Uint8Array =>
  Buffer.from(hkdfSync('sha256', secret, teamId, 'hooktape redaction key v1', 32));

/** @param value a text as UTF-8, or the bytes of any other value as they were written */
export const hashOf = (key: Uint8Array, value: string | Uint8Array): string =>
  `hash_${createHmac('sha256', key).update(value).digest('base64url').slice(0, hashCharacters)}`;
