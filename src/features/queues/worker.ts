/*
 * Works on one queue while this process has it: fetches due items, starts them as concurrency, pace and the destination allow, and
 * writes the results. Only a few items are in memory, however many are due.
 */
import type { Clock } from '../../core/clock.ts';
import type { Semaphore } from '../../core/concurrency/semaphore.ts';
import type { Queue, QueueItem, QueueWork, WorkResult } from './queue.ts';
import { createResultWriter } from './result-writer.ts';
import type { QueuesStore } from './store.ts';

export type Worker = {
  /** Resolves when nothing is due or the worker was ended, and nothing is under way. */
  done: Promise<void>;
  /** Looks for due items again, and asks `work` again whether it may start. */
  wake: () => void;
  /** Starts nothing more. */
  finish: () => void;
  /** The same, and aborts attempts in progress. */
  abort: () => void;
};

export type WorkerOptions = {
  queue: Queue;
  work: QueueWork;
  store: Pick<QueuesStore, 'dueItems' | 'writeResults' | 'holds'>;
  holder: string;
  clock: Clock;
  destinations: Semaphore;
  /** Waits a little while deliveries are being committed. @returns whether this process may still send */
  beforeStart: () => Promise<boolean>;
  onError: (error: unknown) => void;
};

/** How many items are fetched at once. */
const maxFetched = 64;
/** After an error of the kind's own code. */
const retryAfterErrorMs = 60_000;
/** While items are in progress, due items are looked for at least this often. */
const lookAgainMs = 1000;
const writeAgainMs = 1000;
/** Another queue sends to the same destination, and does not tell when it is done. */
const destinationBusyMs = 50;
/** The longest time that a timer takes (2^31 - 1 ms). */
const maxTimerMs = 2_147_483_647;

export function startWorker(options: WorkerOptions): Worker {
  const { queue, work, store, holder, clock, destinations, beforeStart, onError } = options;
  const aborting = new AbortController();
  const { signal } = aborting;
  const underWay = new Map<number, Promise<void>>();
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

  const writer = createResultWriter(
    results => store.writeResults(queue.seq, holder, results, clock.now()),
    async error => {
      const isHeld = await store.holds(queue.seq, holder).catch(() => true);
      if (!isHeld || signal.aborted) return false;
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
      return { kind: 'retry', inMs: retryAfterErrorMs, status: null, error: 'internal error' };
    }
  };
  const start = (item: QueueItem, release: () => void): void => {
    const running = attempt(item)
      .then(async result => {
        release();
        await writer.write({ item, result });
        work.onWritten?.(item, result);
      })
      // Another process has the queue, or the server stops: the item is worked on again.
      .catch(error => {
        if (!signal.aborted) onError(error);
      })
      .finally(() => {
        underWay.delete(item.seq);
        changed();
      });
    underWay.set(item.seq, running);
  };

  /** Starts the next item, or waits until that may be possible. @returns false when nothing is left to do */
  const advance = async (): Promise<boolean> => {
    const looked = change.promise;
    if ((work.restMs?.() ?? 0) > 0) {
      if (underWay.size > 0) await Promise.race([looked, waitForChange(lookAgainMs)]);
      return underWay.size > 0;
    }
    if (fetched.length === 0) {
      const wakesBefore = wakes;
      const due = await store.dueItems(queue.seq, clock.now(), [...underWay.keys()], maxFetched);
      if (wakes !== wakesBefore) return true;
      fetched = due;
    }
    const [item] = fetched;
    if (isFinishing) return false;
    if (!item) {
      if (underWay.size === 0) return false;
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
    if (!mayStart || isFinishing || fetched[0] !== item) release();
    else {
      fetched.shift();
      start(item, release);
    }
    if (!mayStart) finish();
    return true;
  };

  const run = async (): Promise<void> => {
    while (!isFinishing && (await advance()));
    await Promise.all(underWay.values());
  };
  const finish = (): void => {
    isFinishing = true;
    changed();
  };
  return {
    done: run(),
    wake: () => {
      wakes++;
      fetched = [];
      changed();
    },
    finish,
    abort: () => {
      aborting.abort();
      finish();
    },
  };
}
