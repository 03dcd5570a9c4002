import { describe, expect, test } from 'bun:test';
import { createMemoryBudget } from './memory-budget.ts';

/** How many bytes can be taken, one by one. */
function fill(take: (bytes: number) => boolean): number {
  let bytes = 0;
  while (take(1)) bytes++;
  return bytes;
}

describe('createMemoryBudget', () => {
  test('without holders all of it can be taken, and no byte more', () => {
    const budget = createMemoryBudget({ totalBytes: 100 });
    expect(budget.take(101)).toBe(false);
    expect(budget.take(100)).toBe(true);
    expect(budget.take(1)).toBe(false);
    budget.give(40);
    expect([budget.take(41), budget.take(40)]).toEqual([false, true]);
  });

  test.each([
    [1, 60],
    [2, 40],
    [3, 30],
    [5, 20],
  ])('%d greedy holders leave one share for the next', (greedy, share) => {
    const budget = createMemoryBudget({ totalBytes: 120 });
    const holders = Array.from({ length: greedy }, (_, i) => [`holder ${i}`]);
    // Alternating, as if they arrived at the same time.
    for (let round = 0; round < 120; round++) for (const holder of holders) budget.take(1, holder);
    expect(fill(bytes => budget.take(bytes))).toBe(share);
  });

  test('however many holders there are, a new one always gets something', () => {
    const budget = createMemoryBudget({ totalBytes: 1 << 20 });
    for (let i = 0; i < 15; i++) fill(bytes => budget.take(bytes, [`greedy ${i}`]));
    expect(budget.take(8, ['new'])).toBe(true);
  });

  test('bytes count against every holder, and a refusal takes nothing from any', () => {
    const budget = createMemoryBudget({ totalBytes: 100 });
    expect(budget.take(50, ['endpoint 1', '192.0.2.1'])).toBe(true);
    expect(budget.take(1, ['endpoint 1', '192.0.2.2'])).toBe(false);
    expect(budget.take(1, ['endpoint 2', '192.0.2.1'])).toBe(false);
    expect(budget.take(25, ['endpoint 2', '192.0.2.2'])).toBe(true);
    expect(fill(bytes => budget.take(bytes))).toBe(25);
  });

  test('what is given back is there again, for its holder and for others', () => {
    const budget = createMemoryBudget({ totalBytes: 100 });
    for (let round = 0; round < 3; round++) {
      expect(budget.take(50, ['one'])).toBe(true);
      budget.give(20, ['one']);
      expect(budget.take(30, ['two'])).toBe(true);
      budget.give(30, ['one']);
      budget.give(30, ['two']);
    }
    expect(fill(bytes => budget.take(bytes))).toBe(100);
  });

  test('a bound of its own for each holder, although more is free', () => {
    const budget = createMemoryBudget({ totalBytes: 100, maxBytesPerHolder: 20 });
    expect([budget.take(21, ['one']), budget.take(20, ['one']), budget.take(1, ['one'])]).toEqual([false, true, false]);
    expect(budget.take(20, ['two'])).toBe(true);
  });
});
