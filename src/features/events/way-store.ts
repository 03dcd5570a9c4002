/* The state of an event in each forward of its endpoint. The forwards and their items belong to features/forwards; this file only reads them. */
import { and, asc, count, desc, eq, max } from 'drizzle-orm';
import { forwardQueue } from '../../core/forward.ts';
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
          seq: forwards.seq,
          id: forwards.id,
          name: forwards.name,
          url: forwards.url,
          filter: forwards.filter,
          per: forwards.per,
          since: forwards.since,
          position: forwards.position,
          item: {
            seq: queueItems.seq,
            dueAt: queueItems.dueAt,
            attempts: queueItems.attempts,
            outcome: queueItems.outcome,
            status: queueItems.status,
          },
        })
        .from(forwards)
        .leftJoin(queues, and(eq(queues.kind, forwardQueue), eq(queues.owner, forwards.id)))
        .leftJoin(queueItems, and(eq(queueItems.event, event), eq(queueItems.queue, queues.seq)))
        .where(eq(forwards.endpoint, endpoint))
        .orderBy(asc(forwards.seq)),

    /** The attempts of forwards, newest first. */
    accepted: (event: number) =>
      db
        .select({
          forward: replays.forward,
          attempts: replays.attempts,
          destination: replays.destination,
          status: replays.status,
        })
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
      (await db.select({ attempts: count() }).from(replays).where(ofEvent(event)))[0]?.attempts ?? 0,
  };
}
