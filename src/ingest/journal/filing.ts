/*
 * Filing: stores acknowledged groups as rows, in the order of their row numbers, in large transactions on the writer thread. It may
 * lag behind by a bounded backlog; reads wait until every delivery acknowledged before them is a row.
 *
 * While filing fails, for example on a full disk, capture refuses deliveries so that the backlog does not grow, reads return
 * the filed events, and filing is retried until it succeeds.
 */
import { unavailable } from '../../core/errors.ts';
import type { SigningSecret } from '../../platforms/engine/model.ts';
import { type AddedWork, type FilingWork, groupsIn, joinSlot, newSlot, runOf, type Slot } from './filing-slot.ts';
import type { GroupLocation } from './journal.ts';

/** The signing secrets of all endpoints, by row number. A change makes a new map. */
export type KnownSecrets = ReadonlyMap<number, readonly (SigningSecret & { createdAt: number })[]>;

/** `isRetry`: an earlier attempt may have stored some of it. `secrets`: only if they have changed since the last job. */
export type FilingJob = { work: FilingWork[]; isRetry: boolean; secrets?: KnownSecrets };

/** Work that could not be stored as rows. */
export type FilingReport = {
  damaged: GroupLocation[];
  /** Deliveries that the database refused; each is kept in the file `path`. */
  setAside: { seq: number; path: string; message: string; code: string }[];
  /** Rows of imports that the database refused, by their index in the job. */
  refused: { index: number; message: string; code: string }[];
};

/** A read that waits until the events up to `upTo` are filed, or until filing fails. */
type WaitingReader = { upTo: number; resolve: (areFiled: boolean) => void };

export type FilingOptions = {
  /** Files the complete job in one transaction, or nothing. */
  run: (job: FilingJob) => Promise<FilingReport>;
  /** The highest row number that was ever stored or acknowledged. */
  lastSeq: number;
  /** Groups that an earlier process acknowledged but did not file. */
  recovered: readonly GroupLocation[];
  onFiled: (group: GroupLocation) => void;
  /** Called when acknowledged deliveries could not be stored as rows. */
  onLost: (report: Omit<FilingReport, 'refused'>) => void;
  /** Called when an attempt failed. @returns whether it freed disk space, so that filing is retried at once */
  onFailure: (error: unknown) => boolean;
  /** Called when filing works again. @throws if capture must not resume yet */
  onRecovered: () => Promise<void>;
  /** Called after `onRecovered`, when capture and reads have resumed. */
  onHealed?: () => void;
  monotonic: () => number;
  limits?: Partial<FilingLimits>;
};

/** How much is filed at once, how long deliveries wait, and how far filing may lag behind capture. */
type FilingLimits = typeof defaultLimits;

const defaultLimits = {
  /** Limits of one transaction. */
  maxRows: 1024,
  maxBytes: 4 << 20,
  /** A smaller backlog waits up to `lingerMs`, unless a read is waiting: bursts are faster, and a trickle needs few transactions. */
  minRows: 16_384,
  minBytes: 64 << 20,
  lingerMs: 1000,
  /** The maximum backlog; beyond it, capture waits for filing. */
  maxBacklogBytes: 256 << 20,
  maxBacklogRows: 131_072,
  /** The maximum backlog for `readingMs` after a read that had to wait: while clients read, every read waits for the backlog. */
  maxBacklogRowsWhileReading: 32_768,
  readingMs: 10_000,
  retryMs: 500,
};

export type Filing = ReturnType<typeof createFiling>;

