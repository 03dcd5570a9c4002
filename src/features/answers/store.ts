/* The rules of endpoints. Ownership is part of every query. New rules get a new version, so sequences restart. */
import { and, eq } from 'drizzle-orm';
import type { Drizzle } from '../../db/database.ts';
import { insertIf } from '../../db/insert-if.ts';
import { isOwn, type OwnEndpoint } from '../../db/resource-store.ts';
import { answers } from '../../db/schema.ts';

/** `rules`: JSON. */
export type RulesRow = { version: number; endpoint: number; rules: Buffer };

export type AnswersStore = ReturnType<typeof createAnswersStore>;

export function createAnswersStore(db: Drizzle) {
  const columns = { version: answers.version, endpoint: answers.endpoint, rules: answers.rules };
  const rulesOf = (own: OwnEndpoint) => and(eq(answers.endpoint, own.endpoint), isOwn(db, own));

  return {
    async find(own: OwnEndpoint): Promise<RulesRow | undefined> {
      return (await db.select(columns).from(answers).where(rulesOf(own)))[0];
    },

    /** The rules of all endpoints. */
    all: (): Promise<RulesRow[]> => db.select(columns).from(answers),

    /** The rules of one endpoint, of any team. */
    async ofEndpoint(endpoint: number): Promise<RulesRow | undefined> {
      return (await db.select(columns).from(answers).where(eq(answers.endpoint, endpoint)))[0];
    },

    /** @returns the version of the rules; undefined if the endpoint no longer exists */
    async replace(own: OwnEndpoint, rules: Buffer, createdAt: number): Promise<number | undefined> {
      const row = { endpoint: own.endpoint, rules, createdAt };
      const removal = db.delete(answers).where(rulesOf(own));
      const [, inserted] = await db.batch([removal, insertIf(db, answers, row, isOwn(db, own))]);
      return inserted.rowsAffected === 1 ? Number(inserted.lastInsertRowid) : undefined;
    },

    /** @returns false if the endpoint had no rules */
    async remove(own: OwnEndpoint): Promise<boolean> {
      return (await db.delete(answers).where(rulesOf(own))).rowsAffected === 1;
    },
  };
}
