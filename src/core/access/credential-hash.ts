/* SHA-256 hashes: the only form in which codes, tokens and client secrets are stored. Each has 256 random bits. */
import { createHash, timingSafeEqual } from 'node:crypto';

export const hashOf = (text: string): Buffer => createHash('sha256').update(text).digest();

export const matchesHash = (hash: Buffer, text: string): boolean => timingSafeEqual(hash, hashOf(text));
