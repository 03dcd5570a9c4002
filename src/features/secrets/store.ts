/* Signing secrets, sealed. */
import { and, asc, eq, isNull, sql } from 'drizzle-orm';
import type { Drizzle } from '../../db/database.ts';
import { endpoints, secrets } from '../../db/schema.ts';

export type SecretRow = typeof secrets.$inferSelect;

export type SecretsStore = ReturnType<typeof createSecretsStore>;

export function createSecretsStore(db: Drizzle) {
  return {
    /** Those of every live endpoint. */
    all: (): Promise<SecretRow[]> =>
      db
        .select({
          id: secrets.id,
          endpoint: secrets.endpoint,
          platform: secrets.platform,
          sealed: secrets.sealed,
          last4: secrets.last4,
          createdAt: secrets.createdAt,
        })
        .from(secrets)
        .innerJoin(endpoints, eq(endpoints.seq, secrets.endpoint))
        .where(isNull(endpoints.deletedAt))
        .orderBy(asc(secrets.createdAt), asc(secrets.id)),

    listOf: (endpoint: number): Promise<SecretRow[]> =>
      db.select().from(secrets).where(eq(secrets.endpoint, endpoint)).orderBy(asc(secrets.createdAt), asc(secrets.id)),

    /** Inserts unless the endpoint already has `limit` secrets, in one statement; false when it has. */
    async insertWithin(limit: number, row: SecretRow): Promise<boolean> {
      const { rowsAffected } = await db.run(sql`
        INSERT INTO secrets (id, endpoint, platform, sealed, last4, created_at)
        SELECT ${row.id}, ${row.endpoint}, ${row.platform}, ${row.sealed}, ${row.last4}, ${row.createdAt}
        WHERE (SELECT count(*) FROM secrets WHERE endpoint = ${row.endpoint}) < ${limit}`);
      return rowsAffected === 1;
    },

    /** Inserts unless the endpoint already has one for this platform: a handshake never replaces what is there. */
    async insertFirst(row: SecretRow): Promise<boolean> {
      const { rowsAffected } = await db.run(sql`
        INSERT INTO secrets (id, endpoint, platform, sealed, last4, created_at)
        SELECT ${row.id}, ${row.endpoint}, ${row.platform}, ${row.sealed}, ${row.last4}, ${row.createdAt}
        WHERE NOT EXISTS (SELECT 1 FROM secrets WHERE endpoint = ${row.endpoint} AND platform = ${row.platform})`);
      return rowsAffected === 1;
    },

    async remove(endpoint: number, id: string): Promise<boolean> {
      const { rowsAffected } = await db.delete(secrets).where(and(eq(secrets.id, id), eq(secrets.endpoint, endpoint)));
      return rowsAffected === 1;
    },
  };
}
