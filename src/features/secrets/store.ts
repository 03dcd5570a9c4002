/* Signing secrets, encrypted. */
import { and, asc, desc, eq, exists, getTableColumns, gt, isNull, lt, notInArray, or, type SQL } from 'drizzle-orm';
import { changesOne } from '../../db/changes-one.ts';
import type { Drizzle } from '../../db/database.ts';
import { insertIf } from '../../db/insert-if.ts';
import { endpoints, secrets } from '../../db/schema.ts';

/** `learned` is used only by the queries here, `declared` only by files. */
export type SecretRow = Omit<typeof secrets.$inferSelect, 'learned' | 'declared'>;

/** `rows`: at least one, of this endpoint and platform. The newest `kept` remain. */
type UnconfirmedSecrets = { endpoint: number; platform: string; rows: SecretRow[]; kept: number };

export type SecretsStore = ReturnType<typeof createSecretsStore>;

export function createSecretsStore(db: Drizzle) {
  const insertSecretIf = (row: SecretRow, condition: SQL | undefined) =>
    insertIf(db, secrets, { ...row, learned: !row.confirmed }, condition);
  const isSecret = (endpoint: number, id: string) => and(eq(secrets.id, id), eq(secrets.endpoint, endpoint));
  const isBelowLimit = (endpoint: number, limit: number) => {
    const isCounted = and(eq(secrets.endpoint, endpoint), eq(secrets.confirmed, true), eq(secrets.test, false));
    return lt(db.$count(secrets, isCounted), limit);
  };
  const isWindowOpen = (endpoint: number, now: number) =>
    exists(
      db
        .select({ seq: endpoints.seq })
        .from(endpoints)
        .where(and(eq(endpoints.seq, endpoint), gt(endpoints.learnSecretsUntil, now))),
    );
  const closeWindow = (endpoint: number, confirmedId: string) => {
    const confirmed = db
      .select({ id: secrets.id })
      .from(secrets)
      .where(and(eq(secrets.id, confirmedId), eq(secrets.confirmed, true)));
    return db
      .update(endpoints)
      .set({ learnSecretsUntil: null })
      .where(and(eq(endpoints.seq, endpoint), exists(confirmed)));
  };

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
    insertWithin: (limit: number, row: SecretRow): Promise<boolean> =>
      changesOne(insertSecretIf(row, isBelowLimit(row.endpoint, limit))),

    /** Inserts a test secret, unless the endpoint has one of this platform. */
    async insertTest(row: SecretRow): Promise<void> {
      await db.insert(secrets).values(row).onConflictDoNothing();
    },

    /** When the window for learned secrets closes, epoch ms; null without a window. */
    async learnsUntil(endpoint: number): Promise<number | null> {
      const until = { until: endpoints.learnSecretsUntil };
      return (await db.select(until).from(endpoints).where(eq(endpoints.seq, endpoint)).get())?.until ?? null;
    },

    /** Inserts a confirmed secret and closes the window, if the window is open at `now` and the limit is not reached. */
    async insertInWindow(row: SecretRow, now: number, limit: number): Promise<boolean> {
      const [inserted] = await db.batch([
        insertSecretIf(row, and(isWindowOpen(row.endpoint, now), isBelowLimit(row.endpoint, limit))),
        closeWindow(row.endpoint, row.id),
      ]);
      return inserted.rowsAffected === 1;
    },

    /** Confirms a secret and closes the window, if the window is open at `now` and the limit is not reached. */
    async confirmInWindow(endpoint: number, id: string, now: number, limit: number): Promise<boolean> {
      const [updated] = await db.batch([
        db
          .update(secrets)
          .set({ confirmed: true })
          .where(and(isSecret(endpoint, id), isWindowOpen(endpoint, now), isBelowLimit(endpoint, limit))),
        closeWindow(endpoint, id),
      ]);
      return updated.rowsAffected === 1;
    },

    /** Inserts learned secrets of one endpoint and platform. The newest `kept` of its learned, unconfirmed secrets remain. */
    async insertUnconfirmed({ endpoint, platform, rows, kept }: UnconfirmedSecrets): Promise<void> {
      const isUnconfirmed = and(
        eq(secrets.endpoint, endpoint),
        eq(secrets.platform, platform),
        eq(secrets.confirmed, false),
        eq(secrets.learned, true),
      );
      const newest = db
        .select({ id: secrets.id })
        .from(secrets)
        .where(isUnconfirmed)
        .orderBy(desc(secrets.createdAt), desc(secrets.id))
        .limit(kept);
      await db.batch([
        db.insert(secrets).values(rows.map(row => ({ ...row, learned: !row.confirmed }))),
        db.delete(secrets).where(and(isUnconfirmed, notInArray(secrets.id, newest))),
      ]);
    },

    /** Confirms a secret unless the endpoint already has `limit` confirmed secrets. True even if it was confirmed before. */
    confirm(endpoint: number, id: string, limit: number): Promise<boolean> {
      const mayBe = or(eq(secrets.confirmed, true), isBelowLimit(endpoint, limit));
      const update = db.update(secrets).set({ confirmed: true });
      return changesOne(update.where(and(isSecret(endpoint, id), mayBe)));
    },

    change: (
      endpoint: number,
      id: string,
      set: { maySign?: boolean; destinations?: readonly string[] },
    ): Promise<boolean> => changesOne(db.update(secrets).set(set).where(isSecret(endpoint, id))),

    remove: (endpoint: number, id: string): Promise<boolean> =>
      changesOne(db.delete(secrets).where(isSecret(endpoint, id))),
  };
}
