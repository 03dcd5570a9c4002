/*
 * Follows the end of an endpoint's history. Events are read from the database by row number, so each is read exactly once; a
 * notification only starts a read. A slow reader costs no memory, because a tail holds only row numbers, at most a few hundred.
 * Access is checked before any event is returned.
 */
import { AppError } from '../../core/errors.ts';
import type { EventSummary } from '../events/model.ts';
import type { AccessCheck } from './access-check.ts';

export type TailSource<E = EventSummary> = {
  /** Events after a row number, oldest first, and the row number up to which the read scanned. */
  listAfter: (position: number, limit: number) => Promise<{ events: E[]; position: number; more: boolean }>;
  /** Resolves once it is known whether every recorded event can be read. After false, the tail waits for `look`. */
  areAllStored?: () => Promise<boolean>;
  /**
   * The events with these row numbers, oldest first. If it is missing, each read lists all events after the position, which also
   * finds events stored without a notification, such as imported ones.
   */
  listBySeq?: (seqs: number[]) => Promise<E[]>;
  /** The events with these row numbers after a change. If it is missing, the tail reports no changes. */
  listChanged?: (seqs: number[]) => Promise<EventSummary[]>;
};

/** `error`: the response for a client whose access has ended. */
export type TailEnd = { reason: 'closed' | 'shutdown' | 'stalled' } | { reason: 'access_ended'; error: AppError };

export type TailResult<E = EventSummary> =
  /** At least one, oldest first. */
  | { kind: 'events'; events: E[] }
  /** The present state of changed events that were returned before, and the ids of deleted ones. */
  | { kind: 'changes'; changed: EventSummary[]; removed: string[] }
  | { kind: 'timeout' }
  | { kind: 'ended'; end: TailEnd };

/** A change of an event's pin or tags, or its deletion. */
export type EventChange = { endpoint: number; seq: number; id: string };

/** The tail for a reader, which makes one call of `next` at a time. */
export type Tail<E = EventSummary> = {
  /**
   * The next events, waiting for the first of them at most `waitMs`.
   * @throws when the database cannot be read or access cannot be checked; then the events of that read are lost to this tail
   */
  next: (options: { waitMs: number; limit?: number }) => Promise<TailResult<E>>;
  /** The row number of the last returned event: a tail that starts after it continues without a gap. */
  position: () => number;
  close: () => void;
  /** Resolves when the tail has ended. */
  ended: Promise<TailEnd>;
};

/** The tail for the hub. */
export type HubTail<E = unknown> = Tail<E> & {
  /** An event of the endpoint was stored under this row number. */
  recorded: (seq: number) => void;
  /** Events were stored without a notification. */
  imported: () => void;
  changed: (change: EventChange) => void;
  /** Another process may have stored events. */
  look: () => void;
  /** Checks access, and ends the tail when it has ended. Never rejects. */
  recheck: () => Promise<void>;
  /** Whether access must be checked although no call said that it ended. */
  isCheckDue: () => boolean;
  end: (end: TailEnd) => void;
  /** How long the reader has not called `next`; 0 during a call. */
  idleMs: () => number;
};

const defaultLimit = 100;
/** With more pending events, the tail reads everything after its position instead. */
const maxPendingSeqs = 500;
/** With more pending changes, the oldest are dropped, because a reader that stalls would otherwise cost memory. */
const maxPendingChanges = 500;

/** The row numbers to read next: known ones, or all after the position. */
function createBacklog<E>(source: TailSource<E>, startAt: number) {
  let position = startAt;
  let isBehind = true;
  let pending: number[] = [];
  let isHeldUp = false;
  return {
    position: () => position,
    hasUnread: () => !isHeldUp && (isBehind || pending.length > 0),
    add(seq: number): void {
      if (pending.length >= maxPendingSeqs) {
        pending = [];
        isBehind = true;
      } else pending.push(seq);
    },
    readAll(): void {
      isBehind = true;
      isHeldUp = false;
    },
    async read(limit: number): Promise<E[]> {
      // This is set before the wait, because `readAll` may be called during it. Reading too early would skip events that cannot
      // be read yet.
      isHeldUp = true;
      if (source.areAllStored && !(await source.areAllStored())) return [];
      isHeldUp = false;
      if (isBehind) {
        isBehind = false;
        const found = await source.listAfter(position, limit);
        position = found.position;
        isBehind ||= found.more;
        return found.events;
      }
      const seqs = pending.splice(0, limit).filter(seq => seq > position);
      if (seqs.length === 0 || !source.listBySeq) return [];
      position = seqs.at(-1) ?? position;
      return source.listBySeq(seqs);
    },
  };
}

