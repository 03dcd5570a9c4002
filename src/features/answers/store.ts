/* The rules of endpoints. Ownership is part of every query. New rules get a new version, so sequences restart. */

import type { Client } from '@libsql/client';
import { and, eq } from 'drizzle-orm';
import type { SequenceState } from '../../core/answers/evaluate.ts';
import type { Drizzle } from '../../db/database.ts';
import { insertIf } from '../../db/insert-if.ts';
import { toObjects } from '../../db/raw-rows.ts';
import { isOwn, type OwnEndpoint } from '../../db/resource-store.ts';
import { answers } from '../../db/schema.ts';

/** `rules`: JSON. `createdAt`: when they were saved, epoch ms. */
export type RulesRow = { version: number; endpoint: number; rules: Buffer; createdAt: number };

type Key = { version: number; slot: number; delivery: number };

export type SequencesStore = ReturnType<typeof createSequencesStore>;

export function createSequencesStore(client: Pick<Client, 'execute'>) {
  return {
    /** The states of these sequences, except sequences that have not begun. */
    async states(keys: readonly Key[]): Promise<(Key & { state: SequenceState })[]> {
      const result = await client.execute({
        sql: `SELECT version, slot, delivery, max(n) AS n, json_group_array(at) AS times FROM (
            SELECT sequences.* FROM json_each(?) AS given
            CROSS JOIN sequences ON version = json_extract(given.value, '$[0]')
              AND slot = json_extract(given.value, '$[1]') AND delivery = json_extract(given.value, '$[2]')
            ORDER BY version, slot, delivery, n)
          GROUP BY version, slot, delivery`,
        args: [JSON.stringify(keys.map(({ version, slot, delivery }) => [version, slot, delivery]))],
      });
      return toObjects<Key & { n: number; times: string }>(result).map(({ n, times, ...key }) => ({
        ...key,
        state: { n, times: JSON.parse(times) as number[] },
      }));
    },
  };
}

export type AnswersStore = ReturnType<typeof createAnswersStore>;

export function createAnswersStore(db: Drizzle) {
  const { version, endpoint, rules, createdAt } = answers;
  const columns = { version, endpoint, rules, createdAt };
  const rulesOf = (own: OwnEndpoint) => and(eq(answers.endpoint, own.endpoint), isOwn(db, own));

  return {
    async find(own: OwnEndpoint): Promise<RulesRow | undefined> {
      return db.select(columns).from(answers).where(rulesOf(own)).get();
    },

    /** The rules of all endpoints. */
    all: (): Promise<RulesRow[]> => db.select(columns).from(answers),

    /** The rules of one endpoint, of any team. */
    async ofEndpoint(endpoint: number): Promise<RulesRow | undefined> {
      return db.select(columns).from(answers).where(eq(answers.endpoint, endpoint)).get();
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
