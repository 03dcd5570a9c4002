/*
 * Group commit: what arrives while a commit is running forms the next one. One fsync then answers for all of them. The
 * queue is bounded in rows and bytes; beyond it the sender is asked to come back, which loses nothing.
 *
 * A store in a thread of its own would stand still between two commits, until this thread comes to hear of the first one's
 * end. So it is given more while it is busy, as soon as that is worth a message, and makes one commit of all that it has.
 */
import { AppError, tooLarge, unavailable } from '../core/errors.ts';

export type GroupCommit<Item, Stored> = {
  /** Resolves with what became of it once it is on disk. @throws unavailable when storage cannot take it, overloaded when too many wait, too_large when it never will */
  add: (item: Item) => Promise<Stored>;
  /** Items waiting or being committed. */
  depth: () => number;
  /** Resolves when nothing is waiting any more. */
  idle: () => Promise<void>;
};

export type GroupCommitOptions<Item, Stored> = {
  /** Stores all or none, in order. A promise in its answer is waited for by that item's sender alone. */
  insert: (items: readonly Item[]) => Promise<readonly (Stored | Promise<Stored>)[]>;
  bytesOf: (item: Item) => number;
  /** Told of every failed commit, with the number of deliveries that were refused for it. */
  onFailure: (error: unknown, refused: number) => void;
  /** Bounds of one group. */
  maxRows?: number;
  maxBytes?: number;
  /** How many groups may be on their way to `insert`; more than one only where it makes one commit of them, which they bound. */
  maxGroups?: number;
  maxQueued?: number;
  maxQueuedBytes?: number;
};

type Waiting<Item, Stored> = {
  item: Item;
  bytes: number;
  resolve: (stored: Stored | Promise<Stored>) => void;
  reject: (error: Error) => void;
};

/** So many are worth a message of their own while another group is on its way. */
const worthSending = 16;

/** The code of an error in preparing an item: nothing of its commit was stored. */
export const rowErrorCode = 'ROW_INVALID';

/**
 * One row's fault, and nothing of the commit was stored. Anything else is the storage's: trying the same rows one by one
 * would only repeat it. Without a code nobody knows how far it came: to try again could store them twice.
 */
export const isRowError = (error: unknown): boolean => {
  const { code } = error as { code?: unknown };
  return code === rowErrorCode || /^(?:SQLITE_(?:CONSTRAINT|TOOBIG|MISMATCH)|ARGS_INVALID)/.test(String(code));
};

/** A libSQL server says so of a value over its `max_row_size`, and SQLite of one over its own limit. */
const isTooBig = (error: unknown): boolean => isRowError(error) && /too big/.test((error as Error).message);

export function createGroupCommit<Item, Stored>(options: GroupCommitOptions<Item, Stored>): GroupCommit<Item, Stored> {
  type One = Waiting<Item, Stored>;
  const { insert, bytesOf, onFailure } = options;
  const { maxRows = 128, maxBytes = 8 << 20, maxGroups = 1, maxQueued = 4096, maxQueuedBytes = 256 << 20 } = options;
  let queue: One[] = [];
  let queuedBytes = 0;
  let groups = 0;
  let inFlight = 0;
  let inFlightBytes = 0;
  let isDue = false;
  const idleWaiters: (() => void)[] = [];

  const take = (): { group: One[]; bytes: number } => {
    let bytes = 0;
    let count = 0;
    for (const one of queue) {
      if (count > 0 && (count >= maxRows || bytes + one.bytes > maxBytes)) break;
      bytes += one.bytes;
      count++;
    }
    const group = queue.slice(0, count);
    queue = queue.slice(count);
    queuedBytes -= bytes;
    return { group, bytes };
  };

  /** Stores a group. Resolves, never rejects, with what tells its senders: nobody has been told yet. */
  const commit = async (group: readonly One[]): Promise<() => void> => {
    try {
      const stored = await insert(group.map(one => one.item));
      return () => {
        for (const [i, one] of group.entries()) one.resolve(stored[i] as Stored | Promise<Stored>);
      };
    } catch (error) {
      // One row that the database will not take must not refuse its neighbours.
      if (group.length > 1 && isRowError(error)) {
        const tell: (() => void)[] = [];
        for (const one of group) tell.push(await commit([one]));
        return () => {
          for (const one of tell) one();
        };
      }
      onFailure(error, group.length);
      const refusal = isTooBig(error)
        ? tooLarge('the database takes no delivery of this size')
        : unavailable('the delivery could not be stored, try again', 5, error);
      return () => {
        for (const one of group) one.reject(refusal);
      };
    }
  };

  // A single item may be more than a group should have: then it is alone on its way.
  const isFull = (): boolean => groups >= maxGroups || inFlightBytes >= maxGroups * maxBytes;
  const maySend = (): boolean => queue.length > 0 && (groups === 0 || (!isFull() && queue.length >= worthSending));

  const send = (): void => {
    isDue = false;
    while (maySend()) {
      const { group, bytes } = take();
      groups++;
      inFlight += group.length;
      inFlightBytes += bytes;
      void commit(group).then(tell => {
        groups--;
        inFlight -= group.length;
        inFlightBytes -= bytes;
        // Those of this commit are answered while the next one is on its way: the disk does not wait for them.
        send();
        tell();
        if (groups === 0) for (const resolve of idleWaiters.splice(0)) resolve();
      });
    }
  };

  return {
    add: item => {
      const bytes = bytesOf(item);
      if (queue.length >= maxQueued || (queue.length > 0 && queuedBytes + bytes > maxQueuedBytes))
        return Promise.reject(
          new AppError('overloaded', 'too many deliveries at once, try again', { retryAfterSeconds: 1 }),
        );
      const { promise, resolve, reject } = Promise.withResolvers<Stored>();
      queue.push({ item, bytes, resolve, reject });
      queuedBytes += bytes;
      // Once all that has come in this turn of the event loop is here. A microtask would be too early: they run between one
      // connection and the next, and the first delivery of each turn would have a commit of its own.
      if (!isDue && maySend()) {
        isDue = true;
        setImmediate(send);
      }
      return promise;
    },
    depth: () => queue.length + inFlight,
    idle: () =>
      groups > 0 || queue.length > 0 ? new Promise<void>(resolve => idleWaiters.push(resolve)) : Promise.resolve(),
  };
}
