/* The state of an event in each forward of its endpoint. The forwards and their items belong to features/forwards; this file only reads them. */

import { and, asc, count, desc, eq, max } from 'drizzle-orm';
import { forwardQueue } from '../../core/forward.ts';
import { pick } from '../../core/pick.ts';
import type { Drizzle } from '../../db/database.ts';
import { replays } from '../../db/schema.ts';
import { forwards, queueItems, queues } from '../../db/schema-queues.ts';

export type WayStore = ReturnType<typeof createWayStore>;
/** A forward, with its item for the event if the event is not settled. */
export type ForwardOfEvent = Awaited<ReturnType<WayStore['forwardsOf']>>[number];
/** An attempt at which a destination has accepted the event. `forward`, `attempts`: null in rows of earlier versions. */
export type AcceptedAttempt = Awaited<ReturnType<WayStore['accepted']>>[number];

export function createWayStore(db: Drizzle) {
  const ofEvent = (event: number) => eq(replays.event, event);
  return {
    /** The forwards of the endpoint, oldest first. */
    forwardsOf: (endpoint: number, event: number) =>
      db
        .select({
          ...pick(forwards, 'seq', 'id', 'name', 'url', 'filter', 'per', 'since', 'position'),
          item: pick(queueItems, 'seq', 'dueAt', 'attempts', 'outcome', 'status'),
        })
        .from(forwards)
        .leftJoin(queues, and(eq(queues.kind, forwardQueue), eq(queues.owner, forwards.id)))
        .leftJoin(queueItems, and(eq(queueItems.event, event), eq(queueItems.queue, queues.seq)))
        .where(eq(forwards.endpoint, endpoint))
        .orderBy(asc(forwards.seq)),

    /** The attempts of forwards, newest first. */
    accepted: (event: number) =>
      db
        .select(pick(replays, 'forward', 'attempts', 'destination', 'status'))
        .from(replays)
        .where(and(ofEvent(event), eq(replays.via, 'forward')))
        .orderBy(desc(replays.seq)),

    /** Whether the event was sent again, and whether it was edited then. */
    async replayed(event: number): Promise<{ isReplayed: boolean; isEdited: boolean }> {
      const [row] = await db
        .select({ edited: max(replays.edited) })
        .from(replays)
        .where(ofEvent(event));
      return { isReplayed: (row?.edited ?? null) !== null, isEdited: row?.edited === true };
    },

    /** How many attempts of the event are kept, of forwards and others. */
    kept: async (event: number): Promise<number> =>
      (await db.select({ attempts: count() }).from(replays).where(ofEvent(event)).get())?.attempts ?? 0,
  };
}
