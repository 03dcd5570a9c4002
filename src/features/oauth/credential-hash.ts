/* Random credentials and the hashes that are kept of them. */
import { createHash, timingSafeEqual } from 'node:crypto';

/** SHA-256: enough for 256 random bits, and the only form in which codes, tokens and secrets are stored. */
export const hashOf = (text: string): Buffer => createHash('sha256').update(text).digest();

export const matchesHash = (hash: Buffer, text: string): boolean => timingSafeEqual(hash, hashOf(text));
