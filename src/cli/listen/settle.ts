/*
 * Decides which deliveries may start, and up to which position everything is settled. Pure: time and random numbers are passed
 * in. Events are added in the order of the feed; each map (here: a lane, by its number) has its own queue and delivers in that
 * order. The position is the cursor of the last event before which nothing is unsettled, so a restart from there repeats events
 * but never leaves one out.
 */

export type Policy = {
  /** The number of retries after the first attempt. */
  retries: number;
  onFail: 'hold' | 'skip' | 'stop';
  /** The most deliveries in progress in one lane. */
  concurrency: number;
};

/** `later`: failed, with the next attempt at `dueAt`; `held`: like `later`, and its lane starts nothing else. */
type TaskState = 'waiting' | 'running' | 'later' | 'held' | 'done';

export type Task<E> = {
  readonly entry: Entry<E>;
  readonly lane: number;
  readonly state: TaskState;
  /** The number of attempts so far. */
  readonly attempts: number;
};
type OwnTask<E> = { -readonly [K in keyof Task<E>]: Task<E>[K] } & { dueAt: number };

export type Entry<E> = {
  readonly event: E;
  readonly tasks: readonly Task<E>[];
  /** Tasks that are not done. */
  readonly open: number;
};
type OwnEntry<E> = { event: E; tasks: OwnTask<E>[]; open: number };
/** An event in the order of the feed, and the position after it; undefined if only the end of its page has a position. */
type Place<E> = { entry: OwnEntry<E>; cursor: string | undefined };

type Lane<E> = { waiting: Queue<OwnTask<E>>; inFlight: Set<OwnTask<E>> };

export type LaneState = { waiting: number; isBlocked: boolean };

const firstRetryMs = 500;
export const maxRetryMs = 60_000;

/** Doubles up to a minute, with a random factor between a half and one, so that listeners do not retry at the same time. */
export const retryDelayMs = (failures: number, random: number): number =>
  Math.round(Math.min(maxRetryMs, firstRetryMs * 2 ** Math.min(failures - 1, 16)) * (0.5 + random / 2));

export type Settling<E> = ReturnType<typeof createSettling<E>>;

