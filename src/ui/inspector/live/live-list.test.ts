import { describe, expect, test } from 'bun:test';
import type { EventPage, EventSummary } from '../../../features/events/model.ts';
import { ApiError } from '../../kit/api.ts';
import { createLiveList, type LiveList } from './live-list.ts';

const event = (n: number, delivery: Partial<EventSummary['delivery']> = {}): EventSummary => ({
  id: `evt_${n}`,
  eventType: null,
  platform: null,
  method: 'POST',
  receivedAt: n,
  payloadPreview: '',
  highlights: [],
  matched: [],
  size: 0,
  path: '',
  signatureValid: null,
  verdict: 'none',
  action: null,
  pin: null,
  tags: [],
  answered: { status: 200, rule: null, delayMs: 0, fault: null, limited: false },
  refused: null,
  redacted: null,
  delivery: { key: `delivery ${n}`, basis: 'header', attempt: 1, attempts: 1, ...delivery },
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

const setUp = async (count: number, { isFolded = false } = {}) => {
  const source = server(count);
  const list = createLiveList({ isFolded, fetchPage: source.fetchPage, onChange: () => {} });
  await list.start();
  return { source, list };
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

  test('while all hits of a search are on one page, those on whole values come first', async () => {
    const matched = (n: number) => [{ field: 'body.id', text: n % 2 === 0 ? '8123' : 'x8123' }];
    const hits = (count: number) =>
      Array.from({ length: count }, (_, at) => ({ ...event(9 - at), matched: matched(9 - at) }));
    const open = async (pages: EventPage[]) => {
      const list = createLiveList({
        isFolded: false,
        isWhole: one => one.matched.some(({ text }) => text === '8123'),
        fetchPage: async () => pages.shift() ?? { events: [], nextCursor: null, scannedTo: null },
        onChange: () => {},
      });
      await list.start();
      return list;
    };
    const list = await open([{ events: hits(5), nextCursor: null, scannedTo: null }]);
    expect(ids(list)).toEqual([8, 6, 9, 7, 5]);
    expect(list.state().wholeCount).toBe(2);
    list.push(event(10));
    expect(ids(list)).toEqual([10, 8, 6, 9, 7, 5]);
    list.remove(['evt_8']);
    expect(list.state().wholeCount).toBe(1);

    const more = await open([
      { events: hits(3), nextCursor: 'x', scannedTo: 7 },
      { events: [], nextCursor: null, scannedTo: null },
    ]);
    expect([ids(more), more.state().wholeCount]).toEqual([[9, 8, 7], undefined]);
    await more.loadTo(9);
    expect([ids(more), more.state().wholeCount]).toEqual([[8, 9, 7], 1]);

    const even = await open([{ events: [event(4), event(3)], nextCursor: null, scannedTo: null }]);
    expect([ids(even), even.state().wholeCount]).toEqual([[4, 3], undefined]);
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

  test('a shortened list has the newest page and what comes during the request, and loads the rest again', async () => {
    const { list, source } = await setUp(4);
    for (const n of [5, 6, 7, 8]) {
      source.events.unshift(event(n));
      list.push(event(n));
    }
    const shortened = list.shorten();
    list.push(event(9));
    expect(await shortened).toBe(true);
    expect(ids(list)).toEqual([9, 8, 7, 6]);
    expect(list.state()).toMatchObject({ arrivalCount: 1, hasMore: true });
    await list.loadTo(9);
    expect(ids(list)).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1]);
  });

  test('while paused, all new events are counted, few are kept, and the list is reloaded when it resumes', async () => {
    const { list, source } = await setUp(2);
    list.setPaused(true);
    for (let n = 3; n <= 20_002; n++) {
      source.events.unshift(event(n));
      list.push(event(n));
    }
    expect(list.state().heldCount).toBe(20_000);
    expect([list.indexOf('evt_3'), list.newestId()]).toEqual([-1, 'evt_20002']);
    list.setPaused(false);
    await Bun.sleep(0);
    expect(ids(list)).toEqual([20_002, 20_001, 20_000]);
    expect(list.state().heldCount).toBe(0);
  });

  /** A search that finds event 7 in its first page, then `empty` pages that were cut short, then event 1. */
  const longSearch = async (empty: number) => {
    let asked = 0;
    const list = createLiveList({
      isFolded: false,
      fetchPage: async cursor => {
        asked++;
        const page = Number(cursor ?? 0);
        if (page === 0) return { events: [event(900)], nextCursor: '1', scannedTo: 900 };
        if (page <= empty) return { events: [], nextCursor: String(page + 1), scannedTo: 900 - page };
        return { events: [event(1)], nextCursor: null, scannedTo: null };
      },
      onChange: () => {},
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

  test('after an interruption, a long search keeps what it found if the newest page reaches back to the interruption', async () => {
    const pages: EventPage[] = [];
    const list = createLiveList({
      isFolded: false,
      fetchPage: async () => pages.shift() ?? { events: [event(3)], nextCursor: null, scannedTo: null },
      onChange: () => {},
    });
    await list.start();
    pages.push({ events: [event(960)], nextCursor: 'x', scannedTo: 950 });
    expect(await list.refresh(955)).toBe(true);
    expect(ids(list)).toEqual([960, 3]);
    pages.push({ events: [], nextCursor: 'x', scannedTo: 999 });
    await list.refresh(970);
    expect(ids(list)).toEqual([]);
  });

  test('an event that comes during a refresh hides none that were missed, and stays', async () => {
    const source = server(2);
    const list = createLiveList({
      isFolded: false,
      onChange: () => {},
      fetchPage: async cursor => {
        const page = await source.fetchPage(cursor);
        if (list.state().phase === 'ready') list.push(event(list.state().length === 2 ? 4 : 9));
        return page;
      },
    });
    await list.start();
    source.events.unshift(event(4), event(3));
    await list.refresh();
    expect(ids(list).toSorted()).toEqual([1, 2, 3, 4]);
    for (const n of [5, 6, 7, 8]) source.events.unshift(event(n));
    await list.refresh();
    expect(ids(list)).toEqual([9, 8, 7, 6]);
  });

  test('a refresh that failed for the moment, or that overlaps another, asks to be repeated', async () => {
    let failure: Error | undefined;
    const list = createLiveList({
      isFolded: false,
      fetchPage: async () => {
        if (failure) throw failure;
        return { events: [event(1)], nextCursor: null, scannedTo: null };
      },
      onChange: () => {},
    });
    await list.start();
    failure = new ApiError(503, 'busy');
    expect(await list.refresh()).toBe(false);
    failure = new ApiError(400, 'invalid');
    expect(await list.refresh()).toBe(true);
    failure = undefined;
    const first = list.refresh();
    expect(await list.refresh()).toBe(false);
    expect(await first).toBe(true);
    expect(ids(list)).toEqual([1]);
  });

  test('a failed first page reports the problem; a failed later page keeps the list', async () => {
    let fail = true;
    const list = createLiveList({
      isFolded: false,
      fetchPage: async () => {
        if (fail) throw new Error('no network');
        return { events: [event(1)], nextCursor: 'next', scannedTo: null };
      },
      onChange: () => {},
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
      isFolded: false,
      fetchPage: async () => {
        const error = answers.shift();
        if (error) throw error;
        return { events: [event(1)], nextCursor: null, scannedTo: null };
      },
      onChange: () => seen.push(list.state().phase),
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
    list.remove(['evt_2']);
    list.setPaused(false);
    expect(ids(list)).toEqual([5, 4, 3, 1]);
    expect([0, 1, 2, 3].map(at => list.at(at)?.pin)).toEqual([pin, pin, null, pin]);
    expect(source.events.at(-1)?.pin).toBeNull();
    for (const n of [5, 3]) list.remove([`evt_${n}`]);
    expect(ids(list)).toEqual([4, 1]);
    expect(list.indexOf('evt_3')).toBe(-1);
  });

  test('the revision changes when rows are taken out, not when they are added', async () => {
    const { list } = await setUp(6);
    const { revision } = list.state();
    list.push(event(7));
    await list.loadTo(7);
    expect(list.state().revision).toBe(revision);
    list.remove(['evt_1', 'evt_7', 'evt_unknown']);
    expect(ids(list)).toEqual([6, 5, 4, 3, 2].slice(0, list.state().length));
    expect(list.state().revision).not.toBe(revision);
  });
});

describe('with one row per delivery', () => {
  test('a new attempt takes the place of the one before, at the top', async () => {
    const { list, source } = await setUp(5, { isFolded: true });
    const attempt = { key: 'delivery 4', attempts: 2 };
    list.push(event(6, { ...attempt, attempt: 2 }));
    expect(ids(list)).toEqual([6, 5, 3]);
    expect([list.indexOf('evt_4'), list.indexOfDelivery('delivery 4'), list.indexOfDelivery('delivery 9')]).toEqual([
      -1, 0, -1,
    ]);
    list.push(event(7));
    list.push(event(8, { key: 'delivery 4', attempt: 3, attempts: 3 }));
    expect(ids(list)).toEqual([8, 7, 5, 3]);
    // An older page of the server may still have an attempt of a delivery that has a row.
    expect(source.events.at(3)?.id).toBe('evt_2');
    list.push(event(9, { key: 'delivery 2', attempt: 2, attempts: 2 }));
    await list.loadTo(10);
    expect(ids(list)).toEqual([9, 8, 7, 5, 3, 1]);
  });

  test('an attempt that arrives late is counted and does not replace a newer one', async () => {
    const { list } = await setUp(3, { isFolded: true });
    list.push({ ...event(4, { key: 'delivery 3', attempt: 1, attempts: 2 }), receivedAt: 0 });
    expect(ids(list)).toEqual([3, 2, 1]);
    expect(list.at(0)?.delivery).toMatchObject({ attempt: 2, attempts: 2 });
  });

  test('while paused, attempts of one delivery are held as one', async () => {
    const { list } = await setUp(3, { isFolded: true });
    list.setPaused(true);
    for (const n of [1, 2, 3]) list.push(event(10 + n, { key: 'delivery 2', attempt: n, attempts: n }));
    expect([ids(list), list.state().heldCount]).toEqual([[3, 2, 1], 1]);
    list.setPaused(false);
    expect(ids(list)).toEqual([13, 3, 1]);
  });

  test('deleting an attempt loads the list again, with the others', async () => {
    const { list, source } = await setUp(3, { isFolded: true });
    list.push(event(4, { key: 'delivery 3', attempt: 2, attempts: 2 }));
    expect(ids(list)).toEqual([4, 2, 1]);
    list.remove(['evt_4']);
    await Bun.sleep(0);
    expect(ids(list)).toEqual(source.events.map(({ receivedAt }) => receivedAt));
  });
});
