/* The checks of `hooktape check`. Text is read as bytes: libSQL aborts the process on TEXT that is not UTF-8. */
import type { Client, Row } from '@libsql/client';
import { type Sealer, sealPurpose } from '../../core/secrets/seal.ts';
import { bucketOf } from '../delivery-attempts.ts';
import { contentProblems } from './content-check.ts';

/** `run` returns problems as sentences; an empty list if everything is right. */
export type Check = { name: string; run: () => Promise<string[]> };

const maxReported = 100;
const decoder = new TextDecoder();

const textAt = (row: Row, column: number): string => decoder.decode(row[column] as ArrayBuffer);
const plural = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;

export async function structureProblems(client: Client, pragma: 'integrity_check' | 'quick_check'): Promise<string[]> {
  try {
    const { rows } = await client.execute(`SELECT CAST(${pragma} AS BLOB) FROM pragma_${pragma}(${maxReported})`);
    const found = rows.map(row => textAt(row, 0));
    return found.length === 1 && found[0] === 'ok' ? [] : found;
  } catch (error) {
    return [(error as Error).message];
  }
}

/** All checks, in order. @param isFile false for a libSQL server, which checks its own files */
export function databaseChecks(client: Client, sealer: Sealer, isFile: boolean): Check[] {
  const rowsOf = async (sql: string): Promise<Row[]> => (await client.execute(sql)).rows;

  const structure: Check = { name: 'structure', run: () => structureProblems(client, 'integrity_check') };
  const checks: Check[] = [
    {
      name: 'references',
      run: async () =>
        (
          await rowsOf(
            'SELECT CAST("table" AS BLOB), CAST(parent AS BLOB), count(*) FROM pragma_foreign_key_check GROUP BY 1, 2',
          )
        ).map(
          row => `${textAt(row, 0)}: ${plural(Number(row[2]), 'row')} referring to a missing row in ${textAt(row, 1)}`,
        ),
    },
    {
      name: 'counters',
      run: async () =>
        (
          await rowsOf(
            `SELECT CAST(id AS BLOB), event_count, stored, last_received_at, last FROM (
               SELECT id, event_count, last_received_at,
                      (SELECT count(*) FROM events WHERE endpoint = endpoints.seq) AS stored,
                      (SELECT max(received_at) FROM events WHERE endpoint = endpoints.seq) AS last
               FROM endpoints)
             WHERE event_count <> stored OR last_received_at IS NOT last LIMIT ${maxReported}`,
          )
        ).map(row =>
          row[1] === row[2]
            ? `endpoint ${textAt(row, 0)} records its newest event at ${row[3]}, but the newest event was received at ${row[4]}`
            : `endpoint ${textAt(row, 0)} records ${plural(Number(row[1]), 'event')} but has ${row[2]}`,
        ),
    },
    {
      name: 'orphans',
      run: async () => {
        const [row] = await rowsOf(
          `SELECT (SELECT count(*) FROM events WHERE endpoint NOT IN (SELECT seq FROM endpoints)),
                  (SELECT count(*) FROM replays WHERE event NOT IN (SELECT seq FROM events)),
                  (SELECT count(*) FROM delivery_attempts AS found WHERE NOT EXISTS
                    (SELECT 1 FROM events WHERE seq = found.event AND delivery = found.delivery
                       AND ${bucketOf('seq')} = found.bucket)),
                  (SELECT count(*) FROM events WHERE delivery IS NOT NULL AND NOT EXISTS
                    (SELECT 1 FROM delivery_attempts AS found WHERE found.bucket = ${bucketOf('events.seq')}
                       AND found.delivery = events.delivery AND found.event = events.seq))`,
        );
        const [events = 0, replays = 0, attempts = 0, unlisted = 0] = Array.from({ length: 4 }, (_, column) =>
          Number(row?.[column]),
        );
        return [
          ...(events > 0 ? [`${plural(events, 'event')} without an endpoint; the retention sweep removes them`] : []),
          ...(replays > 0 ? [`${plural(replays, 'replay')} without an event`] : []),
          ...(attempts > 0 ? [`${plural(attempts, 'attempt')} without an event`] : []),
          ...(unlisted > 0
            ? [
                `${plural(unlisted, 'event')} missing from the attempts of ${unlisted === 1 ? 'its delivery' : 'their deliveries'}`,
              ]
            : []),
        ];
      },
    },
    { name: 'contents', run: () => contentProblems(client) },
    { name: 'secrets', run: () => secretProblems(rowsOf, sealer) },
  ];
  return isFile ? [structure, ...checks] : checks;
}

/** By table: the query for ids and sealed values, and the purpose and the sentence for an id. */
const sealed: readonly [sql: string, purpose: (id: string) => string, what: (id: string) => string][] = [
  ['SELECT CAST(id AS BLOB), sealed FROM secrets', sealPurpose.signingSecret, id => `signing secret ${id}`],
  [
    'SELECT CAST(id AS BLOB), guard_secrets FROM endpoints WHERE guard_secrets IS NOT NULL AND deleted_at IS NULL',
    sealPurpose.guard,
    id => `the guard credentials of ${id}`,
  ],
  ['SELECT CAST(id AS BLOB), channel FROM alerts', sealPurpose.alertChannel, id => `the channel of alert ${id}`],
  ['SELECT CAST(account_id AS BLOB), secret FROM totps', sealPurpose.totp, id => `the one-time codes of ${id}`],
];

async function secretProblems(rowsOf: (sql: string) => Promise<Row[]>, sealer: Sealer): Promise<string[]> {
  const problems: string[] = [];
  for (const [sql, purpose, what] of sealed)
    for (const row of await rowsOf(sql)) {
      const id = textAt(row, 0);
      if (sealer.open(new Uint8Array(row[1] as ArrayBuffer), purpose(id)) === undefined)
        problems.push(`${what(id)} cannot be decrypted with HOOKTAPE_SECRET`);
    }
  return problems;
}
