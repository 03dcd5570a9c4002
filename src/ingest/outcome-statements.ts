/* Inserts outcomes, steps of sequences, redactions and invalid signatures, after the rows, in the same transaction. */
import type { InValue } from '@libsql/client';
import type { Answered } from '../core/answers/model.ts';
import { type PackedRows, type RowOutcome, readHead } from './pack-rows.ts';

export type Statement = { sql: string; args: InValue[] };

/** ?1: the row number of the batch's first event, or null for the last batch that was inserted. ?2: how many rows it has. */
const rowOf = (position: string): string =>
  `ifnull(?1, (SELECT seq FROM sqlite_sequence WHERE name = 'events') - ?2 + 1) + ${position}`;
const field = (path: string): string => `json_extract(given.value, '$.${path}')`;
/** From a list of objects; `row` is the position of an event in the batch. */
const select = (paths: readonly string[]): string =>
  `SELECT ${rowOf(field('row'))}, ${paths.map(field).join(', ')} FROM json_each(?3) AS given`;

const answered = ['status', 'rule', 'delayMs', 'fault', 'limited'] satisfies (keyof Answered)[];
const insertOutcomes = `INSERT INTO outcomes (event, endpoint, received_at, status, rule, delay_ms, fault, limited, refused)
  ${select(['endpoint', 'receivedAt', ...answered.map(name => `outcome.answered.${name}`), 'outcome.refused'])}`;

const insertRedactions = `INSERT INTO redactions (event, endpoint, received_at, rules, fields, sha256)
  ${select(['endpoint', 'receivedAt', 'redacted.rules', 'redacted.fields', 'redacted.sha256'])}`;

const insertInvalid = `INSERT INTO invalid_signatures (event, endpoint, received_at)
  SELECT seq, endpoint, received_at FROM json_each(?3) AS given CROSS JOIN events ON seq = ${rowOf('given.value')}`;

const keyNames = ['version', 'slot', 'delivery'];
const ofKey = keyNames.map(name => `sequences.${name} = ${field(name)}`).join(' AND ');
/** Fails if the last step of a key differs from the step that was read, because another process has stored a step since. */
const checkSteps = `INSERT INTO sequences (version, slot, delivery, n, at, event)
  SELECT ${keyNames.map(field).join(', ')}, NULL, 0, 0 FROM json_each(?) AS given
  WHERE ifnull((SELECT max(n) FROM sequences WHERE ${ofKey}), 0) <> ${field('before')}`;
const removeSteps = `DELETE FROM sequences WHERE (version, slot, delivery, n) IN
  (SELECT version, slot, delivery, n FROM json_each(?) AS given CROSS JOIN sequences ON ${ofKey} AND n <= ${field('upTo')})`;
/** Steps of rules that have since been replaced are left out. */
const insertSteps = `INSERT OR REPLACE INTO sequences (version, slot, delivery, n, at, event)
  SELECT ${[...keyNames, 'n', 'at'].map(name => field(`count.${name}`)).join(', ')}, ${rowOf(field('row'))} FROM json_each(?3) AS given
  WHERE EXISTS (SELECT 1 FROM answers WHERE version = ${field('count.version')})`;

/** Whether an insert failed because another process has stored a step of the same sequence since. */
export const isOvertaken = (error: unknown): boolean => /sequences\.n\b/.test((error as Error).message);

export function outcomeStatements(packed: PackedRows): Statement[] {
  const { outcomes = [], redactions, invalid } = packed;
  const { first } = readHead(packed);
  const start = [Number.isNaN(first) ? null : first, packed.count];
  const statements: Statement[] = [];
  if (invalid) statements.push({ sql: insertInvalid, args: [...start, JSON.stringify(invalid)] });
  if (redactions) statements.push({ sql: insertRedactions, args: [...start, JSON.stringify(redactions)] });
  const rows = outcomes.filter(({ outcome }) => outcome.answered);
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
  const counted = outcomes.flatMap(({ row, outcome }) => outcome.counts.map(count => ({ count, row })));
  const sequences = Map.groupBy(counted, ({ count: { version, slot, delivery } }) => `${version}:${slot}:${delivery}`);
  const all = [...sequences.values()];
  const keys = all.map(of => {
    const { version, slot, delivery, n, keep } = (of.at(-1) as (typeof of)[number]).count;
    // One step is the whole state. A sequence may also restart with a lower number.
    const upTo = keep === 1 ? Number.MAX_SAFE_INTEGER : n - keep;
    return { version, slot, delivery, upTo, before: of[0]?.count.before };
  });
  const steps = all.flatMap(of => of.slice(-(of[0]?.count.keep ?? 1)));
  return { keys, checked: keys.filter(({ before }) => before !== undefined), steps };
}
