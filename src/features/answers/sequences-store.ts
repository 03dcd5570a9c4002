/* Reads the states of sequences. Raw SQL, because the keys are passed as one JSON value, for which Drizzle has no table. */
import type { Client } from '@libsql/client';
import type { SequenceState } from '../../core/answers/evaluate.ts';

type Key = { version: number; slot: number; delivery: number };

export type SequencesStore = ReturnType<typeof createSequencesStore>;

export function createSequencesStore(client: Pick<Client, 'execute'>) {
  return {
    /** The states of these sequences, except sequences that have not begun. */
    async states(keys: readonly Key[]): Promise<(Key & { state: SequenceState })[]> {
      const { rows } = await client.execute({
        sql: `SELECT version, slot, delivery, max(n), json_group_array(at) FROM (
            SELECT sequences.* FROM json_each(?) AS given
            CROSS JOIN sequences ON version = json_extract(given.value, '$[0]')
              AND slot = json_extract(given.value, '$[1]') AND delivery = json_extract(given.value, '$[2]')
            ORDER BY version, slot, delivery, n)
          GROUP BY version, slot, delivery`,
        args: [JSON.stringify(keys.map(({ version, slot, delivery }) => [version, slot, delivery]))],
      });
      return rows.map(row => ({
        version: Number(row[0]),
        slot: Number(row[1]),
        delivery: Number(row[2]),
        state: { n: Number(row[3]), times: JSON.parse(String(row[4])) as number[] },
      }));
    },
  };
}
