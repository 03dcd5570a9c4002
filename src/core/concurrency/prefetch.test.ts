import { expect, test } from 'bun:test';
import { thrownBy } from '../../testing/thrown-by.ts';
import { prefetch } from './prefetch.ts';

test('results come in order, and no more work than allowed is started', async () => {
  let running = 0;
  let most = 0;
  const work = async (n: number): Promise<number> => {
    running++;
    most = Math.max(most, running);
    await Bun.sleep((n * 7) % 5);
    running--;
    return n * 10;
  };
  expect(await Array.fromAsync(prefetch([1, 2, 3, 4, 5, 6], 2, work))).toEqual([10, 20, 30, 40, 50, 60]);
  expect(most).toBe(3);
});

test('the first failure ends it', async () => {
  const started: number[] = [];
  const work = async (n: number): Promise<number> => {
    started.push(n);
    if (n > 1) throw new Error(`no ${n}`);
    return n;
  };
  expect(await thrownBy(Array.fromAsync(prefetch([1, 2, 3, 4, 5], 1, work)))).toThrow('no 2');
  expect(started).toEqual([1, 2, 3]);
});
