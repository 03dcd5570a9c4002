import { describe, expect, test } from 'bun:test';
import { createSemaphore } from '../../core/concurrency/semaphore.ts';
import { notFound } from '../../core/errors.ts';
import { eventually } from '../../testing/poll.ts';
import { createFakeSource, summaryOf } from '../../testing/tail-source.ts';
import { thrownBy } from '../../testing/thrown-by.ts';
import { createNotificationsService, type NotificationsService } from './service.ts';

const principal = { accountId: 'acc_1', teamId: 'team_1', plan: 'pro' } as const;
const waitMs = 60_000;

const openService = ({ isShared = false, checkEveryMs = 1 } = {}) => {
  const source = createFakeSource();
  const deleted = new Set<string>();
  let accessMark = '';
  let ticks = 0;
  let time = 0;
  const notifications = createNotificationsService({
    clock: {
      now: () => {
        ticks++;
        return time;
      },
      monotonic: () => performance.now(),
    },
    endpoint: async (_, id) => {
      if (deleted.has(id)) throw notFound('endpoint');
      return { seq: Number(id), token: '', retentionMs: null };
    },
    events: {
      newest: source.newest,
      listAfter: (_, __, position, limit) => source.listAfter(position, limit),
      listBySeq: (_, __, seqs) => source.listBySeq(seqs),
    },
    createEventFilter: () => {
      throw new Error('no filter is given');
    },
    selectForEach: () => {
      throw new Error('no filter is given');
    },
    streamSemaphore: createSemaphore(1000),
    look: isShared ? async () => ({ newest: await source.newest(), accessMark }) : undefined,
    checkEveryMs,
  });
  return {
    source,
    deleted,
    notifications,
    /** Another process ends access. */
    markAccess: (mark: string) => {
      accessMark = mark;
    },
    /** How often the hub has looked whether a check is due. */
    ticks: () => ticks,
    setTime: (now: number) => {
      time = now;
    },
  };
};
const openTail = (notifications: NotificationsService, endpointId = '1', signal?: AbortSignal) =>
  notifications.openTail({ principal, endpointId, after: undefined, recheck: async () => principal, signal });