/** Changes of events that were returned before. */
function createChanges(listChanged: NonNullable<TailSource['listChanged']>) {
  const pending = new Map<number, string>();
  return {
    areWaiting: () => pending.size > 0,
    add({ seq, id }: EventChange): void {
      pending.delete(seq);
      pending.set(seq, id);
      const [oldest] = pending.keys();
      if (pending.size > maxPendingChanges && oldest !== undefined) pending.delete(oldest);
    },
    /** @param position later events were not returned yet and will be read in their new state */
    async read(position: number): Promise<{ changed: EventSummary[]; removed: string[] }> {
      const given = [...pending].filter(([seq]) => seq <= position);
      pending.clear();
      const changed = given.length > 0 ? await listChanged(given.map(([seq]) => seq).sort((a, b) => a - b)) : [];
      const left = new Set(changed.map(({ id }) => id));
      return { changed, removed: given.map(([, id]) => id).filter(id => !left.has(id)) };
    },
  };
}

export function createTail<E = EventSummary>(options: {
  source: TailSource<E>;
  /** Row number of the last event that the reader has. */
  position: number;
  access: Pick<AccessCheck, 'verify' | 'isDue'>;
  /** Whether other processes store events in the same database. */
  isShared: boolean;
  monotonic: () => number;
}): HubTail<E> {
  const { source, access, isShared, monotonic } = options;
  const backlog = createBacklog(source, options.position);
  const changes = source.listChanged && createChanges(source.listChanged);
  const { promise: ended, resolve: resolveEnded } = Promise.withResolvers<TailEnd>();
  let currentEnd: TailEnd | undefined;
  let isReading = false;
  let idleSince = monotonic();
  let recheckState: 'idle' | 'running' | 'again' = 'idle';
  let wake: (() => void) | undefined;

  const endOfTail = (): TailEnd | undefined => currentEnd;
  const end = (reason: TailEnd): void => {
    if (currentEnd) return;
    currentEnd = reason;
    resolveEnded(reason);
    wake?.();
  };

  const checkAccess = async (): Promise<void> => {
    try {
      await access.verify();
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      end({ reason: 'access_ended', error });
    }
  };

  /** @returns whether it was woken before the time was over */
  const sleep = (ms: number): Promise<boolean> =>
    new Promise(resolve => {
      if (ms <= 0) return resolve(false);
      const done = (isWoken: boolean): void => {
        clearTimeout(timer);
        wake = undefined;
        resolve(isWoken);
      };
      const timer = setTimeout(done, ms, false);
      wake = () => done(true);
    });

  const nextChanges = async (): Promise<TailResult<E> | undefined> => {
    const found = await changes?.read(backlog.position());
    if (!found || found.changed.length + found.removed.length === 0) return undefined;
    await checkAccess();
    return endOfTail() ? undefined : { kind: 'changes', ...found };
  };

  const next = async (deadline: number, limit: number): Promise<TailResult<E>> => {
    for (let isLastRead = false; ; ) {
      const events = endOfTail() ? [] : await backlog.read(limit);
      if (events.length === 0 && !endOfTail() && changes?.areWaiting()) {
        const result = await nextChanges();
        if (result) return result;
      }
      const isDone = events.length > 0 || (isLastRead && !backlog.hasUnread());
      if (isDone && !endOfTail()) await checkAccess();
      const end = endOfTail();
      if (end) return { kind: 'ended', end };
      if (events.length > 0) return { kind: 'events', events };
      if (isDone) return { kind: 'timeout' };
      if (backlog.hasUnread() || changes?.areWaiting()) continue;
      isLastRead = !(await sleep(deadline - monotonic()));
      // Other processes may have stored events since the hub's last query.
      if (isLastRead && isShared) backlog.readAll();
    }
  };

  return {
    async next({ waitMs, limit = defaultLimit }) {
      isReading = true;
      try {
        return await next(monotonic() + waitMs, limit);
      } finally {
        isReading = false;
        idleSince = monotonic();
      }
    },
    position: backlog.position,
    close: () => end({ reason: 'closed' }),
    ended,
    recorded(seq) {
      if (isShared || !source.listBySeq) backlog.readAll();
      else backlog.add(seq);
      wake?.();
    },
    imported() {
      if (source.listBySeq) return;
      backlog.readAll();
      wake?.();
    },
    changed(change) {
      changes?.add(change);
      if (changes) wake?.();
    },
    look() {
      backlog.readAll();
      wake?.();
    },
    async recheck() {
      // One check at a time. A call during a check causes another check after it.
      if (recheckState !== 'idle') {
        recheckState = 'again';
        return;
      }
      do {
        recheckState = 'running';
        await checkAccess().catch(() => {});
      } while ((recheckState as string) === 'again');
      recheckState = 'idle';
    },
    isCheckDue: access.isDue,
    end,
    idleMs: () => (isReading ? 0 : monotonic() - idleSince),
  };
}
