/*
 * The one runner of durable queues. It finds queues with due items, takes each for this process, and lets a worker go through it. The
 * places in which queues are worked on are shared by teams, so that a team whose destinations hang holds up no other team.
 */
import type { InStatement } from '@libsql/client';
import type { Clock } from '../../core/clock.ts';
import { createFairShares, type FairSharesOptions } from '../../core/concurrency/fair-shares.ts';
import { createSemaphore } from '../../core/concurrency/semaphore.ts';
import { createGiveWay } from './give-way.ts';
import { createLeases } from './leases.ts';
import type { NewItem, QueueKind } from './queue.ts';
import type { DueQueue, QueuesStore } from './store.ts';
import { startWorker, type Worker } from './worker.ts';
import { queuesToYield, type Running } from './yielding.ts';

export type QueuesService = ReturnType<typeof createQueuesService>;

/** How often this process looks for items that other processes added. */
const sharedPollMs = 2000;
/** The wall clock may jump forward, or a queue may have become due without a call: its items are late by at most this much. */
const maxSleepMs = 30_000;
/**
 * The most queues with a worker at the same time. A share that is alone gets 150 places, and 25 shares always find four places
 * each.
 */
const defaultPlaces: FairSharesOptions = { total: 400, reserved: 100, assured: 4 };
/** How many due queues one read returns. */
const pageSize = 200;
/** How often queues are asked to yield, at most: counting thousands of waiting queues takes time. */
const askEveryMs = 1000;
const maxPerDestination = 32;
const retryAfterErrorMs = 5000;
/** The wall clock has gone back by more than any correction of seconds. */
const clockJumpMs = 60_000;

/**
 * `worker`: undefined while the queue is being opened. `ended`: how to stop the worker, even if it has not started yet.
 * `isYielding`: it stops only to let other queues run.
 */
type Active = Running & { queue: DueQueue; worker: Worker | undefined };

export type QueuesOptions = {
  store: QueuesStore;
  /** A random name of this process. */
  holder: string;
  clock: Clock;
  /** Whether other processes may use the same database. */
  isShared: boolean;
  /** Whether deliveries wait for their commit. */
  isBusy: () => boolean;
  /** How many deliveries were stored in the last one or two seconds. */
  recentDeliveries: () => number;
  /** How many queues are worked on at once. */
  places?: FairSharesOptions;
  onError: (error: unknown, fields?: Record<string, unknown>) => void;
};

