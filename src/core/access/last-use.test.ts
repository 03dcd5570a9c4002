import { expect, test } from 'bun:test';
import { thrownBy } from '../../testing/thrown-by.ts';
import { createLastUseRecorder } from './last-use.ts';

function open(write: (lastUses: ReadonlyMap<string, number>) => Promise<void>) {
  let now = 0;
  return createLastUseRecorder({ now: () => ++now }, write);
}

test('a flush writes the newest use of each id once', async () => {
  const written: [string, number][][] = [];
  const lastUses = open(async uses => void written.push([...uses]));
  for (const id of ['a', 'b', 'a']) lastUses.record(id);
  expect([lastUses.pending('a'), lastUses.pending('c')]).toEqual([3, undefined]);
  await lastUses.flush();
  await lastUses.flush();
  expect(written).toEqual([
    [
      ['a', 3],
      ['b', 2],
    ],
  ]);
  expect(lastUses.pending('a')).toBeUndefined();
});

test('a use during a flush stays pending', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const lastUses = open(() => promise);
  lastUses.record('a');
  const flushed = lastUses.flush();
  lastUses.record('a');
  resolve();
  await flushed;
  expect(lastUses.pending('a')).toBe(2);
});

test('a failed flush keeps the uses pending', async () => {
  const lastUses = open(() => Promise.reject(new Error('disk full')));
  lastUses.record('a');
  expect(await thrownBy(lastUses.flush())).toThrow('disk full');
  expect(lastUses.pending('a')).toBe(1);
});
