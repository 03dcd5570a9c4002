/*
 * Filing: acknowledged groups become rows, in the order of their row numbers, in large transactions of the writer thread. It may lag
 * behind by a bounded backlog; whoever reads events waits until everything that was acknowledged before is a row.
 *
 * While filing fails (a full disk), capture stops at once, so that the backlog stays as small as it is, readers see what is filed,
 * and filing is tried again until it succeeds.
 */
import { unavailable } from '../../core/errors.ts';
import type { PackedRows } from '../store.ts';
import { newSlot, type Slot } from './filing-slot.ts';
import type { GroupLocation } from './journal.ts';

/** What the writer thread files: a group of the journal, or rows of an import, from the row number `first` on. */
export type FilingWork = { group: GroupLocation } | { rows: PackedRows; first: number };

/** `isRetry`: an earlier attempt failed or was cut off, perhaps in an earlier process, and nobody knows how far it came. */
export type FilingJob = { work: FilingWork[]; isRetry: boolean };

/** What became of work that is not rows now. */
export type FilingReport = {
  /** Groups that the disk does not return as they were written. */
  damaged: GroupLocation[];
  /** Deliveries that the database refuses; each is kept in the file `path`. */
  setAside: { seq: number; path: string; message: string; code: string }[];
  /** Rows of imports that the database refuses, by their index in the job. */
  refused: { index: number; message: string; code: string }[];
};

/** Row numbers that have been given out. They become rows after all earlier ones. */
export type Reservation = {
  first: number;
  /** The work can be filed. Resolves once it is rows. @throws the database's error for rows that it refuses */
  ready: (work: FilingWork, bytes: number) => Promise<void>;
  /** There will be no such rows. */
  cancel: () => void;
};

/** Somebody who reads once the events up to `upTo` are rows, or filing fails. */
type Reader = { upTo: number; resolve: (areRows: boolean) => void };

export type FilingOptions = {
  /** Files all of it in one transaction, or nothing. */
  run: (job: FilingJob) => Promise<FilingReport>;
  /** The highest row number that was ever stored or acknowledged. */
  lastSeq: number;
  /** Groups that an earlier process acknowledged and did not file. */
  recovered: readonly GroupLocation[];
  /** A group became rows. */
  onFiled: (group: GroupLocation) => void;
  /** Called when acknowledged deliveries could not become rows. */
  onLost: (report: Omit<FilingReport, 'refused'>) => void;
  /** An attempt failed. @returns whether it freed space, and the next attempt may succeed at once */
  onFailure: (error: unknown) => boolean;
  /** Filing works again. @throws when capture must not go on yet */
  onRecovered: () => Promise<void>;
  /** After `onRecovered`: capture and readers go on as usual. */
  onHealed?: () => void;
  monotonic: () => number;
  limits?: Partial<typeof defaultLimits>;
};

const defaultLimits = {
  /** Of one transaction. */
  maxRows: 1024,
  maxBytes: 4 << 20,
  /**
   * Less than this waits for more, unless somebody reads: a burst is acknowledged without filing beside it, and a steady trickle
   * makes few transactions, which spares flash storage.
   */
  minRows: 16_384,
  minBytes: 64 << 20,
  lingerMs: 1000,
  /** Beyond this backlog capture waits for filing. */
  maxBacklogBytes: 256 << 20,
  maxBacklogRows: 65_536,
  retryMs: 500,
};

export type Filing = ReturnType<typeof createFiling>;

