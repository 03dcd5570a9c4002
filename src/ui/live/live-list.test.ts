import { describe, expect, test } from 'bun:test';
import { ApiError } from '../api.ts';
import type { EventPage, EventSummary } from '../wire.ts';
import { createLiveList, type LiveList } from './live-list.ts';

const event = (n: number): EventSummary => ({
  id: `evt_${n}`,
  eventType: null,
  platform: null,
  method: 'POST',
  receivedAt: n,
  payloadPreview: '',
  size: 0,
  path: '',
  signatureValid: null,
});

/** A server with events 1…n, pages of three, newest first. */
const server = (count: number) => {
  const events = Array.from({ length: count }, (_, at) => event(count - at));
  return {
    events,
    fetchPage: async (cursor: string | undefined): Promise<EventPage> => {
      const from = cursor === undefined ? 0 : events.findIndex(one => one.id === cursor);
      return { events: events.slice(from, from + 3), nextCursor: events[from + 3]?.id ?? null };
    },
  };
};

const setUp = async (count: number, q = '') => {
  const source = server(count);
  const work: (() => void)[] = [];
  const feed = createLiveList({ q, fetchPage: source.fetchPage, onChange: () => {}, debounce: one => work.push(one) });
  await feed.start();
  return { source, feed, work };
};
const ids = (feed: LiveList): number[] =>
  Array.from({ length: feed.view().length }, (_, at) => Number(feed.at(at)?.id.slice(4)));

describe('feed', () => {
  test('pages follow each other to the end', async () => {
    const { feed } = await setUp(7);
    await feed.loadTo(4);
    expect(ids(feed)).toEqual([7, 6, 5, 4, 3, 2]);
    const running = feed.loadTo(7);
    await feed.loadTo(100);
    await running;
    expect(ids(feed)).toEqual([7, 6, 5, 4, 3, 2, 1]);
    expect(feed.view().hasMore).toBe(false);
  });

  test('arrivals come on top, once, and are found by id', async () => {
    const { feed } = await setUp(2);
    for (const n of [3, 4, 3, 2]) feed.push(event(n));
    expect(ids(feed)).toEqual([4, 3, 2, 1]);
    expect([feed.indexOf('evt_4'), feed.indexOf('evt_1'), feed.indexOf('evt_9')]).toEqual([0, 3, -1]);
    expect(feed.view().arrivalCount).toBe(2);
  });

  test('paused, arrivals are counted and nothing moves', async () => {
    const { feed } = await setUp(2);
    feed.pause(true);
    for (const n of [3, 4, 4]) feed.push(event(n));
    expect(ids(feed)).toEqual([2, 1]);
    expect(feed.view().heldCount).toBe(2);
    expect(feed.newestId()).toBe('evt_4');
    feed.pause(false);
    expect(ids(feed)).toEqual([4, 3, 2, 1]);
    expect(feed.view().heldCount).toBe(0);
  });

  test('under a search the server decides what arrives', async () => {
    const { feed, source, work } = await setUp(2, 'needle');
    source.events.unshift(event(3));
    feed.push(event(3));
    feed.push(event(99));
    expect(ids(feed)).toEqual([2, 1]);
    work[0]?.();
    await Bun.sleep(0);
    expect(ids(feed)).toEqual([3, 2, 1]);
  });

  test('more news than one page starts the list over', async () => {
    const { feed, source } = await setUp(4);
    for (const n of [5, 6, 7, 8]) source.events.unshift(event(n));
    await feed.askAgain();
    expect(ids(feed)).toEqual([8, 7, 6]);
    await feed.loadTo(6);
    expect(ids(feed)).toEqual([8, 7, 6, 5, 4, 3]);
  });

  test('paused over more news than one page, it starts over when it goes on', async () => {
    const { feed, source } = await setUp(4);
    feed.pause(true);
    for (const n of [5, 6, 7, 8]) source.events.unshift(event(n));
    await feed.askAgain();
    expect(ids(feed)).toEqual([4, 3, 2]);
    feed.pause(false);
    await Bun.sleep(0);
    expect(ids(feed)).toEqual([8, 7, 6]);
    await feed.loadTo(6);
    expect(ids(feed)).toEqual([8, 7, 6, 5, 4, 3]);
  });

  test('a failed first page says why, a failed later page keeps the list', async () => {
    let fail = true;
    const feed = createLiveList({
      q: '',
      fetchPage: async () => {
        if (fail) throw new Error('no network');
        return { events: [event(1)], nextCursor: 'next' };
      },
      onChange: () => {},
      debounce: () => {},
    });
    await feed.start();
    expect(feed.view()).toMatchObject({ phase: 'failed', problem: 'no network' });
    fail = false;
    await feed.start();
    fail = true;
    await feed.loadTo(9);
    expect(feed.view()).toMatchObject({ phase: 'ready', length: 1, problem: 'no network', isLoadingMore: false });
  });

  test('failures that may pass are counted until the page is there, and what is said stays', async () => {
    const answers = [new ApiError(0, 'unreachable'), new ApiError(503, 'busy'), new ApiError(404, 'not found')];
    const seen: string[] = [];
    const feed: LiveList = createLiveList({
      q: '',
      fetchPage: async () => {
        const error = answers.shift();
        if (error) throw error;
        return { events: [event(1)], nextCursor: null };
      },
      onChange: () => seen.push(feed.view().phase),
      debounce: () => {},
    });
    for (const failures of [1, 2, 0]) {
      await feed.start();
      expect(feed.view()).toMatchObject({ phase: 'failed', failures });
    }
    expect(feed.view().problem).toBe('not found');
    await feed.start();
    expect(feed.view()).toMatchObject({ phase: 'ready', failures: 0, problem: '' });
    expect(seen.slice(1)).not.toContain('loading');
  });
});
