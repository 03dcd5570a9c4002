/*
 * Inserts the outcomes of events, the steps of sequences, what was redacted, and which signatures are invalid. Run after the rows of the batch, in the same
 * transaction. Raw SQL, because Drizzle has no json_each: all values of a batch are one parameter.
 */
import type { InValue } from '@libsql/client';
import type { Count } from '../core/answers/model.ts';
import { type PackedRows, type RowOutcome, readHead } from './pack-rows.ts';

type Statement = { sql: string; args: InValue[] };

/** ?1: the row number of the batch's first event, or null for the last batch that was inserted. ?2: how many rows it has. */
const rowOf = (position: string): string =>
  `ifnull(?1, (SELECT seq FROM sqlite_sequence WHERE name = 'events') - ?2 + 1) + ${position}`;
const field = (index: number): string => `json_extract(given.value, '$[${index}]')`;

const insertOutcomes = `INSERT INTO outcomes (event, endpoint, received_at, status, rule, delay_ms, fault, limited, refused)
  SELECT ${rowOf(field(0))}, ${[1, 2, 3, 4, 5, 6, 7, 8].map(field).join(', ')} FROM json_each(?3) AS given`;

const insertRedactions = `INSERT INTO redactions (event, endpoint, received_at, rules, fields, sha256)
  SELECT ${rowOf(field(0))}, ${[1, 2, 3, 4, 5].map(field).join(', ')} FROM json_each(?3) AS given`;

const insertInvalid = `INSERT INTO invalid_signatures (event, endpoint, received_at)
  SELECT seq, endpoint, received_at FROM json_each(?3) AS given CROSS JOIN events ON seq = ${rowOf('given.value')}`;

/** A key is [version, slot, delivery, the steps up to which are removed, the step that must be the last one]. */
const ofKey = `sequences.version = ${field(0)} AND slot = ${field(1)} AND delivery = ${field(2)}`;
/** Fails if the last step of a key differs from the step that was read, because another process has stored a step since. */
const checkSteps = `INSERT INTO sequences (version, slot, delivery, n, at, event)
  SELECT ${field(0)}, ${field(1)}, ${field(2)}, NULL, 0, 0 FROM json_each(?) AS given
  WHERE ifnull((SELECT max(n) FROM sequences WHERE ${ofKey}), 0) <> ${field(4)}`;
const removeSteps = `DELETE FROM sequences WHERE (version, slot, delivery, n) IN
  (SELECT version, slot, delivery, n FROM json_each(?) AS given CROSS JOIN sequences ON ${ofKey} AND n <= ${field(3)})`;
/** Steps of rules that have since been replaced are left out. */
const insertSteps = `INSERT OR REPLACE INTO sequences (version, slot, delivery, n, at, event)
  SELECT ${[0, 1, 2, 3, 4].map(field).join(', ')}, ${rowOf(field(5))} FROM json_each(?3) AS given
  WHERE EXISTS (SELECT 1 FROM answers WHERE version = ${field(0)})`;

/** Whether an insert failed because another process has stored a step of the same sequence since. */
export const isOvertaken = (error: unknown): boolean => /sequences\.n\b/.test((error as Error).message);

export function outcomeStatements(packed: PackedRows): Statement[] {
  const { outcomes = [], redactions, invalid } = packed;
  const { first } = readHead(packed);
  const start = [Number.isNaN(first) ? null : first, packed.count];
  const statements: Statement[] = [];
  if (invalid) statements.push({ sql: insertInvalid, args: [...start, JSON.stringify(invalid)] });
  if (redactions) {
    const rows = redactions.map(({ row, endpoint, receivedAt, redacted: { rules, fields, sha256 } }) => [
      row,
      endpoint,
      receivedAt,
      rules,
      JSON.stringify(fields),
      sha256,
    ]);
    statements.push({ sql: insertRedactions, args: [...start, JSON.stringify(rows)] });
  }
  const rows = outcomes.flatMap(({ row, endpoint, receivedAt, outcome: { answered, refused } }) =>
    answered
      ? [
          [
            row,
            endpoint,
            receivedAt,
            answered.status,
            answered.rule,
            answered.delayMs,
            answered.fault,
            Number(answered.limited),
            refused,
          ],
        ]
      : [],
  );
  if (rows.length > 0) statements.push({ sql: insertOutcomes, args: [...start, JSON.stringify(rows)] });
  const { keys, checked, steps } = stepsOf(outcomes);
  if (steps.length === 0) return statements;
  if (checked.length > 0) statements.push({ sql: checkSteps, args: [JSON.stringify(checked)] });
  statements.push(
    { sql: removeSteps, args: [JSON.stringify(keys)] },
    { sql: insertSteps, args: [...start, JSON.stringify(steps)] },
  );
  return statements;
}

/** Selects the steps that are needed later, and the keys of their sequences. */
function stepsOf(outcomes: readonly RowOutcome[]) {
  const sequences = new Map<string, { count: Count; row: number }[]>();
  for (const { row, outcome } of outcomes)
    for (const count of outcome.counts) {
      const key = `${count.version}:${count.slot}:${count.delivery}`;
      const steps = sequences.get(key);
      if (steps) steps.push({ count, row });
      else sequences.set(key, [{ count, row }]);
    }
  const all = [...sequences.values()];
  const keys = all.map(of => {
    const { version, slot, delivery, n, keep } = (of.at(-1) as (typeof of)[number]).count;
    // One step is the whole state. A sequence may also restart with a lower number.
    return [version, slot, delivery, keep === 1 ? Number.MAX_SAFE_INTEGER : n - keep, of[0]?.count.before ?? null];
  });
  const steps = all.flatMap(of =>
    of
      .slice(-(of[0]?.count.keep ?? 1))
      .map(({ count: { version, slot, delivery, n, at }, row }) => [version, slot, delivery, n, at, row]),
  );
  return { keys, checked: keys.filter(key => key[4] !== null), steps };
}
