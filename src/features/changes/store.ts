/* Entries of the audit log about one endpoint, and changes of the schemas of its events, by time. */
import { and, desc, eq, gte, lte, max, type SQL, sql } from 'drizzle-orm';
import type { Drizzle } from '../../db/database.ts';
import { schemaChanges } from '../../db/schema.ts';
import { audit, forwards } from '../../db/schema-queues.ts';
import { inList } from '../../db/sql-fragments.ts';

export type ChangesStore = ReturnType<typeof createChangesStore>;
export type AuditEntryRow = Awaited<ReturnType<ChangesStore['entries']>>[number];
export type SchemaChangeRow = Awaited<ReturnType<ChangesStore['schemaChanges']>>[number];

/** Times are epoch ms, included. `before`: only what comes after it in the list, which is sorted by time and row number. */
export type ChangesPage = {
  from: number;
  to: number;
  before: { at: number; seq: number } | undefined;
  limit: number;
};

export function createChangesStore(db: Drizzle) {
  const isOnPage = (table: typeof audit | typeof schemaChanges, { from, to, before }: ChangesPage): SQL | undefined =>
    and(
      gte(table.at, from),
      lte(table.at, to),
      before && sql`(${table.at}, ${table.seq}) < (${before.at}, ${before.seq})`,
    );
  return {
    /** Entries with these actions, newest first. */
    entries: (of: { teamId: string; endpointId: string; actions: readonly string[] }, page: ChangesPage) =>
      db
        .select({
          seq: audit.seq,
          at: audit.at,
          action: audit.action,
          targetType: audit.targetType,
          targetId: audit.targetId,
          actorEmail: audit.actorEmail,
          details: audit.details,
        })
        .from(audit)
        .where(
          and(
            eq(audit.endpointId, of.endpointId),
            eq(audit.teamId, of.teamId),
            inList(audit.action, of.actions),
            isOnPage(audit, page),
          ),
        )
        .orderBy(desc(audit.at), desc(audit.seq))
        .limit(page.limit),

    /** The last known names of targets, by their ids. */
    async names(endpointId: string, targets: readonly string[]): Promise<Map<string, string>> {
      const name = sql<string>`${audit.details} ->> 'name'`;
      const rows = await db
        // SQLite takes the name from the row with the highest number.
        .select({ id: audit.targetId, name, last: max(audit.seq) })
        .from(audit)
        .where(and(eq(audit.endpointId, endpointId), inList(audit.targetId, targets), sql`${name} IS NOT NULL`))
        .groupBy(audit.targetId);
      return new Map(rows.map(row => [row.id, row.name]));
    },

    /** The ids among these of forwards that exist. */
    async existingForwards(ids: readonly string[]): Promise<Set<string>> {
      const rows = await db.select({ id: forwards.id }).from(forwards).where(inList(forwards.id, ids));
      return new Set(rows.map(({ id }) => id));
    },

    /** Newest first. */
    schemaChanges: (endpoint: number, page: ChangesPage) =>
      db
        .select({
          seq: schemaChanges.seq,
          at: schemaChanges.at,
          type: schemaChanges.type,
          kind: schemaChanges.kind,
          path: schemaChanges.path,
        })
        .from(schemaChanges)
        .where(and(eq(schemaChanges.endpoint, endpoint), isOnPage(schemaChanges, page)))
        .orderBy(desc(schemaChanges.at), desc(schemaChanges.seq))
        .limit(page.limit),
  };
}