export function createFiling(options: FilingOptions) {
  const { run, onFiled, onLost, onFailure, onRecovered, onHealed, monotonic } = options;
  const limits = { ...defaultLimits, ...options.limits };
  let nextSeq = options.lastSeq + 1;
  const slots: Slot[] = [];
  /** Marks the last slot as ready, unless its group joins the slot before. @returns the slot that has the work */
  const makeReady = (slot: Slot, work: AddedWork, bytes: number): Slot => {
    const index = slots.lastIndexOf(slot);
    const before = slots[index - 1];
    if ('group' in work && before && joinSlot(before, work.group, limits)) {
      slots.splice(index, 1);
      return before;
    }
    return Object.assign(slot, {
      work: 'group' in work ? { run: runOf(work.group) } : work,
      bytes,
      readyAt: monotonic(),
    });
  };
  for (const group of options.recovered) {
    const slot = newSlot(group.first, group.count);
    slots.push(slot);
    makeReady(slot, { group }, group.bytes);
  }
  let backlogRows = sum(slots, ({ count }) => count);
  let backlogBytes = sum(slots, ({ bytes }) => bytes);
  let running: Promise<void> | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let failure: Error | undefined;
  /** An earlier process may have stopped while it stored the events of a group one by one after a row error. */
  let mayBePartlyFiled = slots.length > 0;
  /** Whether filing has failed and is not retried at once; then reads do not wait for it. */
  let isStalled = false;
  let isStopped = false;
  let readers: WaitingReader[] = [];
  /** Until this time, clients count as reading. */
  let readUntil = Number.NEGATIVE_INFINITY;
  const captureWaiters: PromiseWithResolvers<void>[] = [];

  const backlogLimit = (): number =>
    monotonic() < readUntil
      ? Math.min(limits.maxBacklogRowsWhileReading, limits.maxBacklogRows)
      : limits.maxBacklogRows;
  const isFull = (): boolean => backlogBytes > limits.maxBacklogBytes || backlogRows > backlogLimit();

  /** The next slots in order that are ready, up to the limits of one transaction. */
  const takeReady = (): Slot[] => {
    const taken: Slot[] = [];
    let [rows, bytes] = [0, 0];
    for (const slot of slots) {
      if (!slot.work) break;
      rows += slot.count;
      bytes += slot.bytes;
      if (taken.length > 0 && (rows > limits.maxRows || bytes > limits.maxBytes)) break;
      taken.push(slot);
    }
    return taken;
  };

  const finish = (taken: readonly Slot[], { refused, ...lost }: FilingReport): void => {
    slots.splice(0, taken.length);
    for (const { index, message, code } of refused)
      taken[index]?.filed.reject(Object.assign(new Error(message), { code }));
    if (lost.damaged.length + lost.setAside.length > 0) onLost(lost);
    for (const slot of taken) {
      backlogRows -= slot.count;
      backlogBytes -= slot.bytes;
      if (slot.work && 'run' in slot.work) groupsIn(slot.work.run).forEach(onFiled);
      slot.filed.resolve();
    }
    const last = taken.at(-1);
    const filedSeq = last ? last.first + last.count - 1 : 0;
    const served = readers.filter(({ upTo }) => upTo <= filedSeq);
    readers = readers.filter(({ upTo }) => upTo > filedSeq);
    for (const { resolve } of served) resolve(true);
    if (!isFull()) for (const { resolve } of captureWaiters.splice(0)) resolve();
  };

  const fail = (error: unknown): boolean => {
    failure = error as Error;
    for (const { reject } of captureWaiters.splice(0)) reject(refusal());
    if (onFailure(error)) return true;
    isStalled = true;
    for (const { resolve } of readers.splice(0)) resolve(false);
    refuseRows(failure);
    return false;
  };

  /** Imports fail instead of waiting, because their rows are only in memory. A repeated import detects the events already stored. */
  const refuseRows = (error: Error): void => {
    for (const slot of slots.filter(({ work }) => work && 'rows' in work)) {
      slots.splice(slots.indexOf(slot), 1);
      backlogRows -= slot.count;
      backlogBytes -= slot.bytes;
      slot.filed.reject(error);
    }
  };

  const refusal = () => unavailable('earlier deliveries could not be stored yet, try again', 5);

  /** Files until no work is ready and, after a failure, capture may resume. */
  const fileAll = async (): Promise<void> => {
    for (;;) {
      const taken = takeReady();
      try {
        if (taken.length > 0) {
          for (const slot of taken) slot.isTaken = true;
          const work = taken.flatMap(slot => slot.work ?? []);
          finish(taken, await run({ work, isRetry: failure !== undefined || mayBePartlyFiled }));
          mayBePartlyFiled = false;
          continue;
        }
        if (failure) await onRecovered();
        const hasRecovered = isStalled;
        isStalled = false;
        failure = undefined;
        if (hasRecovered) onHealed?.();
        if (takeReady().length === 0) return;
      } catch (error) {
        if (!fail(error)) return retryLater();
      }
    }
  };

  const retryLater = (): void => {
    if (isStopped) return;
    timer ??= setTimeout(start, limits.retryMs);
    timer.unref();
  };

  const start = (): void => {
    clearTimeout(timer);
    timer = undefined;
    running ??= fileAll().finally(() => {
      running = undefined;
      // Work may have become ready since the last check.
      if (takeReady().length > 0) schedule();
    });
  };

  /** Whether the backlog is large enough to be filed without waiting for more. */
  const isBehind = (): boolean => backlogRows >= limits.minRows || backlogBytes >= limits.minBytes;

  /** Files now if the backlog is large enough or a read is waiting, else after `lingerMs`. */
  const schedule = (): void => {
    if (running || failure) return;
    if (readers.length > 0 || isBehind()) start();
    else timer ??= setTimeout(start, limits.lingerMs);
  };

  const filed = (): Promise<boolean> | undefined => {
    if (isStalled) return undefined;
    const last = slots.findLast(({ work }) => work !== undefined);
    if (!last) return undefined;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    readers.push({ upTo: last.first + last.count - 1, resolve });
    readUntil = monotonic() + limits.readingMs;
    start();
    return promise;
  };

  if (slots.length > 0) start();

  return {
    /** Reserves row numbers. They are filed after all earlier ones. */
    reserve(count: number) {
      const slot = newSlot(nextSeq, count);
      nextSeq += count;
      slots.push(slot);
      return {
        first: slot.first,
        /** Allows the work to be filed. Resolves once it is stored as rows. @throws the database's error for refused rows */
        ready: (work: AddedWork, bytes: number): Promise<void> => {
          const { filed } = makeReady(slot, work, bytes);
          backlogRows += count;
          backlogBytes += bytes;
          // The import is waiting for its rows.
          if ('rows' in work && !failure) start();
          else schedule();
          return filed.promise;
        },
        /** These row numbers stay unused. */
        cancel: (): void => {
          slots.splice(slots.indexOf(slot), 1);
          if (slots[0]?.work) schedule();
        },
      };
    },

    /** Resolves once all that was acknowledged before is a row; undefined if it is already so, and while filing fails. */
    filed,

    /** Waits like `filed`. @returns whether every delivery acknowledged before this call is a row; false while filing fails */
    areAllFiled: async (): Promise<boolean> => !isStalled && ((await filed()) ?? true),

    /** Whether the event with this row number is acknowledged but not filed yet. */
    isUnfiled: (seq: number): boolean =>
      slots.some(({ work, first, count }) => work !== undefined && seq >= first && seq < first + count),

    isBehind,

    /** Resolves when the backlog has space for another group. @throws unavailable while filing fails */
    async waitForCapacity(): Promise<void> {
      if (failure) throw refusal();
      if (!isFull()) return;
      start();
      const waiter = Promise.withResolvers<void>();
      captureWaiters.push(waiter);
      await waiter.promise;
    },

    /** The deliveries that are acknowledged but not filed. `ageMs`: age of the oldest group. */
    backlog: (): { rows: number; bytes: number; ageMs: number } => {
      const oldest = slots[0];
      const ageMs = oldest?.work ? Math.max(0, monotonic() - oldest.readyAt) : 0;
      return { rows: backlogRows, bytes: backlogBytes, ageMs };
    },

    /** Stops filing for the rest of the process: no more deliveries are accepted. */
    giveUp(error: Error): void {
      isStopped = true;
      fail(error);
    },

    /** The error that stopped filing; undefined while it works. */
    failure: (): Error | undefined => failure,

    /** Files the rest, without retries: groups that cannot be filed stay in the journal. */
    async drain(): Promise<void> {
      isStopped = true;
      do {
        start();
        await running;
      } while (takeReady().length > 0 && !failure);
      clearTimeout(timer);
    },
  };
}

const sum = <T>(all: readonly T[], of: (one: T) => number): number => all.reduce((total, one) => total + of(one), 0);
