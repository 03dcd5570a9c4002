/*
 * Works on one queue while this process holds it: fetches due items, starts them as concurrency, pace and the destination allow,
 * and writes the results. Only a few items are in memory, however many are due.
 */
import type { Clock } from '../../core/clock.ts';
import type { Semaphore } from '../../core/concurrency/semaphore.ts';
import type { Queue, QueueItem, QueueWork, WorkResult } from './queue.ts';
import { createResultWriter } from './result-writer.ts';
import type { QueuesStore } from './store.ts';

export type Worker = ReturnType<typeof startWorker>;

export type WorkerOptions = {
  queue: Queue;
  work: QueueWork;
  store: Pick<QueuesStore, 'dueItems' | 'writeResults'>;
  holder: string;
  clock: Clock;
  destinations: Semaphore;
  /** Waits a little while deliveries are being committed. @returns whether this process may still send */
  beforeStart: () => Promise<boolean>;
  onError: (error: unknown) => void;
};

/** The most items of one read. */
const maxFetched = 64;
/** After an error of the kind's own code: twice as long after each further error, for about four hours altogether. */
const retryAfterErrorMs = 60_000;
const maxRetryAfterErrorMs = 3_600_000;
const maxErrors = 10;
/** While items are running, due items are read at least this often. */
const lookAgainMs = 1000;
const writeAgainMs = 1000;
/** The pause while other queues use all places of the destination, because their end is not reported. */
const destinationBusyMs = 50;
/** The longest time of a timer (2^31 - 1 ms). */
const maxTimerMs = 2_147_483_647;

export function startWorker(options: WorkerOptions) {
  const { queue, work, store, holder, clock, destinations, beforeStart, onError } = options;
  const aborting = new AbortController();
  const { signal } = aborting;
  const underWay = new Map<number, Promise<void>>();
  /** A person may have removed a running item; even so, the next item of its lane must wait for its end. */
  const lanesUnderWay = new Set<string>();
  let fetched: QueueItem[] = [];
  /** How often it was woken: items fetched before may have been settled or removed. */
  let wakes = 0;
  let isFinishing = false;
  let change = Promise.withResolvers<void>();

  const changed = (): void => {
    change.resolve();
    change = Promise.withResolvers();
  };
  const waitForChange = async (ms: number): Promise<void> => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const timeout = new Promise<void>(resolve => {
      timer = setTimeout(resolve, ms).unref();
    });
    await Promise.race([change.promise, timeout]);
    clearTimeout(timer);
  };

  const queueLost = new Error('another process works on the queue now; the results of this one were not written');
  const writer = createResultWriter(
    async results => {
      if (!(await store.writeResults(queue.seq, holder, results, clock.now()))) throw queueLost;
    },
    async error => {
      if (error === queueLost || signal.aborted) return false;
      onError(error);
      await waitForChange(writeAgainMs);
      return true;
    },
  );
  const attempt = async (item: QueueItem): Promise<WorkResult> => {
    try {
      return await work.work(item, signal);
    } catch (error) {
      if (signal.aborted) return { kind: 'interrupted' };
      onError(error);
      const errors = item.errors + 1;
      if (errors >= maxErrors)
        return work.giveUp(item, `internal error, ${maxErrors} times: see the log of the server`);
      const inMs = Math.min(retryAfterErrorMs * 2 ** item.errors, maxRetryAfterErrorMs);
      return { kind: 'retry', inMs, status: null, error: 'internal error', errors };
    }
  };
  const start = (item: QueueItem, release: () => void): void => {
    const lane = laneOf(item);
    if (lane !== undefined) lanesUnderWay.add(lane);
    const running = attempt(item)
      .then(async result => {
        release();
        try {
          await writer.write({ item, result });
        } catch (error) {
          await work.onLost?.(item, result);
          throw error;
        }
        work.onWritten?.(item, result);
      })
      // Another process holds the queue, or the server stops: the item will be attempted again.
      .catch(error => {
        if (!signal.aborted) onError(error);
      })
      .finally(() => {
        underWay.delete(item.seq);
        if (lane !== undefined) lanesUnderWay.delete(lane);
        changed();
      });
    underWay.set(item.seq, running);
  };

  /** Starts the next item, or waits until one may start. @returns false if nothing is left to do */
  const advance = async (): Promise<boolean> => {
    const looked = change.promise;
    if ((work.restMs?.() ?? 0) > 0) {
      if (underWay.size > 0) await Promise.race([looked, waitForChange(lookAgainMs)]);
      return underWay.size > 0;
    }
    if (fetched.length === 0) {
      const wakesBefore = wakes;
      const held = { queue: queue.seq, holder, now: clock.now() };
      const due = await store.dueItems(held, [...underWay.keys()], maxFetched);
      if (wakes !== wakesBefore) return true;
      fetched = due;
    }
    const item = fetched.find(one => !lanesUnderWay.has(laneOf(one) ?? ''));
    if (isFinishing) return false;
    if (!item) {
      if (underWay.size === 0) return false;
      // Items that wait for their lane are fetched again, together with newly due ones.
      fetched = [];
      await Promise.race([looked, waitForChange(lookAgainMs)]);
      return true;
    }
    const waitMs = underWay.size >= work.concurrency() ? lookAgainMs : (work.startInMs?.(item) ?? 0);
    const release = waitMs > 0 ? undefined : destinations.tryAcquire(work.destination());
    if (!release) {
      await waitForChange(waitMs > 0 ? Math.min(waitMs, maxTimerMs) : destinationBusyMs);
      return true;
    }
    const mayStart = await beforeStart();
    if (!mayStart || isFinishing || !fetched.includes(item)) release();
    else {
      fetched = fetched.filter(one => one !== item);
      start(item, release);
    }
    if (!mayStart) finish();
    return true;
  };

  const run = async (): Promise<void> => {
    try {
      while (!isFinishing && (await advance()));
    } finally {
      // This waits after an error, too, because the queue must not be released earlier.
      await Promise.all(underWay.values());
    }
  };
  const finish = (): void => {
    isFinishing = true;
    changed();
  };
  return {
    /** Resolves when nothing is running, and nothing is due or the worker was stopped. */
    done: run(),
    /** Reads due items again, and asks `work` again whether one may start. */
    wake: (): void => {
      wakes++;
      fetched = [];
      changed();
    },
    /** Call it after items were added and nothing else changed. Items that were already fetched are kept and go first. */
    added: changed,
    /** Starts nothing more. */
    finish,
    /** Starts nothing more, and aborts running attempts. */
    abort: (): void => {
      aborting.abort();
      finish();
    },
  };
}

const laneOf = ({ lane }: QueueItem): string | undefined => (lane ? Buffer.from(lane).toString('latin1') : undefined);
