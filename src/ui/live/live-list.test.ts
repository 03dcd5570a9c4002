import { describe, expect, test } from 'bun:test';
import type { EventPage, EventSummary } from '../../features/events/model.ts';
import { ApiError } from '../api.ts';
import { createLiveList, type LiveList } from './live-list.ts';

const event = (n: number): EventSummary => ({
  id: `evt_${n}`,
  eventType: null,
  platform: null,
  method: 'POST',
  receivedAt: n,
  payloadPreview: '',
  highlights: [],
  size: 0,
  path: '',
  signatureValid: null,
  pin: null,
  tags: [],
});

/** A server with events 1 to `count`, newest first, three per page. */
const server = (count: number) => {
  const events = Array.from({ length: count }, (_, at) => event(count - at));
  return {
    events,
    fetchPage: async (cursor: string | undefined): Promise<EventPage> => {
      const from = cursor === undefined ? 0 : events.findIndex(one => one.id === cursor);
      return { events: events.slice(from, from + 3), nextCursor: events[from + 3]?.id ?? null, scannedTo: null };
    },
  };
};

const setUp = async (count: number, q = '') => {
  const source = server(count);
  const work: (() => void)[] = [];
  const list = createLiveList({ q, fetchPage: source.fetchPage, onChange: () => {}, debounce: one => work.push(one) });
  await list.start();
  return { source, list, work };
};
const ids = (list: LiveList): number[] =>
  Array.from({ length: list.state().length }, (_, at) => Number(list.at(at)?.id.slice(4)));

