/* Signing secrets, encrypted. */
import { and, asc, eq, getTableColumns, isNull, type SQL, sql } from 'drizzle-orm';
import type { Drizzle } from '../../db/database.ts';
import { endpoints, secrets } from '../../db/schema.ts';

/** `learned` is used only by the queries here. */
export type SecretRow = Omit<typeof secrets.$inferSelect, 'learned'>;

export type SecretsStore = ReturnType<typeof createSecretsStore>;

export function createSecretsStore(db: Drizzle) {
  const insertWhere = (row: SecretRow, condition: SQL) => sql`
    INSERT INTO secrets (id, endpoint, platform, sealed, last4, created_at, confirmed, learned)
    SELECT ${row.id}, ${row.endpoint}, ${row.platform}, ${row.sealed}, ${row.last4}, ${row.createdAt}, ${Number(row.confirmed)},
           ${Number(!row.confirmed)}
    WHERE ${condition}`;
  const isBelowLimit = (endpoint: number, limit: number) =>
    sql`(SELECT count(*) FROM secrets WHERE endpoint = ${endpoint} AND confirmed = 1) < ${limit}`;
  const isWindowOpen = (endpoint: number, now: number) =>
    sql`EXISTS (SELECT 1 FROM endpoints WHERE seq = ${endpoint} AND learn_secrets_until > ${now})`;
  const closeWindow = (endpoint: number, confirmedId: string) =>
    db.run(sql`UPDATE endpoints SET learn_secrets_until = NULL
      WHERE seq = ${endpoint} AND EXISTS (SELECT 1 FROM secrets WHERE id = ${confirmedId} AND confirmed = 1)`);

  return {
    /** The secrets of all live endpoints. */
    all: (): Promise<SecretRow[]> =>
      db
        .select(getTableColumns(secrets))
        .from(secrets)
        .innerJoin(endpoints, eq(endpoints.seq, secrets.endpoint))
        .where(isNull(endpoints.deletedAt))
        .orderBy(asc(secrets.createdAt), asc(secrets.id)),

    listOf: (endpoint: number): Promise<SecretRow[]> =>
      db.select().from(secrets).where(eq(secrets.endpoint, endpoint)).orderBy(asc(secrets.createdAt), asc(secrets.id)),

    /** Inserts unless the endpoint already has `limit` confirmed secrets, in one statement; false when it has. */
    async insertWithin(limit: number, row: SecretRow): Promise<boolean> {
      const { rowsAffected } = await db.run(insertWhere(row, isBelowLimit(row.endpoint, limit)));
      return rowsAffected === 1;
    },

    /** When the window for learned secrets closes, epoch ms; null without a window. */
    async learnsUntil(endpoint: number): Promise<number | null> {
      const rows = await db
        .select({ until: endpoints.learnSecretsUntil })
        .from(endpoints)
        .where(eq(endpoints.seq, endpoint));
      return rows[0]?.until ?? null;
    },

    /** Inserts a confirmed secret and closes the window, if the window is open at `now` and the limit is not reached. */
    async insertInWindow(row: SecretRow, now: number, limit: number): Promise<boolean> {
      const [inserted] = await db.batch([
        db.run(insertWhere(row, sql`${isWindowOpen(row.endpoint, now)} AND ${isBelowLimit(row.endpoint, limit)}`)),
        closeWindow(row.endpoint, row.id),
      ]);
      return inserted.rowsAffected === 1;
    },

    /** Confirms a secret and closes the window, if the window is open at `now` and the limit is not reached. */
    async confirmInWindow(endpoint: number, id: string, now: number, limit: number): Promise<boolean> {
      const [updated] = await db.batch([
        db.run(sql`UPDATE secrets SET confirmed = 1
          WHERE id = ${id} AND endpoint = ${endpoint} AND ${isWindowOpen(endpoint, now)} AND ${isBelowLimit(endpoint, limit)}`),
        closeWindow(endpoint, id),
      ]);
      return updated.rowsAffected === 1;
    },

    /** Inserts learned secrets of one endpoint and platform. Of its learned, unconfirmed secrets the newest `kept` remain. */
    async insertUnconfirmed([first, ...rest]: readonly [SecretRow, ...SecretRow[]], kept: number): Promise<void> {
      const insert = (row: SecretRow) => db.run(insertWhere(row, sql`TRUE`));
      const unconfirmed = sql`endpoint = ${first.endpoint} AND platform = ${first.platform} AND confirmed = 0 AND learned = 1`;
      await db.batch([
        insert(first),
        ...rest.map(insert),
        db.run(sql`DELETE FROM secrets WHERE ${unconfirmed} AND id NOT IN
          (SELECT id FROM secrets WHERE ${unconfirmed} ORDER BY created_at DESC, id DESC LIMIT ${kept})`),
      ]);
    },

    /** Confirms a secret unless the endpoint already has `limit` confirmed secrets. True also when it was confirmed before. */
    async confirm(endpoint: number, id: string, limit: number): Promise<boolean> {
      const { rowsAffected } = await db.run(sql`UPDATE secrets SET confirmed = 1
        WHERE id = ${id} AND endpoint = ${endpoint} AND (confirmed = 1 OR ${isBelowLimit(endpoint, limit)})`);
      return rowsAffected === 1;
    },

    async remove(endpoint: number, id: string): Promise<boolean> {
      const { rowsAffected } = await db.delete(secrets).where(and(eq(secrets.id, id), eq(secrets.endpoint, endpoint)));
      return rowsAffected === 1;
    },
  };
}
