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

/** How often other processes' additions are looked for. */
const sharedPollMs = 2000;
/** The wall clock may jump forward, or a queue may have become due without a call: its items are late by this at most. */
const maxSleepMs = 30_000;
/** How many queues are worked on at once. A share that is alone gets 150 places, and 25 shares always find four places each. */
const defaultPlaces: FairSharesOptions = { total: 400, reserved: 100, assured: 4 };
/** Due queues that are read together. */
const pageSize = 200;
/** How often queues are asked to yield, at most: counting the ones that wait takes time when they are thousands. */
const askEveryMs = 1000;
const maxPerDestination = 32;
const retryAfterErrorMs = 5000;
/** The wall clock has gone back by more than any correction of seconds. */
const clockJumpMs = 60_000;

/** `worker`: undefined while the queue is being opened. `ended`: how the worker is to be ended, also one that does not exist yet. */
type Active = Running & { queue: DueQueue; worker: Worker | undefined };

export type QueuesOptions = {
  store: QueuesStore;
  /** Random, of this process. */
  holder: string;
  clock: Clock;
  /** Other processes may use the same database. */
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
    // Work that somebody else ended may have old settings: the next one decides whether to rest.
    const restMs = isOwnEnd ? (opened.restMs?.() ?? 0) : 0;
    // After its turn, queues that wait go first.
    await store.release(queue.seq, holder, restMs > 0 || one.isYielding ? clock.now() + restMs : 0);
  };
  const begin = (queue: DueQueue, kind: QueueKind): void => {
    // In the map at once, so that it is not begun twice.
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
  /** Takes due queues while there are places for them. */
  const takeDue = async (now: number): Promise<void> => {
    let after: DueQueue | undefined;
    do {
      const except = { seqs: [...active.keys()], shares: fullShares() };
      const page = await store.due(now, pageSize, except, after);
      for (const queue of page) {
        const kind = kinds.get(queue.kind);
        if (!isRunning || !kind || active.has(queue.seq) || !leases.isAbandoned(queue)) continue;
        if (!places.canTake(queue.share) || !(await store.take(queue, holder))) continue;
        if (isRunning) begin(queue, kind);
        else await store.release(queue.seq, holder);
      }
      after = page.length === pageSize ? page.at(-1) : undefined;
    } while (after && isRunning && places.free() > 0);
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
    // The first time, the jump may have been before the start.
    const hasJumped = !(offsetMs > clockOffsetMs - clockJumpMs);
    clockOffsetMs = offsetMs;
    if (hasJumped) await store.pullBack(clock.now());
  };

  const lookOnce = async (): Promise<void> => {
    await noteClock();
    // After a long pause of this process, others have to hear of it before it takes anything.
    if (!leases.isAlive()) await leases.beat();
    // One time for all questions, or a queue that becomes due in between is in no answer.
    const now = clock.now();
    await takeDue(now);
    const isAnyFull = fullShares().length > 0;
    if (isAnyFull) await yieldToWaiting(now);
    const nextAt = await store.nextAt(now);
    const untilNextMs = nextAt === null ? Number.POSITIVE_INFINITY : Math.max(nextAt - clock.now(), 0);
    lookIn(Math.min(untilNextMs, isShared || isAnyFull ? sharedPollMs : maxSleepMs));
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
    /** Says how queues of a kind are worked on. Before `start`. */
    register: (name: string, kind: QueueKind): void => void kinds.set(name, kind),

    /** Statements for the transaction of a queue's owner; call `wake` after it. Their errors are the database's. */
    creation: store.creation,
    addition: (kind: string, owner: string, items: readonly NewItem[]): InStatement[] =>
      store.addition(kind, owner, items, clock.now()),
    eventAddition: (kind: string, owner: string, seqs: readonly number[], withTimes: boolean): InStatement =>
      store.eventAddition(kind, owner, seqs, clock.now(), withTimes),
    /** @param at epoch ms, default now: when the queue is due at the latest */
    wakening: (kind: string, owner: string, at: number = clock.now()): InStatement[] =>
      store.addition(kind, owner, [], at),
    /** Adds items as `addition` does, without making the queue due. */
    silentAddition: (kind: string, owner: string, items: readonly NewItem[]): InStatement[] =>
      store.addition(kind, owner, items, clock.now()).slice(0, -1),
    /** A person's decisions about single items, by `seq`. */
    reopening: (items: readonly number[]): InStatement[] => store.reopening(items, clock.now()),
    dropping: (items: readonly number[]): InStatement[] => store.dropping(items, clock.now()),
    removal: store.removal,
    pausing: (kind: string, owner: string): InStatement[] => store.pausing(kind, owner, clock.now()),
    resuming: (kind: string, owner: string): InStatement[] => store.pausing(kind, owner, null),

    /** After items were added. A worker of the queue finds them, or gives the queue back as due. */
    added(kind: string, owner: string): void {
      const one = activeOf(kind, owner);
      if (one) one.worker?.added();
      else look();
    },
    /** After items were changed, or a queue goes on. */
    wake(kind: string, owner: string): void {
      activeOf(kind, owner)?.worker?.wake();
      look();
    },
    /** After a queue was paused: nothing more starts. Of another process: within seconds. */
    finish: (kind: string, owner: string): void => end(activeOf(kind, owner), 'finish'),
    /** After a queue was removed or cancelled: attempts in progress are aborted, too. */
    abort: (kind: string, owner: string): void => end(activeOf(kind, owner), 'abort'),

    /** Call it once the database is open, and then `start`. */
    async prepare(): Promise<void> {
      // Nobody else has the database, so the processes that had these queues are gone.
      if (!isShared) await store.releaseAll();
    },
    start(): void {
      isRunning = true;
      if (isShared) leases.start();
      look();
    },
    /** Aborts attempts in progress, writes the known results, and gives the queues back. */
    async stop(): Promise<void> {
      isRunning = false;
      clearTimeout(timer);
      leases.stop();
      for (const one of active.values()) end(one, 'abort');
      await Promise.allSettled([...ending, looking]);
    },
    /** For tests: resolves when nothing is under way and nothing that is due waits. */
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
