/* How much is read at a time. */
import { expect, test } from 'bun:test';
import { createObserve } from './observe.ts';
import type { OpenAlert } from './store.ts';

const alert = { kind: 'silence', minutes: 5, filter: Buffer.from(''), position: 10, pausedAt: null } as OpenAlert;

/** @param pages the matching events of each page; a page has a hundred row numbers */
function observe(pages: readonly number[], isBusy = false) {
  let read = 0;
  const check = createObserve({
    store: { typesAfter: async () => [], changesAfter: async () => [] },
    async *matching(_, { after }) {
      for (const [n, count] of pages.entries()) {
        read++;
        yield { seqs: Array.from({ length: count }, (_, i) => i), position: after + 100 * (n + 1) };
      }
    },
    matchingAmong: async () => new Set(),
    learn: () => {},
    isBusy: () => isBusy,
    stuckForward: async () => 0,
  });
  return check(alert, 5000).then(({ seen, position, hasMore }) => ({
    matching: seen.matching,
    position,
    read,
    hasMore,
  }));
}

test('one event ends a silence: later events are not read', async () => {
  expect(await observe([0, 3, 500, 500])).toEqual({ matching: 3, position: 5000, read: 2, hasMore: false });
});

test('a long history is read in parts', async () => {
  expect(await observe(Array(50).fill(0))).toEqual({ matching: 0, position: 810, read: 8, hasMore: true });
});

test('while many deliveries arrive, one page is read', async () => {
  expect(await observe(Array(50).fill(0), true)).toEqual({ matching: 0, position: 110, read: 1, hasMore: true });
});
