/* The hash of a redacted value, equal for equal values of one team. The key keeps others from guessing short values. */
import { createHmac, hkdfSync } from 'node:crypto';

const hashCharacters = 16;

export const deriveRedactionKey = (secret: string, teamId: string): Uint8Array =>
  Buffer.from(hkdfSync('sha256', secret, teamId, 'hooktape redaction key v1', 32));

/** @param value a text as UTF-8, or the bytes of any other value as they were written */
export const hashOf = (key: Uint8Array, value: string | Uint8Array): string =>
  `hash_${createHmac('sha256', key).update(value).digest('base64url').slice(0, hashCharacters)}`;
