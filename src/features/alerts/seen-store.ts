/* New event types and schema changes, found by the learning of schemas. */
import { and, asc, eq, gt, max } from 'drizzle-orm';
import type { Drizzle } from '../../db/database.ts';
import { eventSchemas, schemaChanges } from '../../db/schema.ts';

export type TypeRow = { seq: number; platform: string; type: string };
export type ChangeRow = TypeRow & { kind: string; path: Uint8Array; eventId: string };

export const createSeenStore = (db: Drizzle) => ({
  /** The row number of the endpoint's newest schema, and of its newest schema change. */
  async newestSchemas(endpoint: number): Promise<{ type: number; change: number }> {
    const [[type], [change]] = await Promise.all([
      db
        .select({ seq: max(eventSchemas.seq) })
        .from(eventSchemas)
        .where(eq(eventSchemas.endpoint, endpoint)),
      db
        .select({ seq: max(schemaChanges.seq) })
        .from(schemaChanges)
        .where(eq(schemaChanges.endpoint, endpoint)),
    ]);
    return { type: type?.seq ?? 0, change: change?.seq ?? 0 };
  },

  /** Event types that were first seen after a position, in order. */
  typesAfter: (endpoint: number, position: number, limit: number): Promise<TypeRow[]> =>
    db
      .select({ seq: eventSchemas.seq, platform: eventSchemas.platform, type: eventSchemas.type })
      .from(eventSchemas)
      .where(and(eq(eventSchemas.endpoint, endpoint), gt(eventSchemas.seq, position)))
      .orderBy(asc(eventSchemas.seq))
      .limit(limit),

  changesAfter: (endpoint: number, position: number, limit: number): Promise<ChangeRow[]> =>
    db
      .select({
        seq: schemaChanges.seq,
        platform: schemaChanges.platform,
        type: schemaChanges.type,
        kind: schemaChanges.kind,
        path: schemaChanges.path,
        eventId: schemaChanges.eventId,
      })
      .from(schemaChanges)
      .where(and(eq(schemaChanges.endpoint, endpoint), gt(schemaChanges.seq, position)))
      .orderBy(asc(schemaChanges.seq))
      .limit(limit),
});