export function createSettling<E>(lanes: number, { retries, onFail, concurrency }: Policy, random: () => number) {
  const queues: Lane<E>[] = Array.from({ length: lanes }, () => ({ waiting: createQueue(), inFlight: new Set() }));
  const places = createQueue<Place<E>>();
  let position: string | undefined;
  let unsettled = 0;
  let isStopped = false;

  const advance = (): void => {
    for (let first = places.first(); first?.entry.open === 0; first = places.first()) {
      position = first.cursor ?? position;
      places.shift();
    }
  };
  /** @returns whether this settled the event */
  const finish = (task: OwnTask<E>): boolean => {
    if (task.state === 'done') return false;
    task.state = 'done';
    queues[task.lane]?.inFlight.delete(task);
    const entry = task.entry as OwnEntry<E>;
    entry.open--;
    if (entry.open > 0) return false;
    unsettled--;
    advance();
    return true;
  };
  const isHeld = ({ inFlight }: Lane<E>): boolean => inFlight.values().some(({ state }) => state === 'held');
  const isDue = ({ state, dueAt }: OwnTask<E>, now: number): boolean =>
    (state === 'later' || state === 'held') && dueAt <= now;

  const startable = (lane: Lane<E>, now: number): OwnTask<E>[] => {
    const found = [...lane.inFlight].filter(task => isDue(task, now));
    if (isHeld(lane)) return found;
    while (lane.inFlight.size < concurrency) {
      const next = lane.waiting.shift();
      if (!next) break;
      if (next.state !== 'waiting') continue;
      lane.inFlight.add(next);
      found.push(next);
    }
    return found;
  };

  return {
    /**
     * Adds an event for the lanes with these numbers; without any, it is settled at once. @param cursor the position after it;
     * undefined if only the end of its page has a position
     */
    add(event: E, cursor: string | undefined, wantedBy: readonly number[]): Entry<E> {
      const entry: OwnEntry<E> = { event, tasks: [], open: wantedBy.length };
      for (const lane of wantedBy) {
        const task: OwnTask<E> = { entry, lane, state: 'waiting', attempts: 0, dueAt: 0 };
        entry.tasks.push(task);
        queues[lane]?.waiting.push(task);
      }
      places.push({ entry, cursor });
      if (entry.open > 0) unsettled++;
      else advance();
      return entry;
    },

    /** Sets the end of a page, which may be after events that a filter has excluded. */
    endPage(cursor: string): void {
      const last = places.last();
      if (last) last.cursor = cursor;
      else position = cursor;
    },

    /** The deliveries to start now, in order. They are in progress until `succeed`, `fail`, `giveUp` or `putBack`. */
    start(now: number): Task<E>[] {
      if (isStopped) return [];
      const found = queues.flatMap(lane => startable(lane, now));
      for (const task of found) {
        task.state = 'running';
        task.attempts++;
      }
      return found;
    },

    /** @returns whether this settled the event */
    succeed: (task: Task<E>): boolean => finish(task as OwnTask<E>),

    /**
     * The step after a failure: with `skip` the caller should give the event up, and after `stop` nothing starts any more.
     * Undefined for a delivery that was already given up. @returns `dueAt`: the time of the next attempt
     */
    fail(
      task: Task<E>,
      now: number,
      retryAfterMs = 0,
    ): { next: 'retry' | 'hold'; dueAt: number } | { next: 'skip' | 'stop' } | undefined {
      const own = task as OwnTask<E>;
      if (own.state !== 'running') return undefined;
      const isLast = own.attempts > retries;
      if (isLast && onFail === 'skip') return { next: 'skip' };
      if (isLast && onFail === 'stop') {
        isStopped = true;
        own.state = 'held';
        return { next: 'stop' };
      }
      const delay = isLast ? maxRetryMs : retryDelayMs(own.attempts, random());
      own.state = isLast ? 'held' : 'later';
      own.dueAt = now + Math.max(delay, Math.min(retryAfterMs, maxRetryMs));
      return { next: isLast ? 'hold' : 'retry', dueAt: own.dueAt };
    },

    /** Settles a delivery that has not succeeded. @returns whether this settled the event */
    giveUp: (task: Task<E>): boolean => finish(task as OwnTask<E>),

    /** Puts back a delivery that was started but not sent, for a reason other than the target. The attempt does not count. */
    putBack(task: Task<E>, dueAt: number): void {
      const own = task as OwnTask<E>;
      if (own.state !== 'running') return;
      own.attempts--;
      own.state = 'later';
      own.dueAt = dueAt;
    },

    /** The time of the next retry; undefined if no retry is due. */
    nextDueAt(): number | undefined {
      if (isStopped) return undefined;
      const due = queues.flatMap(({ inFlight }) =>
        [...inFlight].flatMap(({ state, dueAt }) => (state === 'later' || state === 'held' ? [dueAt] : [])),
      );
      return due.length > 0 ? Math.min(...due) : undefined;
    },

    /** The highest cursor before which everything is settled; undefined if nothing has been settled yet. */
    position: (): string | undefined => position,
    /** The number of unsettled events. */
    unsettled: (): number => unsettled,
    /** The number of kept events, including settled events after an unsettled one. */
    size: (): number => places.size(),
    /** The number of unsettled events before this one, which keep the position before it. */
    unsettledBefore(entry: Entry<E>): number {
      let count = 0;
      for (const place of places.values()) {
        if (place.entry === entry) return count;
        if (place.entry.open > 0) count++;
      }
      return 0;
    },
    running: (): number => queues.reduce((sum, { inFlight }) => sum + countRunning(inFlight), 0),
    /** `isBlocked`: the lane waits for a retry. */
    laneStates: (): LaneState[] =>
      queues.map(({ waiting, inFlight }) => ({
        waiting: waiting.size(),
        isBlocked: inFlight.size > 0 && countRunning(inFlight) === 0,
      })),
    find: (isWanted: (event: E) => boolean): Entry<E> | undefined =>
      places
        .values()
        .map(({ entry }) => entry)
        .find(({ event, open }) => open > 0 && isWanted(event)),
  };
}

const countRunning = (tasks: ReadonlySet<{ state: TaskState }>): number =>
  tasks.values().reduce((sum, { state }) => sum + (state === 'running' ? 1 : 0), 0);

type Queue<T> = ReturnType<typeof createQueue<T>>;

/** First in, first out, in constant time. */
function createQueue<T>() {
  let items: (T | undefined)[] = [];
  let head = 0;
  return {
    push: (item: T): void => void items.push(item),
    first: (): T | undefined => items[head],
    last: (): T | undefined => (head < items.length ? items.at(-1) : undefined),
    shift(): T | undefined {
      if (head === items.length) return undefined;
      const item = items[head];
      // Releases its content, which would otherwise stay in memory until the array is cut.
      items[head++] = undefined;
      if (head > 1000 && head * 2 > items.length) {
        items = items.slice(head);
        head = 0;
      }
      return item;
    },
    size: (): number => items.length - head,
    *values(): Generator<T> {
      for (let at = head; at < items.length; at++) yield items[at] as T;
    },
  };
}
