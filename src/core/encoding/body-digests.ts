/* Updates Content-Length and headers with a plain hash of a changed body; signatures and wrong hashes stay as they are. */
import { createHash } from 'node:crypto';
import type { HeaderPair } from '../headers.ts';

const nameOfDigest = /digest|md5|sha-?\d|checksum|hash/i;
const algorithms = ['sha256', 'sha512', 'sha1', 'md5'] as const;

export function followBody(headers: readonly HeaderPair[], before: Uint8Array, after: Uint8Array): HeaderPair[] {
  if (Buffer.compare(before, after) === 0) return [...headers];
  let pairs: (readonly [old: string, now: string])[] | undefined;
  return headers.map(([name, value]): HeaderPair => {
    if (name.toLowerCase() === 'content-length') return [name, String(after.length)];
    if (!nameOfDigest.test(name)) return [name, value];
    pairs ??= spellings(before, after);
    return [name, pairs.reduce((text, [old, now]) => text.replace(old, () => now), value)];
  });
}

function spellings(before: Uint8Array, after: Uint8Array): (readonly [old: string, now: string])[] {
  return algorithms.flatMap(algorithm => {
    const write = [before, after].map(body => {
      const digest = createHash(algorithm).update(body).digest();
      const hex = digest.toString('hex');
      return [digest.toString('base64'), digest.toString('base64url'), hex, hex.toUpperCase()];
    });
    const [old = [], now = []] = write;
    return old.map((text, n) => [text, now[n] ?? ''] as const);
  });
}
