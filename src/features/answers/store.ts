/* The rules of endpoints. Ownership is part of every query. New rules get a new version, so sequences restart. */
import { and, eq, exists, isNull } from 'drizzle-orm';
import type { Drizzle } from '../../db/database.ts';
import { insertIf } from '../../db/insert-if.ts';
import { answers, endpoints } from '../../db/schema.ts';

/** `rules`: JSON. */
export type RulesRow = { version: number; endpoint: number; rules: Buffer };

export type OwnEndpoint = { teamId: string; endpoint: number };

export type AnswersStore = ReturnType<typeof createAnswersStore>;

export function createAnswersStore(db: Drizzle) {
  const columns = { version: answers.version, endpoint: answers.endpoint, rules: answers.rules };
  const owned = ({ teamId, endpoint }: OwnEndpoint) =>
    exists(
      db
        .select({ seq: endpoints.seq })
        .from(endpoints)
        .where(and(eq(endpoints.seq, endpoint), eq(endpoints.teamId, teamId), isNull(endpoints.deletedAt))),
    );
  const of = (own: OwnEndpoint) => and(eq(answers.endpoint, own.endpoint), owned(own));

  return {
    async find(own: OwnEndpoint): Promise<RulesRow | undefined> {
      return (await db.select(columns).from(answers).where(of(own)))[0];
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
      const [, inserted] = await db.batch([db.delete(answers).where(of(own)), insertIf(db, answers, row, owned(own))]);
      return inserted.rowsAffected === 1 ? Number(inserted.lastInsertRowid) : undefined;
    },

    /** @returns false if the endpoint had no rules */
    async remove(own: OwnEndpoint): Promise<boolean> {
      return (await db.delete(answers).where(of(own))).rowsAffected === 1;
    },
  };
}
