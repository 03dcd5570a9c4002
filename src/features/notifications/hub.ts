/*
 * Notifies open tails of stored events, of access that may have ended, and of the shutdown of the server. A waiting tail costs no
 * query. On a shared database one query a second, however many tails wait, finds what other processes have stored, and whether
 * they have ended anybody's access.
 */
import type { EventChange, HubTail } from './tail.ts';

/** What a tail follows: the events of the endpoint with this row number, or the changes of all alerts. */
export type Topic = number | 'alerts';

type Member = {
  tail: HubTail;
  topic: Topic;
  /** It outlives one response: a reader that stalls is disconnected. */
  isLongLived: boolean;
};

/** `newest`: changes with every new event and every change of an alert. `accessMark`: changes each time that access of any kind may have ended. */
export type Look = () => Promise<{ newest: string | number; accessMark: string }>;

export function createHub(options: {
  /** What other processes did; undefined if none uses the same database. */
  look: Look | undefined;
  /** Makes every check of access that follows a new one. */
  forgetAccess: () => void;
  checkEveryMs: number;
  stalledMs: number;
}) {
  const { look, forgetAccess, checkEveryMs, stalledMs } = options;
  const members = new Set<Member>();
  const byTopic = new Map<Topic, Set<HubTail>>();
  let timer: ReturnType<typeof setInterval> | undefined;
  let last: Awaited<ReturnType<Look>> | undefined;
  let isLooking = false;
  let isShuttingDown = false;

  const recheckAll = (): void => {
    forgetAccess();
    for (const { tail } of members) void tail.recheck();
  };

  const lookAtOthers = async (): Promise<void> => {
    if (!look || isLooking) return;
    isLooking = true;
    try {
      const found = await look();
      if (found.accessMark !== last?.accessMark) recheckAll();
      if (found.newest !== last?.newest) for (const { tail } of members) tail.look();
      last = found;
    } catch {
      // The next query follows in a second, and a tail that reads gets the error itself.
    } finally {
      isLooking = false;
    }
  };

  const tick = (): void => {
    for (const { tail, isLongLived } of members) {
      if (isLongLived && tail.idleMs() > stalledMs) tail.end({ reason: 'stalled' });
      else if (tail.isCheckDue()) void tail.recheck();
    }
    void lookAtOthers();
  };

  const remove = (member: Member): void => {
    const tails = byTopic.get(member.topic);
    tails?.delete(member.tail);
    if (tails?.size === 0) byTopic.delete(member.topic);
    members.delete(member);
    if (members.size > 0) return;
    clearInterval(timer);
    timer = undefined;
    // Without open tails there are no looks.
    last = undefined;
  };

  return {
    /** Call it for every stored event, in the order of row numbers. */
    recorded({ endpoint, seq }: { endpoint: number; seq: number }): void {
      for (const tail of byTopic.get(endpoint) ?? []) tail.recorded(seq);
    },
    /**
     * Call it after an import into an endpoint, because `recorded` is not called for imported events, and after changes of alerts
     * were stored.
     */
    imported(topic: Topic): void {
      for (const tail of byTopic.get(topic) ?? []) tail.imported();
    },
    /** Call it after a pin or the tags of an event changed, or it was deleted. */
    changed(change: EventChange): void {
      for (const tail of byTopic.get(change.endpoint) ?? []) tail.changed(change);
    },
    /** Ends every tail whose access has ended. Call it whenever access of any kind ends. */
    recheckAll,
    /** Recorded events that could not be read can be read now. */
    lookAgain(): void {
      for (const { tail } of members) tail.look();
    },
    /** Notifies the tail until it ends. */
    add(member: Member): void {
      const tails = byTopic.get(member.topic) ?? new Set();
      byTopic.set(member.topic, tails.add(member.tail));
      members.add(member);
      timer ??= setInterval(tick, checkEveryMs);
      void member.tail.ended.then(() => remove(member));
    },
    openTails: (): number => members.size,
    isShuttingDown: (): boolean => isShuttingDown,
    /** Ends all tails permanently, because open streams and waiting calls would delay the shutdown. */
    shutDown(): void {
      isShuttingDown = true;
      for (const { tail } of members) tail.end({ reason: 'shutdown' });
    },
  };
}