export function createFiling(options: FilingOptions) {
  const { run, onFiled, onLost, onFailure, onRecovered, onHealed, monotonic } = options;
  const limits = { ...defaultLimits, ...options.limits };
  let nextSeq = options.lastSeq + 1;
  const slots: Slot[] = options.recovered.map(group => ({
    ...newSlot(group.first, group.count),
    work: { group },
    bytes: group.bytes,
    readyAt: monotonic(),
  }));
  let backlogRows = sum(slots, ({ count }) => count);
  let backlogBytes = sum(slots, ({ bytes }) => bytes);
  let running: Promise<void> | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let failure: Error | undefined;
  /** After a row error events are stored one by one, and the earlier process may have ended in the middle of a group. */
  let mayBeFiledInPart = slots.length > 0;
  /** The next attempt is not made at once, and readers do not wait for it. */
  let isStuck = false;
  let isStopped = false;
  let readers: Reader[] = [];
  const roomWaiters: PromiseWithResolvers<void>[] = [];

  const isFull = (): boolean => backlogBytes > limits.maxBacklogBytes || backlogRows > limits.maxBacklogRows;

  /** The slots that come next and are ready. */
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
      if (slot.work && 'group' in slot.work) onFiled(slot.work.group);
      slot.filed.resolve();
    }
    const last = taken.at(-1);
    const filedSeq = last ? last.first + last.count - 1 : 0;
    const served = readers.filter(({ upTo }) => upTo <= filedSeq);
    readers = readers.filter(({ upTo }) => upTo > filedSeq);
    for (const { resolve } of served) resolve(true);
    if (!isFull()) for (const { resolve } of roomWaiters.splice(0)) resolve();
  };

  const fail = (error: unknown): boolean => {
    failure = error as Error;
    for (const { reject } of roomWaiters.splice(0)) reject(refusal());
    if (onFailure(error)) return true;
    isStuck = true;
    for (const { resolve } of readers.splice(0)) resolve(false);
    refuseRows(failure);
    return false;
  };

  /** Imports are told instead of kept waiting; their rows are only in memory, and what was stored of them is found by the next one. */
  const refuseRows = (error: Error): void => {
    for (const slot of slots.filter(({ work }) => work && 'rows' in work)) {
      slots.splice(slots.indexOf(slot), 1);
      backlogRows -= slot.count;
      backlogBytes -= slot.bytes;
      slot.filed.reject(error);
    }
  };

  const refusal = () => unavailable('the deliveries before this one cannot be stored, try again', 5);

  /** Files until nothing is ready, and after a failure until capture may go on. */
  const fileAll = async (): Promise<void> => {
    for (;;) {
      const taken = takeReady();
      try {
        if (taken.length > 0) {
          const work = taken.flatMap(slot => slot.work ?? []);
          finish(taken, await run({ work, isRetry: failure !== undefined || mayBeFiledInPart }));
          mayBeFiledInPart = false;
          continue;
        }
        if (failure) await onRecovered();
        const hasHealed = isStuck;
        isStuck = false;
        failure = undefined;
        if (hasHealed) onHealed?.();
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
      // What became ready after the last look and before this.
      if (takeReady().length > 0) schedule();
    });
  };

  /** More is unfiled than filing lets wait for others. */
  const isBehind = (): boolean => backlogRows >= limits.minRows || backlogBytes >= limits.minBytes;

  /** Files now if there is enough to do, else soon. */
  const schedule = (): void => {
    if (running || failure) return;
    if (readers.length > 0 || isBehind()) start();
    else timer ??= setTimeout(start, limits.lingerMs);
  };

  const filed = (): Promise<boolean> | undefined => {
    if (isStuck) return undefined;
    const last = slots.findLast(({ work }) => work !== undefined);
    if (!last) return undefined;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    readers.push({ upTo: last.first + last.count - 1, resolve });
    start();
    return promise;
  };

  if (slots.length > 0) start();

  return {
    /** Gives out the next `count` row numbers. */
    reserve(count: number): Reservation {
      const slot = newSlot(nextSeq, count);
      nextSeq += count;
      slots.push(slot);
      return {
        first: slot.first,
        ready: (work, bytes) => {
          slot.work = work;
          slot.bytes = bytes;
          slot.readyAt = monotonic();
          backlogRows += count;
          backlogBytes += bytes;
          // An import waits for its rows.
          if ('rows' in work && !failure) start();
          else schedule();
          return slot.filed.promise;
        },
        cancel: () => {
          slots.splice(slots.indexOf(slot), 1);
          if (slots[0]?.work) schedule();
        },
      };
    },

    /**
     * Resolves when everything that was acknowledged before this call is a row; undefined when it is already. While filing fails,
     * it does not wait: then reads show what is filed.
     */
    filed,

    /** Whether everything that was acknowledged before this call is a row, once that is known; false while filing fails. */
    areAllFiled: async (): Promise<boolean> => !isStuck && ((await filed()) ?? true),

    /** Whether the event with this row number was acknowledged and cannot be read yet. */
    isUnfiled: (seq: number): boolean =>
      slots.some(({ work, first, count }) => work !== undefined && seq >= first && seq < first + count),

    isBehind,

    /** Resolves when another group may be acknowledged. @throws unavailable while filing fails */
    async room(): Promise<void> {
      if (failure) throw refusal();
      if (!isFull()) return;
      start();
      const waiter = Promise.withResolvers<void>();
      roomWaiters.push(waiter);
      await waiter.promise;
    },

    /** What is acknowledged and not filed. `ageMs`: of the oldest group. */
    backlog: (): { rows: number; bytes: number; ageMs: number } => {
      const oldest = slots[0];
      const ageMs = oldest?.work ? Math.max(0, monotonic() - oldest.readyAt) : 0;
      return { rows: backlogRows, bytes: backlogBytes, ageMs };
    },

    /** Filing will not work again in this process: no more deliveries are accepted. */
    giveUp(error: Error): void {
      isStopped = true;
      fail(error);
    },

    /** Why filing has stopped; undefined while it works. */
    failure: (): Error | undefined => failure,

    /** Files what is left, once: what cannot be filed now stays in the journal. */
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
