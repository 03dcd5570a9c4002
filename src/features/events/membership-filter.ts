/*
 * Bloom filters of numbers that are already hashes, such as delivery numbers. With 8 bits for each number, about 2.4 % of the
 * numbers that are not in the set are false positives.
 */

const positions = 4;
/** The two lowest bits of a delivery's number are not part of the hash (delivery-key.ts). */
const plainBits = 2;

/** @param bytes the size: a power of two, at most 2^17 */
export function makeMembershipFilter(numbers: readonly number[], bytes: number): Uint8Array {
  const filter = new Uint8Array(bytes);
  for (const number of numbers)
    for (let i = 0; i < positions; i++) {
      const bit = positionOf(number, i, bytes);
      filter[bit >>> 3] = (filter[bit >>> 3] ?? 0) | (1 << (bit & 7));
    }
  return filter;
}

/**
 * @param number an integer from 0 to 2^53 - 1
 * @returns false if the filter was certainly made without this number; true if it may contain it
 */
export function mayInclude(filter: Uint8Array, number: number): boolean {
  for (let i = 0; i < positions; i++) {
    const bit = positionOf(number, i, filter.length);
    if ((((filter[bit >>> 3] ?? 0) >>> (bit & 7)) & 1) === 0) return false;
  }
  return true;
}

/** Two parts of the hash give all positions (Kirsch and Mitzenmacher, "Less hashing, same performance"). */
const positionOf = (number: number, i: number, bytes: number): number =>
  ((number >>> plainBits) + i * (Math.floor(number / 2 ** 32) | 1)) & (bytes * 8 - 1);