export function createQueuesService(options: QueuesOptions) {
  const { store, holder, clock, isShared, isBusy, recentDeliveries, onError } = options;
  const kinds = new Map<string, QueueKind>();
  const active = new Map<number, Active>();
  const places = createFairShares(options.places ?? defaultPlaces);
  const destinations = createSemaphore(maxPerDestination);
  const ending = new Set<Promise<void>>();
  let isRunning = false;
  let looking: Promise<void> | undefined;
  let mustLookAgain = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let clockOffsetMs = Number.NaN;
  let askedAtMs = Number.NEGATIVE_INFINITY;

  /** For one queue. */
  const createBeforeStart = () => {
    const untilTurn = createGiveWay({ monotonic: clock.monotonic, wait, isBusy, recentDeliveries });
    return async (): Promise<boolean> => {
      await untilTurn();
      return leases.isAlive();
    };
  };

  const end = (one: Active | undefined, how: 'finish' | 'abort'): void => {
    if (!one) return;
    if (one.ended !== 'abort') one.ended = how;
    one.worker?.[how]();
  };

  const leases = createLeases({
    store,
    holder,
    clock,
    onError,
    holdsAny: () => active.size > 0,
    onHeld: (held, askedMs) => {
      for (const [seq, one] of active) {
        const mine = held.get(seq);
        if (mine?.isPaused) end(one, 'finish');
        else if (!mine && one.sinceMs <= askedMs) end(one, 'abort');
      }
    },
  });

  const work = async (one: Active, kind: QueueKind): Promise<void> => {
    const { queue } = one;
    const opened = await kind.open(queue.owner);
    if (!opened) return store.remove(queue.seq, holder);
    await store.pullBackItems(queue.seq, clock.now());
    const worker = startWorker({
      queue,
      work: opened,
      store,
      holder,
      clock,
      destinations,
      beforeStart: createBeforeStart(),
      onError: error => onError(error, { queue: queue.kind, id: queue.owner }),
    });
    one.worker = worker;
    if (one.ended) worker[one.ended]();
    await worker.done;
    const isOwnEnd = one.ended === undefined || (one.isYielding && one.ended === 'finish');
    if (isOwnEnd && kind.onEmpty && !(await store.hasOpen(queue.seq))) await kind.onEmpty(queue.owner);
    // A worker that was stopped from outside may have outdated settings, so the next worker decides whether to rest.
    const restMs = isOwnEnd ? (opened.restMs?.() ?? 0) : 0;
    // After its turn, waiting queues go first.
    await store.release(queue.seq, holder, restMs > 0 || one.isYielding ? clock.now() + restMs : 0);
    // A queue whose owner was removed during this work was made due for its removal, which the release has undone.
    if (isRunning && one.ended === 'abort') await store.wakeEmpty(queue.seq, clock.now());
  };
  const begin = (queue: DueQueue, kind: QueueKind): void => {
    // It is in the map at once, so that it cannot start twice.
    const sinceMs = clock.monotonic();
    const one: Active = { queue, sinceMs, worker: undefined, ended: undefined, isYielding: false };
    active.set(queue.seq, one);
    places.take(queue.share);
    const running = work(one, kind)
      .catch(async error => {
        onError(error, { queue: queue.kind, id: queue.owner });
        await sleep(retryAfterErrorMs, () => isRunning);
        await store.release(queue.seq, holder).catch(() => {});
      })
      .finally(() => {
        active.delete(queue.seq);
        places.give(queue.share);
        ending.delete(running);
        look();
      });
    ending.add(running);
  };

  const fullShares = (): string[] => [...places.held.keys()].filter(share => !places.canTake(share));
  /** Claims due queues while there are places for them. @returns in how many ms the next queue of another process may be claimed */
  const takeDue = async (now: number): Promise<number> => {
    let after: DueQueue | undefined;
    let untilFreeMs = Number.POSITIVE_INFINITY;
    do {
      const except = { seqs: [...active.keys()], shares: fullShares() };
      const page = await store.due(now, pageSize, except, after);
      for (const queue of page) {
        const kind = kinds.get(queue.kind);
        if (!isRunning || !kind || active.has(queue.seq)) continue;
        const heldMs = leases.untilFreeMs(queue);
        if (heldMs > 0) untilFreeMs = Math.min(untilFreeMs, heldMs);
        if (heldMs > 0 || !places.canTake(queue.share)) continue;
        if (!(await leases.ensureAlive()) || !(await store.take(queue, holder))) continue;
        if (isRunning) begin(queue, kind);
        else await store.release(queue.seq, holder);
      }
      after = page.length === pageSize ? page.at(-1) : undefined;
    } while (after && isRunning && places.free() > 0);
    return untilFreeMs;
  };

  /** Queues that run for long, for example because their destinations hang, yield to queues that wait. */
  const yieldToWaiting = async (now: number): Promise<void> => {
    if (clock.monotonic() - askedAtMs < askEveryMs) return;
    askedAtMs = clock.monotonic();
    const waiting = await store.waiting(now);
    for (const one of queuesToYield([...active.values()], waiting, places, clock.monotonic())) {
      one.isYielding = true;
      end(one, 'finish');
    }
  };

  const noteClock = async (): Promise<void> => {
    const offsetMs = clock.now() - clock.monotonic();
    // At the first call, the jump may have happened before the start.
    const hasJumped = !(offsetMs > clockOffsetMs - clockJumpMs);
    clockOffsetMs = offsetMs;
    if (hasJumped) await store.pullBack(clock.now());
  };

  const lookOnce = async (): Promise<void> => {
    await noteClock();
    // All queries use one reading of the clock. With two, a queue that becomes due in between would be in neither result.
    const now = clock.now();
    const untilFreeMs = await takeDue(now);
    const isAnyFull = fullShares().length > 0;
    if (isAnyFull) await yieldToWaiting(now);
    const nextAt = await store.nextAt(now);
    const untilNextMs = nextAt === null ? Number.POSITIVE_INFINITY : Math.max(nextAt - clock.now(), 0);
    lookIn(Math.min(untilNextMs, untilFreeMs, isShared || isAnyFull ? sharedPollMs : maxSleepMs));
  };
  const lookIn = (ms: number): void => {
    clearTimeout(timer);
    if (isRunning) timer = setTimeout(look, ms).unref();
  };
  /** Looks for due queues. Never throws. */
  const look = (): void => {
    if (!isRunning) return;
    mustLookAgain = true;
    looking ??= (async () => {
      while (mustLookAgain && isRunning) {
        mustLookAgain = false;
        try {
          await lookOnce();
        } catch (error) {
          if (isRunning) onError(error);
          lookIn(retryAfterErrorMs);
        }
      }
      looking = undefined;
    })();
  };

  const activeOf = (kind: string, owner: string): Active | undefined =>
    [...active.values()].find(({ queue }) => queue.kind === kind && queue.owner === owner);

  return {
    /** Registers the work on queues of a kind. Call it before `start`. */
    register: (name: string, kind: QueueKind): void => void kinds.set(name, kind),

    /** Statements for the transaction of a queue's owner; call `wake` after it. They throw only errors of the database. */
    createQueueStatements: store.createQueueStatements,
    addItemsStatements: (kind: string, owner: string, items: readonly NewItem[]): InStatement[] =>
      store.addItemsStatements(kind, owner, items, clock.now()),
    addEventsStatement: (kind: string, owner: string, seqs: readonly number[], withTimes: boolean): InStatement =>
      store.addEventsStatement(kind, owner, seqs, clock.now(), withTimes),
    /** @param at epoch ms, default now: when the queue is due at the latest */
    wakeStatements: (kind: string, owner: string, at: number = clock.now()): InStatement[] =>
      store.addItemsStatements(kind, owner, [], at),
    /** Adds items as `addition` does, without making the queue due. */
    addItemsWithoutWakingStatements: (kind: string, owner: string, items: readonly NewItem[]): InStatement[] =>
      store.addItemsStatements(kind, owner, items, clock.now()).slice(0, -1),
    /** Statements for a person's decisions about single items, by `seq`. */
    reopenItemsStatements: (items: readonly number[]): InStatement[] => store.reopenItemsStatements(items, clock.now()),
    removeItemsStatements: (items: readonly number[]): InStatement[] => store.removeItemsStatements(items, clock.now()),
    removeQueueStatements: store.removeQueueStatements,
    pauseStatements: (kind: string, owner: string): InStatement[] => store.pauseStatements(kind, owner, clock.now()),
    resumeStatements: (kind: string, owner: string): InStatement[] => store.pauseStatements(kind, owner, null),

    /** Call it after items were added. A worker of the queue finds them, or releases the queue as due. */
    added(kind: string, owner: string): void {
      const one = activeOf(kind, owner);
      if (one) one.worker?.added();
      else look();
    },
    /** Call it after items were changed or a queue was resumed. */
    wake(kind: string, owner: string): void {
      activeOf(kind, owner)?.worker?.wake();
      look();
    },
    /** Call it after a queue was paused: nothing more starts; in other processes, within seconds. */
    finish: (kind: string, owner: string): void => end(activeOf(kind, owner), 'finish'),
    /** Call it after a queue was removed or cancelled: running attempts are aborted, too. */
    abort: (kind: string, owner: string): void => end(activeOf(kind, owner), 'abort'),

    /** Call it once the database is open, and then `start`. */
    async prepare(): Promise<void> {
      // This is the only process that uses the database, so the previous holders of these queues are gone.
      if (!isShared) await store.releaseAll();
    },
    start(): void {
      isRunning = true;
      if (isShared) leases.start();
      look();
    },
    /** Aborts running attempts, writes the known results, and releases the queues. */
    async stop(): Promise<void> {
      isRunning = false;
      clearTimeout(timer);
      leases.stop();
      for (const one of active.values()) end(one, 'abort');
      await Promise.allSettled([...ending, looking]);
    },
    /** For tests: resolves when nothing is running and nothing is due. */
    async idle(): Promise<void> {
      look();
      while (looking || active.size > 0) await new Promise(resolve => setTimeout(resolve, 1));
    },
  };
}

const wait = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms));

async function sleep(ms: number, isWanted: () => boolean): Promise<void> {
  const stepMs = 50;
  for (let waited = 0; waited < ms && isWanted(); waited += stepMs) await wait(stepMs);
}