describe('live list', () => {
  test('older pages load until the end of the list', async () => {
    const { list } = await setUp(7);
    await list.loadTo(4);
    expect(ids(list)).toEqual([7, 6, 5, 4, 3, 2]);
    const running = list.loadTo(7);
    await list.loadTo(100);
    await running;
    expect(ids(list)).toEqual([7, 6, 5, 4, 3, 2, 1]);
    expect(list.state().hasMore).toBe(false);
  });

  test('new events are added at the top once and are found by id', async () => {
    const { list } = await setUp(2);
    for (const n of [3, 4, 3, 2]) list.push(event(n));
    expect(ids(list)).toEqual([4, 3, 2, 1]);
    expect([list.indexOf('evt_4'), list.indexOf('evt_1'), list.indexOf('evt_9')]).toEqual([0, 3, -1]);
    expect(list.state().arrivalCount).toBe(2);
  });

  test('while paused, new events are counted and the rows do not change', async () => {
    const { list } = await setUp(2);
    list.setPaused(true);
    for (const n of [3, 4, 4]) list.push(event(n));
    expect(ids(list)).toEqual([2, 1]);
    expect(list.state().heldCount).toBe(2);
    expect(list.newestId()).toBe('evt_4');
    list.setPaused(false);
    expect(ids(list)).toEqual([4, 3, 2, 1]);
    expect(list.state().heldCount).toBe(0);
  });

  test('during a search the server decides which new events are listed', async () => {
    const { list, source, work } = await setUp(2, 'needle');
    source.events.unshift(event(3));
    list.push(event(3));
    list.push(event(99));
    expect(ids(list)).toEqual([2, 1]);
    work[0]?.();
    await Bun.sleep(0);
    expect(ids(list)).toEqual([3, 2, 1]);
  });

  test('more than one page of new events starts the list over', async () => {
    const { list, source } = await setUp(4);
    for (const n of [5, 6, 7, 8]) source.events.unshift(event(n));
    await list.refresh();
    expect(ids(list)).toEqual([8, 7, 6]);
    await list.loadTo(6);
    expect(ids(list)).toEqual([8, 7, 6, 5, 4, 3]);
  });

  test('a paused list with more than one page of new events starts over when it resumes', async () => {
    const { list, source } = await setUp(4);
    list.setPaused(true);
    for (const n of [5, 6, 7, 8]) source.events.unshift(event(n));
    await list.refresh();
    expect(ids(list)).toEqual([4, 3, 2]);
    list.setPaused(false);
    await Bun.sleep(0);
    expect(ids(list)).toEqual([8, 7, 6]);
    await list.loadTo(6);
    expect(ids(list)).toEqual([8, 7, 6, 5, 4, 3]);
  });

  /** A search that finds event 7 in its first page, then `empty` pages that were cut short, then event 1. */
  const longSearch = async (empty: number) => {
    let asked = 0;
    const list = createLiveList({
      q: 'rare',
      fetchPage: async cursor => {
        asked++;
        const page = Number(cursor ?? 0);
        if (page === 0) return { events: [event(900)], nextCursor: '1', scannedTo: 900 };
        if (page <= empty) return { events: [], nextCursor: String(page + 1), scannedTo: 900 - page };
        return { events: [event(1)], nextCursor: null, scannedTo: null };
      },
      onChange: () => {},
      debounce: work => work(),
    });
    await list.start();
    return { list, asked: () => asked };
  };

  test('a long search goes on by itself through pages without results', async () => {
    const { list } = await longSearch(5);
    expect(list.state()).toMatchObject({ hasMore: true, searchedTo: 900 });
    await list.loadTo(2);
    expect(ids(list)).toEqual([900, 1]);
    expect(list.state()).toMatchObject({ hasMore: false, searchedTo: null, isHalted: false });
  });

  test('a very long search pauses, shows how far back it has searched, and continues on request', async () => {
    const { list, asked } = await longSearch(30);
    await list.loadTo(2);
    expect(list.state()).toMatchObject({ hasMore: true, isHalted: true, searchedTo: 880, length: 1 });
    const before = asked();
    await list.loadTo(3);
    expect(asked()).toBe(before);
    await list.goOn();
    expect(ids(list)).toEqual([900, 1]);
    expect(list.state().isHalted).toBe(false);
  });

  test('an arrival during a long search keeps what was found when the newest page reaches back to it', async () => {
    const pages: EventPage[] = [];
    const list = createLiveList({
      q: 'rare',
      fetchPage: async () => pages.shift() ?? { events: [event(3)], nextCursor: null, scannedTo: null },
      onChange: () => {},
      debounce: work => work(),
    });
    await list.start();
    pages.push({ events: [], nextCursor: 'x', scannedTo: 950 });
    list.push(event(960));
    await Bun.sleep(0);
    expect(ids(list)).toEqual([3]);
    pages.push({ events: [], nextCursor: 'x', scannedTo: 999 });
    list.push(event(970));
    await Bun.sleep(0);
    expect(ids(list)).toEqual([]);
  });

  test('a failed first page reports the problem; a failed later page keeps the list', async () => {
    let fail = true;
    const list = createLiveList({
      q: '',
      fetchPage: async () => {
        if (fail) throw new Error('no network');
        return { events: [event(1)], nextCursor: 'next', scannedTo: null };
      },
      onChange: () => {},
      debounce: () => {},
    });
    await list.start();
    expect(list.state()).toMatchObject({ phase: 'failed', problem: 'no network' });
    fail = false;
    await list.start();
    fail = true;
    await list.loadTo(9);
    expect(list.state()).toMatchObject({ phase: 'ready', length: 1, problem: 'no network', isLoadingMore: false });
  });

  test('retryable failures are counted, and the problem stays visible until the page is loaded', async () => {
    const answers = [new ApiError(0, 'unreachable'), new ApiError(503, 'busy'), new ApiError(404, 'not found')];
    const seen: string[] = [];
    const list: LiveList = createLiveList({
      q: '',
      fetchPage: async () => {
        const error = answers.shift();
        if (error) throw error;
        return { events: [event(1)], nextCursor: null, scannedTo: null };
      },
      onChange: () => seen.push(list.state().phase),
      debounce: () => {},
    });
    for (const failures of [1, 2, 0]) {
      await list.start();
      expect(list.state()).toMatchObject({ phase: 'failed', failures });
    }
    expect(list.state().problem).toBe('not found');
    await list.start();
    expect(list.state()).toMatchObject({ phase: 'ready', failures: 0, problem: '' });
    expect(seen.slice(1)).not.toContain('loading');
  });

  test('an event is changed in place, and a deleted one is gone, wherever it is', async () => {
    const { source, list } = await setUp(3);
    list.push(event(4));
    list.setPaused(true);
    list.push(event(5));
    const pin = { name: 'golden', note: null, pinnedAt: 1 };
    for (const n of [1, 4, 5]) list.change({ id: `evt_${n}`, pin, tags: ['a'] });
    list.remove('evt_2');
    list.setPaused(false);
    expect(ids(list)).toEqual([5, 4, 3, 1]);
    expect([0, 1, 2, 3].map(at => list.at(at)?.pin)).toEqual([pin, pin, null, pin]);
    expect(source.events.at(-1)?.pin).toBeNull();
    for (const n of [5, 3]) list.remove(`evt_${n}`);
    expect(ids(list)).toEqual([4, 1]);
    expect(list.indexOf('evt_3')).toBe(-1);
  });
});
