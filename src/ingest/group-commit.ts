/*
 * Group commit: items that arrive during a commit form the next group, and one fsync serves the whole group. The queue is bounded in
 * rows and bytes; beyond it, items are refused with `overloaded`, and the sender retries.
 *
 * With a store in another thread, several groups can be in flight: otherwise the store's thread would be idle between two
 * commits, until this thread learns that the first has ended. The store commits all waiting groups together.
 */
import { AppError, tooLarge, unavailable } from '../core/errors.ts';

export type GroupCommitOptions<Item, Stored> = {
  /** Stores all items in order, or none. A promise in the result delays only that item's response. */
  insert: (items: readonly Item[]) => Promise<readonly (Stored | Promise<Stored>)[]>;
  bytesOf: (item: Item) => number;
  /** Called for each failed commit, with the number of refused items. */
  onFailure: (error: unknown, refused: number) => void;
  /** Limits of one group. */
  maxRows?: number;
  maxBytes?: number;
  /** How many groups may be in flight; more than one only if `insert` stores all waiting groups in one commit. */
  maxGroups?: number;
  maxQueued?: number;
  maxQueuedBytes?: number;
};

/** While another group is in flight, a smaller group than this waits for more items. */
const minConcurrentRows = 16;

/** The code of an error in encoding a row: nothing of its commit was stored. */
export const rowErrorCode = 'ROW_INVALID';

/**
 * Whether a single row caused the error, and nothing of the commit was stored: then the other rows can be stored one by one.
 * Other errors come from the storage and would only repeat. Without a code it is unknown how far the commit got, and a retry
 * could store rows twice.
 */
export const isRowError = (error: unknown): boolean => {
  const { code } = error as { code?: unknown };
  return code === rowErrorCode || /^(?:SQLITE_(?:CONSTRAINT|TOOBIG|MISMATCH)|ARGS_INVALID)/.test(String(code));
};

/** A value over SQLite's own limit, or over the `max_row_size` of a libSQL server. */
const isTooBig = (error: unknown): boolean => isRowError(error) && /too big/.test((error as Error).message);

const isTimeout = (error: unknown): boolean => (error as { code?: unknown }).code === 'TIMEOUT';

