/* Entries of the audit log about one endpoint, and changes of the schemas of its events, by time. */

import { and, desc, eq, gte, lte, type SQL, sql } from 'drizzle-orm';
import { pick } from '../../core/pick.ts';
import type { Drizzle } from '../../db/database.ts';
import { schemaChanges } from '../../db/schema.ts';
import { audit } from '../../db/schema-queues.ts';
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
        .select()
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

    /** Newest first. */
    schemaChanges: (endpoint: number, page: ChangesPage) =>
      db
        .select(pick(schemaChanges, 'seq', 'at', 'type', 'kind', 'path'))
        .from(schemaChanges)
        .where(and(eq(schemaChanges.endpoint, endpoint), isOnPage(schemaChanges, page)))
        .orderBy(desc(schemaChanges.at), desc(schemaChanges.seq))
        .limit(page.limit),
  };
}
