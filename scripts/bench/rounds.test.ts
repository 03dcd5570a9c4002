import { describe, expect, test } from 'bun:test';
import { interleaved, medians } from './rounds.ts';

describe('interleaved rounds', () => {
  test('every side is measured once a round, and the order changes', async () => {
    const turns: string[] = [];
    const taken = await interleaved(['a', 'b', 'c'], 3, 'turn', async side => turns.push(side));
    expect(turns.join('')).toBe('abcbcacab');
    expect(taken).toEqual({ a: [1, 6, 8], b: [2, 4, 9], c: [3, 5, 7] });
  });
});

describe('the medians of two sides', () => {
  test('cover all rounds', () => {
    expect(medians({ ours: [9, 1, 2], baseline: [4, 8, 5] }, 'ours', 'baseline')).toEqual({ ours: 2, baseline: 5 });
  });

  test('leave out a side that was not measured', () => {
    expect(medians({ ours: [1], baseline: [] }, 'ours', 'baseline')).toEqual({ ours: 1 });
  });
});
