/* SHA-256 (FIPS 180-4): 32 bytes. */
import type { YieldIfDue } from '../concurrency/time-slices.ts';

const sliceBytes = 512 << 10;

export const sha256 = (bytes: Uint8Array): Uint8Array =>
  Bun.SHA256.hash(bytes as Uint8Array<ArrayBuffer>) as Uint8Array;

export async function sha256InSlices(bytes: Uint8Array, yieldIfDue: YieldIfDue): Promise<Uint8Array> {
  const hasher = new Bun.CryptoHasher('sha256');
  for (let start = 0; start < bytes.length; start += sliceBytes) {
    const pause = yieldIfDue();
    if (pause) await pause;
    hasher.update(bytes.subarray(start, start + sliceBytes));
  }
  return hasher.digest();
}
