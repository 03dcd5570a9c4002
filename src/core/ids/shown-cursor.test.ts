import { expect, test } from 'bun:test';
import { deflateRawSync } from 'node:zlib';
import { decodeShown, encodeShown } from './shown-cursor.ts';

test.each([[[1]], [[5, 3, 900_000, 127, 128, 2 ** 52]]])('reads the numbers %p again, sorted', seqs => {
  expect(decodeShown(encodeShown(seqs))).toEqual(seqs.toSorted((a, b) => a - b));
});

test('10,000 neighbours fit into a URL', () => {
  const cursor = encodeShown(Array.from({ length: 10_000 }, (_, i) => i + 40_000));
  expect(cursor.length).toBeLessThan(100);
  expect(decodeShown(cursor)).toHaveLength(10_000);
});

test.each(['', 'x', '!', '%00', 'AAAA', encodeShown([1]).slice(0, -2), encodeShown([])])('refuses %p', cursor => {
  expect(decodeShown(cursor)).toBeUndefined();
});

test('refuses a short cursor that stands for millions of numbers', () => {
  const cursor = deflateRawSync(Buffer.alloc(1 << 22, 1)).toString('base64url');
  expect(cursor.length).toBeLessThan(10_000);
  expect(decodeShown(cursor)).toBeUndefined();
});
