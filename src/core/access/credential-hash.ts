/* SHA-256 hashes: the only form in which keys, tokens, codes and client secrets are stored. Each has many random bits. */
import { timingSafeEqual } from 'node:crypto';
import { sha256 } from '../encoding/sha256.ts';

export const hashOf = (text: string): Buffer => Buffer.from(sha256(Buffer.from(text)));

export const matchesHash = (hash: Buffer, text: string): boolean => timingSafeEqual(hash, hashOf(text));
