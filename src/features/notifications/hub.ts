/*
 * Notifies open tails of stored events, of access that may have ended, and of the shutdown of the server. With the embedded
 * database a waiting tail costs no query. On a shared database one query a second, however many tails wait, finds what other
 * processes have stored.
 */
import type { EventChange, HubTail } from './tail.ts';

type Member = {
  tail: HubTail;
  /** Row number of the endpoint. */
  endpoint: number;
  /** It outlives one response: access is checked every second, and a reader that stalls is disconnected. */
  isLongLived: boolean;
};

export type Hub = {
  /** Call it for every stored event, in the order of row numbers. */
  recorded: (event: { endpoint: number; seq: number }) => void;
  /** Call it after an import into an endpoint, because `recorded` is not called for imported events. */
  imported: (endpoint: number) => void;
  /** Call it after a pin or the tags of an event changed, or it was deleted. */
  changed: (change: EventChange) => void;
  /** Ends every tail whose access has ended. Call it whenever access of any kind ends. */
  recheckAll: () => void;
  /** Recorded events that could not be read can be read now. */
  lookAgain: () => void;
  /** Notifies the tail until it ends. */
  add: (member: Member) => void;
  openTails: () => number;
  isShuttingDown: () => boolean;
  /** Ends all tails permanently, because open streams and waiting calls would delay the shutdown. */
  shutDown: () => void;
};

export function createHub(options: {
  /** The highest row number of all endpoints. */
  newest: () => Promise<number>;
  /** Whether other processes store events in the same database. */
  isShared: boolean;
  checkEveryMs: number;
  stalledMs: number;
}): Hub {
  const { newest, isShared, checkEveryMs, stalledMs } = options;
  const members = new Set<Member>();
  const byEndpoint = new Map<number, Set<HubTail>>();
  let timer: ReturnType<typeof setInterval> | undefined;
  let lastNewest: number | undefined;
  let isLooking = false;
  let isShuttingDown = false;

  const lookForForeignEvents = async (): Promise<void> => {
    if (isLooking) return;
    isLooking = true;
    try {
      const found = await newest();
      if (found === lastNewest) return;
      lastNewest = found;
      for (const { tail } of members) tail.look();
    } catch {
      // The next query follows in a second, and a tail that reads gets the error itself.
    } finally {
      isLooking = false;
    }
  };

  const tick = (): void => {
    for (const { tail, isLongLived } of members) {
      if (!isLongLived) continue;
      if (tail.idleMs() > stalledMs) tail.end({ reason: 'stalled' });
      else void tail.recheck();
    }
    if (isShared) void lookForForeignEvents();
  };

  const remove = (member: Member): void => {
    const tails = byEndpoint.get(member.endpoint);
    tails?.delete(member.tail);
    if (tails?.size === 0) byEndpoint.delete(member.endpoint);
    members.delete(member);
    if (members.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };

  return {
    recorded({ endpoint, seq }) {
      for (const tail of byEndpoint.get(endpoint) ?? []) tail.recorded(seq);
    },
    imported(endpoint) {
      for (const tail of byEndpoint.get(endpoint) ?? []) tail.imported();
    },
    changed(change) {
      for (const tail of byEndpoint.get(change.endpoint) ?? []) tail.changed(change);
    },
    recheckAll() {
      for (const { tail } of members) void tail.recheck();
    },
    lookAgain() {
      for (const { tail } of members) tail.look();
    },
    add(member) {
      const tails = byEndpoint.get(member.endpoint) ?? new Set();
      byEndpoint.set(member.endpoint, tails.add(member.tail));
      members.add(member);
      timer ??= setInterval(tick, checkEveryMs);
      void member.tail.ended.then(() => remove(member));
    },
    openTails: () => members.size,
    isShuttingDown: () => isShuttingDown,
    shutDown() {
      isShuttingDown = true;
      for (const { tail } of members) tail.end({ reason: 'shutdown' });
    },
  };
}
