import { describe, expect, test } from 'bun:test';
import { createIndexer } from './indexer.ts';
import type { SearchableEvent, SearchStore } from './store.ts';

/** A store in memory that records its calls. */
function fakeStore(bodies: string[]) {
  const events: SearchableEvent[] = bodies.map((body, i) => ({
    seq: i + 1,
    endpoint: 1,
    eventType: null,
    body: new TextEncoder().encode(body),
  }));
  const asked: string[] = [];
  const state = { watermark: 0, failing: false, asked, slices: [] as number[] };
  const store = {
    progress: async () => ({ watermark: state.watermark, last: events.length }),
    sizesAfter: async (seq: number, limit: number) => events.slice(seq, seq + limit).map(one => one.body.length),
    searchedAfter: async (seq: number, limit: number) => events.slice(seq, seq + limit),
    append: async (entries: { seq: number; trigrams: string }[], from: number, to: number) => {
      asked.push(`${from}-${to}`);
      if (state.failing) throw new Error('disk full');
      if (from !== state.watermark) return false;
      state.watermark = to;
      state.slices.push(entries.reduce((sum, { trigrams }) => sum + trigrams.length, 0));
      return true;
    },
    merge: async () => false,
    clear: async () => {
      state.watermark = 0;
    },
  };
  return { store: store as unknown as SearchStore, state };
}

const random = (length: number): string =>
  Array.from({ length }, () => String.fromCharCode(33 + Math.floor(Math.random() * 90))).join('');

describe('the indexer', () => {
  test('writes bounded slices in order until all events are indexed', async () => {
    const { store, state } = fakeStore(Array.from({ length: 100 }, () => random(3000)));
    const indexer = createIndexer({ store, monotonic: () => 0, isBusy: () => false, onIndexed: () => {} });
    while ((await indexer.slice()) === 'more');
    expect(state.watermark).toBe(100);
    expect(state.slices.length).toBeGreaterThan(5);
    expect(Math.max(...state.slices)).toBeLessThan(32 << 10);
  });

  test('pauses between slices under load, and not when idle', async () => {
    const { store, state } = fakeStore(Array.from({ length: 100 }, () => random(3000)));
    let now = 0;
    let busy = true;
    const slow: SearchStore = {
      ...store,
      append: (...args) => {
        now += 5;
        return store.append(...args);
      },
    };
    const indexer = createIndexer({ store: slow, monotonic: () => now, isBusy: () => busy, onIndexed: () => {} });
    await indexer.slice();
    const { watermark } = state;
    expect(watermark).toBeGreaterThan(0);
    now += 95;
    expect(await indexer.slice()).toEqual({ restMs: 50 });
    await indexer.slice();
    expect(state.watermark).toBe(watermark);
    busy = false;
    await indexer.slice();
    await indexer.slice();
    expect(state.watermark).toBeGreaterThan(watermark);
  });

  test('writes more at once when the writer is fast', async () => {
    const largest = async (appendMs: number): Promise<number> => {
      const { store, state } = fakeStore(Array.from({ length: 100 }, () => random(3000)));
      let now = 0;
      const timed: SearchStore = {
        ...store,
        append: (...args) => {
          now += appendMs;
          return store.append(...args);
        },
      };
      const indexer = createIndexer({ store: timed, monotonic: () => now, isBusy: () => false, onIndexed: () => {} });
      while ((await indexer.slice()) === 'more');
      return Math.max(...state.slices);
    };
    expect(await largest(20)).toBeLessThan(13 << 10);
    expect(await largest(1)).toBeGreaterThan(20 << 10);
  });

  test('continues at the stored watermark after an error, and after another process moved it', async () => {
    const { store, state } = fakeStore(Array.from({ length: 60 }, () => random(3000)));
    const indexer = createIndexer({ store, monotonic: () => 0, isBusy: () => false, onIndexed: () => {} });
    state.failing = true;
    await expect(indexer.slice()).rejects.toThrow('disk full');
    state.failing = false;
    await indexer.slice();
    state.watermark = 40;
    while ((await indexer.slice()) === 'more');
    expect(state.watermark).toBe(60);
    expect(state.asked.filter(one => one.startsWith('0-')).length).toBe(2);
    expect(state.asked.some(one => one.startsWith('40-'))).toBe(true);
  });
});
