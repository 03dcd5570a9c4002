/* Forwards of declared endpoints, with their queues; for the batch that applies a file. */
import { and, eq, inArray, sql } from 'drizzle-orm';
import { forwardQueue } from '../../core/forward.ts';
import type { Drizzle } from '../../db/database.ts';
import { forwards, queues } from '../../db/schema-queues.ts';

export type ForwardColumns = Pick<
  typeof forwards.$inferSelect,
  'name' | 'url' | 'filter' | 'mode' | 'orderBy' | 'sign' | 'headers' | 'timeoutS' | 'retry' | 'per' | 'enabled'
>;
/** `isElsewhere`: the URL changes. */
export type ForwardWrites = {
  add: readonly { id: string; columns: ForwardColumns }[];
  set: readonly { id: string; columns: ForwardColumns; isElsewhere: boolean }[];
  remove: readonly string[];
};

type Statement = Parameters<Drizzle['batch']>[0][number];

const kind = forwardQueue;

/** Raw: the table is SQLite's own. */
const lastSeq = sql`(SELECT ifnull((SELECT seq FROM sqlite_sequence WHERE name = 'events'), 0))` as unknown as number;

/** @param endpoint its row number, or a query for it */
export function forwardStatements(
  db: Drizzle,
  endpoint: number,
  { add, set, remove }: ForwardWrites,
  now: number,
): Statement[] {
  const ofOwner = (owner: string) => and(eq(queues.kind, kind), eq(queues.owner, owner));
  const row = { endpoint, accountId: null, declared: true, since: lastSeq, position: lastSeq, createdAt: now };
  const teamId = sql<string>`(SELECT team_id FROM endpoints WHERE seq = ${endpoint})`;
  const pausedAt = (enabled: boolean): number | null => (enabled ? null : now);
  return [
    ...add.flatMap(({ id, columns }): Statement[] => [
      db.insert(queues).values({ kind, owner: id, teamId, pausedAt: pausedAt(columns.enabled) }),
      db.insert(forwards).values({ ...row, id, ...columns }),
    ]),
    ...set.flatMap(({ id, columns, isElsewhere }): Statement[] => [
      db
        .update(forwards)
        .set({
          ...columns,
          declared: true,
          ...(isElsewhere && { failures: 0, failingSince: null, probeAt: null }),
        })
        .where(eq(forwards.id, id)),
      db
        .update(queues)
        .set({ pausedAt: pausedAt(columns.enabled), nextAt: now })
        .where(ofOwner(id)),
    ]),
    ...(remove.length === 0
      ? []
      : [
          db.delete(forwards).where(inArray(forwards.id, [...remove])),
          db.delete(queues).where(and(eq(queues.kind, kind), inArray(queues.owner, [...remove]))),
        ]),
  ];
}
