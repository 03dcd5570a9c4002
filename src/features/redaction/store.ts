/* The redaction rules of endpoints. Ownership is part of every query. New rules get a new version. */
import { and, eq } from 'drizzle-orm';
import type { Drizzle } from '../../db/database.ts';
import { insertIf } from '../../db/insert-if.ts';
import { isOwn, type OwnEndpoint } from '../../db/resource-store.ts';
import { redactionRules } from '../../db/schema.ts';

/** `redaction`: JSON. */
export type RedactionRow = { version: number; endpoint: number; redaction: Buffer };

export type RedactionStore = ReturnType<typeof createRedactionStore>;

export function createRedactionStore(db: Drizzle) {
  const { version, endpoint, redaction } = redactionRules;
  const columns = { version, endpoint, redaction };
  const rulesOf = (own: OwnEndpoint) => and(eq(endpoint, own.endpoint), isOwn(db, own));

  return {
    find: (own: OwnEndpoint): Promise<RedactionRow | undefined> =>
      db.select(columns).from(redactionRules).where(rulesOf(own)).get(),

    /** The rules of all endpoints. */
    all: (): Promise<RedactionRow[]> => db.select(columns).from(redactionRules),

    /** The rules of one endpoint, of any team. */
    ofEndpoint: (seq: number): Promise<RedactionRow | undefined> =>
      db.select(columns).from(redactionRules).where(eq(endpoint, seq)).get(),

    /** @returns the version of the rules; undefined if the endpoint no longer exists */
    async replace(own: OwnEndpoint, given: Buffer, createdAt: number): Promise<number | undefined> {
      const row = { endpoint: own.endpoint, redaction: given, createdAt };
      const removal = db.delete(redactionRules).where(rulesOf(own));
      const [, inserted] = await db.batch([removal, insertIf(db, redactionRules, row, isOwn(db, own))]);
      return inserted.rowsAffected === 1 ? Number(inserted.lastInsertRowid) : undefined;
    },

    async remove(own: OwnEndpoint): Promise<void> {
      await db.delete(redactionRules).where(rulesOf(own));
    },
  };
}