describe('notifications', () => {
  test('an event between two waits is not missed, and does not wake waits on another endpoint', async () => {
    const { source, notifications } = openService();
    const [tail, other] = [await openTail(notifications), await openTail(notifications, '2')];
    const waiting = other.next({ waitMs });
    await eventually(() => source.reads() === 1);
    for (let i = 1; i <= 3; i++) {
      notifications.recorded({ endpoint: 1, seq: source.store() });
      expect(await tail.next({ waitMs })).toEqual({ kind: 'events', events: [summaryOf(i)] });
    }
    expect(source.reads()).toBe(1 + 3);
    other.close();
    expect(await waiting).toMatchObject({ kind: 'ended' });
  });

  test('a wait ends with its signal, all end with the shutdown, and no other tail opens after it', async () => {
    const { notifications } = openService();
    const client = new AbortController();
    const [one, two] = [await openTail(notifications, '1', client.signal), await openTail(notifications)];
    const waits = [one.next({ waitMs }), two.next({ waitMs })];
    client.abort();
    expect(await waits[0]).toEqual({ kind: 'ended', end: { reason: 'closed' } });
    expect(notifications.openTails()).toBe(1);
    notifications.shutDown();
    expect(await waits[1]).toEqual({ kind: 'ended', end: { reason: 'shutdown' } });
    expect(notifications.openTails()).toBe(0);
    expect(await thrownBy(openTail(notifications))).toThrow('shutting down');
  });

  test('a signal that was aborted before closes the tail at once', async () => {
    const tail = await openTail(openService().notifications, '1', AbortSignal.abort());
    expect(await tail.next({ waitMs })).toEqual({ kind: 'ended', end: { reason: 'closed' } });
  });

  test('a recheck ends only the tails whose access has ended', async () => {
    const { source, deleted, notifications } = openService();
    const [one, two] = [await openTail(notifications), await openTail(notifications, '2')];
    const waits = [one.next({ waitMs }), two.next({ waitMs })];
    deleted.add('1');
    notifications.recheckAll();
    expect(await waits[0]).toMatchObject({ end: { reason: 'access_ended', error: { code: 'not_found' } } });
    notifications.recorded({ endpoint: 2, seq: source.store() });
    expect(await waits[1]).toMatchObject({ kind: 'events' });
    two.close();
  });

  const keyOf = (n: number, validUntil?: number) => ({
    ...principal,
    credential: { kind: 'key', id: `key_${n}` } as const,
    validUntil,
  });
  /** Long-lived tails of one endpoint, whose access has been checked, and how often it is checked again. */
  const openStreams = async ({ notifications, source }: ReturnType<typeof openService>, keys: number) => {
    const checked = new Map<number, number>();
    const ended = new Set<number>();
    const tails = await Promise.all(
      Array.from({ length: 200 }, (_, i) => {
        const n = i % keys;
        const recheck = async () => {
          checked.set(n, (checked.get(n) ?? 0) + 1);
          return ended.has(n) ? undefined : keyOf(n, 1000);
        };
        const request = { principal: keyOf(n, 1000), endpointId: '1', after: 0, isLongLived: true };
        return notifications.openTail({ ...request, recheck });
      }),
    );
    const next = () => Promise.all(tails.map(tail => tail.next({ waitMs })));
    const first = next();
    notifications.recorded({ endpoint: 1, seq: source.store() });
    await first;
    return { checked, ended, next };
  };

  test('200 streams read a stored event once, and check each credential once', async () => {
    const service = openService();
    const { source, notifications } = service;
    const { checked, next } = await openStreams(service, 10);
    expect([...checked.values()]).toEqual(Array(10).fill(1));
    const reads = source.reads();
    for (let i = 2; i <= 4; i++) {
      const all = next();
      notifications.recorded({ endpoint: 1, seq: source.store() });
      for (const result of await all) expect(result).toEqual({ kind: 'events', events: [summaryOf(i)] });
    }
    expect(source.reads()).toBe(reads + 3);
    expect([...checked.values()]).toEqual(Array(10).fill(1));
    notifications.shutDown();
  });

  test('200 idle streams run no query with the embedded database', async () => {
    const service = openService();
    const { checked, next } = await openStreams(service, 10);
    const waits = next();
    const { newestReads, reads } = service.source;
    const [before, ticks] = [[newestReads(), reads(), checked.values().toArray()], service.ticks()];
    await eventually(() => service.ticks() > ticks + 3 * 200);
    expect([newestReads(), reads(), checked.values().toArray()]).toEqual(before);
    service.notifications.shutDown();
    await waits;
  });

  test('streams end when their credential expires, and when another process ends access', async () => {
    for (const isShared of [false, true]) {
      const service = openService({ isShared });
      const { ended, next } = await openStreams(service, 2);
      ended.add(1);
      const waits = next();
      if (isShared) service.markAccess('another');
      else service.setTime(1000);
      await eventually(() => service.notifications.openTails() === 100);
      ended.add(0);
      service.notifications.recheckAll();
      for (const result of await waits) expect(result).toMatchObject({ end: { reason: 'access_ended' } });
    }
  });

  test('on a shared database one query finds for all tails what other processes stored', async () => {
    const { source, notifications } = openService({ isShared: true });
    const tails = await Promise.all(Array.from({ length: 200 }, () => openTail(notifications)));
    const opened = source.newestReads();
    const waits = tails.map(tail => tail.next({ waitMs }));
    await eventually(() => source.newestReads() >= opened + 3);
    // At most twice each: at the start of the wait, and when the hub looked for the first time.
    expect(source.reads()).toBeLessThanOrEqual(400);
    source.store();
    for (const next of await Promise.all(waits)) expect(next).toEqual({ kind: 'events', events: [summaryOf(1)] });
    notifications.shutDown();
  });
});
