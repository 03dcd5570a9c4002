/* Reads schemas and their changes. */
import { and, asc, desc, eq, sql } from 'drizzle-orm';
import type { Drizzle } from '../../db/database.ts';
import { eventSchemas, schemaChanges } from '../../db/schema.ts';

/** An empty text means without a platform or a type. */
export type SchemaKey = { platform: string; type: string };
export type SchemaRow = SchemaKey & { count: number; firstAt: number; lastAt: number; changedAt: number };
export type ChangeRow = SchemaKey & {
  kind: 'new' | 'vanished' | 'type';
  path: Uint8Array;
  at: number;
  eventId: string;
};

export type SchemasStore = ReturnType<typeof createSchemasStore>;

const { platform, type, count, firstAt, lastAt, changedAt, shape } = eventSchemas;
const listed = { platform, type, count, firstAt, lastAt, changedAt };

export const createSchemasStore = (db: Drizzle) => ({
  list: (endpoint: number): Promise<SchemaRow[]> =>
    db.select(listed).from(eventSchemas).where(eq(eventSchemas.endpoint, endpoint)).orderBy(asc(type), asc(platform)),

  /** The schema of a type. @param ofPlatform undefined chooses the platform with the most events */
  find: async (
    endpoint: number,
    ofType: string,
    ofPlatform: string | undefined,
  ): Promise<(SchemaRow & { shape: Uint8Array }) | undefined> => {
    const rows = await db
      .select({ ...listed, shape })
      .from(eventSchemas)
      .where(
        and(
          eq(eventSchemas.endpoint, endpoint),
          eq(type, ofType),
          ofPlatform === undefined ? undefined : eq(sql`lower(${platform})`, ofPlatform.toLowerCase()),
        ),
      )
      .orderBy(desc(count), asc(platform))
      .limit(1);
    return rows[0];
  },

  /** Newest first. */
  changes: (endpoint: number, limit: number): Promise<ChangeRow[]> =>
    db
      .select({
        platform: schemaChanges.platform,
        type: schemaChanges.type,
        kind: schemaChanges.kind,
        path: schemaChanges.path,
        at: schemaChanges.at,
        eventId: schemaChanges.eventId,
      })
      .from(schemaChanges)
      .where(eq(schemaChanges.endpoint, endpoint))
      .orderBy(desc(schemaChanges.seq))
      .limit(limit),
});
