import { describe, expect, test } from 'bun:test';
import { blocksInAll, makePart, partBytes, sliceBytes, sliceOf } from './bit-slices.ts';
import { gramsOf, mayContain, signBlock } from './block-signature.ts';

const none = { part: -1, offset: 0 };
const textOf = (i: number): string => Array.from({ length: 30 }, (_, at) => `word${i}-${at * i}`).join(' ');
const sign = (text: string): Uint8Array =>
  signBlock([{ receivedAt: 0, eventType: null, body: new TextEncoder().encode(text) }]).filter;

describe('bit slices', () => {
  const texts = Array.from({ length: 37 }, (_, i) => textOf(i).repeat(i % 5 === 0 ? 4 : 1));
  const filters: (Uint8Array | undefined)[] = texts.map(sign);
  filters[7] = new Uint8Array(0);
  filters[8] = undefined;
  const filterBytes = Math.max(...filters.map(filter => filter?.length ?? 0));
  const parts = Array.from({ length: filterBytes / partBytes }, (_, part) => makePart(filters, filterBytes, part));

  const find = (q: string): number[] => {
    const slices = gramsOf(q).map(gram => {
      const { part, offset } = sliceOf(gram, { filterBytes, valueBytes: 0 }, filters.length) ?? none;
      return parts[part]?.subarray(offset, offset + sliceBytes(filters.length)) ?? new Uint8Array(0);
    });
    return blocksInAll(slices, filters.length);
  };

  test('find the same blocks as their filters, whatever the sizes of these', () => {
    expect(new Set(filters.map(filter => filter?.length)).size).toBeGreaterThan(3);
    for (const q of ['word', 'word3', 'word36-0', 'word21-42', 'word19-19 word', 'absent from all']) {
      const grams = gramsOf(q);
      const expected = filters.flatMap((filter, i) => (filter && mayContain(filter, grams) ? [i] : []));
      expect({ q, found: find(q) }).toEqual({ q, found: expected });
      expect(expected).toContain(7);
    }
  });

  test('of shrunk filters exclude less, and nothing that the filters do not', () => {
    const half = filterBytes / 2;
    const smaller = Array.from({ length: half / partBytes }, (_, part) => makePart(filters, half, part));
    for (const q of ['word3', 'word21-42', 'absent from all']) {
      const slices = gramsOf(q).map(gram => {
        const { part, offset } = sliceOf(gram, { filterBytes: half, valueBytes: 0 }, filters.length) ?? none;
        return smaller[part]?.subarray(offset, offset + sliceBytes(filters.length)) ?? new Uint8Array(0);
      });
      expect(blocksInAll(slices, filters.length)).toEqual(expect.arrayContaining(find(q)));
    }
  });

  test('without a gram, find every block', () => {
    expect(blocksInAll([], 11)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });
});