export function createGroupCommit<Item, Stored>(options: GroupCommitOptions<Item, Stored>) {
  type Queued = Omit<PromiseWithResolvers<Stored>, 'promise'> & { item: Item; bytes: number };
  const { insert, bytesOf, onFailure } = options;
  const { maxRows = 128, maxBytes = 8 << 20, maxGroups = 1, maxQueued = 4096, maxQueuedBytes = 256 << 20 } = options;
  let queue: Queued[] = [];
  let queuedBytes = 0;
  let groupsInFlight = 0;
  let inFlight = 0;
  let inFlightBytes = 0;
  let isScheduled = false;
  const idleWaiters: (() => void)[] = [];
  let added = 0;
  /** The number of the first item of each group in flight. */
  const firstsInFlight = new Set<number>();
  let settledWaiters: { before: number; resolve: () => void }[] = [];

  const oldest = (): number => Math.min(added - queue.length, ...firstsInFlight);
  const tellSettled = (): void => {
    const from = oldest();
    for (const { resolve } of settledWaiters.filter(({ before }) => before <= from)) resolve();
    settledWaiters = settledWaiters.filter(({ before }) => before > from);
  };

  const takeGroup = (): { group: Queued[]; bytes: number } => {
    let bytes = 0;
    let count = 0;
    for (const queued of queue) {
      if (count > 0 && (count >= maxRows || bytes + queued.bytes > maxBytes)) break;
      bytes += queued.bytes;
      count++;
    }
    const group = queue.slice(0, count);
    queue = queue.slice(count);
    queuedBytes -= bytes;
    return { group, bytes };
  };

  const takeQueue = (): Queued[] => {
    const all = queue;
    queue = [];
    queuedBytes = 0;
    return all;
  };

  /** Never rejects. If storage does not answer in time, waiting items are refused. @returns a function that settles the items */
  const commit = async (group: readonly Queued[]): Promise<() => void> => {
    try {
      const stored = await insert(group.map(({ item }) => item));
      return () => {
        for (const [i, { resolve }] of group.entries()) resolve(stored[i] as Stored | Promise<Stored>);
      };
    } catch (error) {
      // A row that the database refuses must not fail the others.
      return group.length > 1 && isRowError(error) ? commitEach(group) : refuse(group, error);
    }
  };

  const commitEach = async (group: readonly Queued[]): Promise<() => void> => {
    const settleEach: (() => void)[] = [];
    for (const [i, { item, resolve }] of group.entries()) {
      try {
        const [stored] = await insert([item]);
        settleEach.push(() => resolve(stored as Stored | Promise<Stored>));
      } catch (error) {
        // Each of the following items would wait as long again.
        const isLast = isTimeout(error);
        settleEach.push(refuse(isLast ? group.slice(i) : group.slice(i, i + 1), error));
        if (isLast) break;
      }
    }
    return () => {
      for (const settle of settleEach) settle();
    };
  };

  const refuse = (group: readonly Queued[], error: unknown): (() => void) => {
    // The waiting items would wait as long again, and the storage might store them after their senders were refused.
    const refused = isTimeout(error) ? [...group, ...takeQueue()] : group;
    onFailure(error, refused.length);
    const refusal = isTooBig(error)
      ? tooLarge('the delivery is larger than the database accepts')
      : unavailable('the delivery could not be stored, try again', 5, error);
    return () => {
      for (const { reject } of refused) reject(refusal);
    };
  };

  // A single item may exceed the limit of a group: then nothing else is in flight with it.
  const isFull = (): boolean => groupsInFlight >= maxGroups || inFlightBytes >= maxGroups * maxBytes;
  const maySend = (): boolean =>
    queue.length > 0 && (groupsInFlight === 0 || (!isFull() && queue.length >= minConcurrentRows));

  const send = (): void => {
    isScheduled = false;
    while (maySend()) {
      const first = added - queue.length;
      const { group, bytes } = takeGroup();
      firstsInFlight.add(first);
      groupsInFlight++;
      inFlight += group.length;
      inFlightBytes += bytes;
      void commit(group).then(settle => {
        groupsInFlight--;
        inFlight -= group.length;
        inFlightBytes -= bytes;
        // The next group is sent before the senders of this one are answered, so that the disk is never idle.
        send();
        settle();
        firstsInFlight.delete(first);
        if (settledWaiters.length > 0) tellSettled();
        if (groupsInFlight === 0) for (const resolve of idleWaiters.splice(0)) resolve();
      });
    }
  };

  return {
    /** Resolves once it is on disk. @throws unavailable if storage fails, overloaded, too_large if it will never be accepted */
    add: (item: Item): Promise<Stored> => {
      const bytes = bytesOf(item);
      if (queue.length >= maxQueued || (queue.length > 0 && queuedBytes + bytes > maxQueuedBytes))
        return Promise.reject(
          new AppError('overloaded', 'too many concurrent deliveries, try again', { retryAfterSeconds: 1 }),
        );
      const { promise, resolve, reject } = Promise.withResolvers<Stored>();
      queue.push({ item, bytes, resolve, reject });
      added++;
      queuedBytes += bytes;
      // After everything that arrives in this event loop iteration. A microtask would be too early: microtasks run between two
      // connections, and the first delivery of each iteration would get its own commit.
      if (!isScheduled && maySend()) {
        isScheduled = true;
        setImmediate(send);
      }
      return promise;
    },
    /** The number of items that are waiting or being committed. */
    depth: (): number => queue.length + inFlight,
    /** Resolves once no item is waiting or being committed. */
    idle: (): Promise<void> =>
      groupsInFlight > 0 || queue.length > 0
        ? new Promise<void>(resolve => idleWaiters.push(resolve))
        : Promise.resolve(),
    /** Resolves once all items that were added before are settled. */
    settled: (): Promise<void> =>
      oldest() >= added
        ? Promise.resolve()
        : new Promise<void>(resolve => settledWaiters.push({ before: added, resolve })),
  };
}
