/*
 * The outcomes of the events of replay jobs. Items belong to the queues (features/queues/store.ts), and this file only reads
 * them; it stores the responses that differed.
 */
import type { InStatement } from '@libsql/client';
import { and, asc, count, eq, gt, isNull, sum } from 'drizzle-orm';
import type { JobOutcome } from '../../core/replay/replay-job.ts';
import type { Drizzle } from '../../db/database.ts';
import { events, replays } from '../../db/schema.ts';
import { jobAnswers, queueItems, queues } from '../../db/schema-queues.ts';
import { inList, toClientStatement } from '../../db/sql-fragments.ts';

export const jobQueue = 'replay';

/** How many items have each outcome; unsettled items are left out. */
export type Counts = Partial<Record<JobOutcome, number>>;
export type ItemRow = Pick<
  typeof queueItems.$inferSelect,
  'seq' | 'event' | 'nonce' | 'outcome' | 'status' | 'error' | 'detail'
>;

export function createJobItemsStore(db: Drizzle) {
  const inQueue = (id: string) => and(eq(queues.kind, jobQueue), eq(queues.owner, id));

  return {
    /** The size of these events' bodies. */
    bytesOf: async (seqs: readonly number[]): Promise<number> =>
      Number(
        (
          await db
            .select({ bytes: sum(events.size) })
            .from(events)
            .where(inList(events.seq, seqs))
        )[0]?.bytes ?? 0,
      ),

    async counts(ids: readonly string[]): Promise<Map<string, Counts>> {
      const rows = await db
        .select({ owner: queues.owner, outcome: queueItems.outcome, items: count() })
        .from(queues)
        .innerJoin(queueItems, eq(queueItems.queue, queues.seq))
        .where(and(eq(queues.kind, jobQueue), inList(queues.owner, ids)))
        .groupBy(queues.owner, queueItems.outcome);
      const found = new Map<string, Counts>();
      for (const { owner, outcome, items } of rows)
        found.set(owner, { ...found.get(owner), [(outcome ?? 'waiting') as JobOutcome]: items });
      return found;
    },

    items: (
      id: string,
      { outcome, after, limit }: { outcome: JobOutcome | undefined; after: number; limit: number },
    ): Promise<ItemRow[]> =>
      db
        .select({
          seq: queueItems.seq,
          event: queueItems.event,
          nonce: queueItems.nonce,
          outcome: queueItems.outcome,
          status: queueItems.status,
          error: queueItems.error,
          detail: queueItems.detail,
        })
        .from(queueItems)
        .innerJoin(queues, eq(queues.seq, queueItems.queue))
        .where(
          and(
            inQueue(id),
            gt(queueItems.seq, after),
            outcome === undefined
              ? undefined
              : outcome === 'waiting'
                ? isNull(queueItems.outcome)
                : eq(queueItems.outcome, outcome),
          ),
        )
        .orderBy(asc(queueItems.seq))
        .limit(limit),

    /** The responses of both destinations to an event. */
    answers: async (id: string, event: number, now: number): Promise<Buffer | undefined> =>
      (
        await db
          .select({ content: jobAnswers.content })
          .from(jobAnswers)
          .innerJoin(queueItems, eq(queueItems.seq, jobAnswers.item))
          .innerJoin(queues, eq(queues.seq, queueItems.queue))
          .where(and(inQueue(id), eq(queueItems.event, event), gt(jobAnswers.until, now)))
      )[0]?.content,

    /** The number of waiting events of running jobs. */
    waiting: async (): Promise<number> =>
      (
        await db
          .select({ items: count() })
          .from(queueItems)
          .innerJoin(queues, eq(queues.seq, queueItems.queue))
          .where(and(eq(queues.kind, jobQueue), isNull(queues.pausedAt), isNull(queueItems.outcome)))
      )[0]?.items ?? 0,

    keepAnswers: (item: number, content: Uint8Array, until: number): InStatement =>
      toClientStatement(
        db
          .insert(jobAnswers)
          .values({ item, content: Buffer.from(content), until })
          .onConflictDoUpdate({ target: jobAnswers.item, set: { content: Buffer.from(content), until } }),
      ),

    /** Whether the destination has accepted this event with a 2xx response. */
    wasAccepted: async (event: number, destination: string): Promise<boolean> =>
      (
        await db
          .select({ seq: replays.seq })
          .from(replays)
          .where(and(eq(replays.event, event), eq(replays.destination, destination), eq(replays.ok, true)))
          .limit(1)
      ).length > 0,
  };
}
