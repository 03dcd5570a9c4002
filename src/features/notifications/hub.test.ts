import { describe, expect, test } from 'bun:test';
import { createSemaphore } from '../../core/concurrency/semaphore.ts';
import { notFound } from '../../core/errors.ts';
import { eventually } from '../../testing/poll.ts';
import { createFakeSource, summaryOf } from '../../testing/tail-source.ts';
import { createNotificationsService, type NotificationsService } from './service.ts';

const principal = { accountId: 'acc_1', teamId: 'team_1', plan: 'pro' } as const;
const waitMs = 60_000;

const openService = ({ isShared = false, checkEveryMs = 1 } = {}) => {
  const source = createFakeSource();
  const deleted = new Set<string>();
  const notifications = createNotificationsService({
    clock: { now: () => 0, monotonic: () => performance.now() },
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
    streamSemaphore: createSemaphore(1000),
    isShared,
    checkEveryMs,
  });
  return { source, deleted, notifications };
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
    await expect(openTail(notifications)).rejects.toThrow('shutting down');
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

  test('200 waiting tails cost no query with the embedded database', async () => {
    const { source, notifications } = openService();
    const tails = await Promise.all(Array.from({ length: 200 }, () => openTail(notifications)));
    const waits = tails.map(tail => tail.next({ waitMs }));
    await eventually(() => source.reads() === 200);
    const { newestReads, reads } = source;
    const before = [newestReads(), reads()];
    // A long-lived tail shows when the hub has made its periodic checks.
    let checks = 0;
    const recheck = async () => {
      checks++;
      return principal;
    };
    await notifications.openTail({ principal, endpointId: '2', after: 0, recheck, isLongLived: true });
    before[0] = newestReads();
    await eventually(() => checks >= 3);
    expect([newestReads(), reads()]).toEqual(before);
    notifications.shutDown();
    await Promise.all(waits);
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
