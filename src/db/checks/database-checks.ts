/*
 * Is what is stored in order? Reads everything and changes nothing. Whatever may be damaged is read as bytes: libSQL ends
 * the process over text that is not UTF-8.
 */
import type { Client, Row } from '@libsql/client';
import { type Sealer, sealPurpose } from '../../core/seal.ts';
import { contentProblems } from './content-check.ts';

/** A look at one thing; the problems in words, none when it is in order. */
export type Check = { name: string; run: () => Promise<string[]> };

const shown = 100;
const decoder = new TextDecoder();

const words = (row: Row, column: number): string => decoder.decode(row[column] as ArrayBuffer);
const plural = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;

/** The file's structure, page by page. */
export async function structureProblems(client: Client, how: 'integrity_check' | 'quick_check'): Promise<string[]> {
  try {
    const { rows } = await client.execute(`SELECT CAST(${how} AS BLOB) FROM pragma_${how}(${shown})`);
    const found = rows.map(row => words(row, 0));
    return found.length === 1 && found[0] === 'ok' ? [] : found;
  } catch (error) {
    return [(error as Error).message];
  }
}

/**
 * Everything that is true of a sound database.
 * @param file whether it is an embedded file; a server checks its own files
 */
export function databaseChecks(client: Client, sealer: Sealer, file: boolean): Check[] {
  const rowsOf = async (sql: string): Promise<Row[]> => (await client.execute(sql)).rows;

  const structure: Check = { name: 'structure', run: () => structureProblems(client, 'integrity_check') };
  const rest: Check[] = [
    {
      name: 'references',
      run: async () =>
        (
          await rowsOf(
            'SELECT CAST("table" AS BLOB), CAST(parent AS BLOB), count(*) FROM pragma_foreign_key_check GROUP BY 1, 2',
          )
        ).map(row => `${words(row, 0)}: ${plural(Number(row[2]), 'row')} without their row in ${words(row, 1)}`),
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
             WHERE event_count <> stored OR last_received_at IS NOT last LIMIT ${shown}`,
          )
        ).map(row =>
          row[1] === row[2]
            ? `endpoint ${words(row, 0)} says ${row[3]} of its newest event, which came at ${row[4]}`
            : `endpoint ${words(row, 0)} counts ${plural(Number(row[1]), 'event')} and has ${row[2]}`,
        ),
    },
    {
      name: 'orphans',
      run: async () => {
        const [row] = await rowsOf(
          `SELECT (SELECT count(*) FROM events WHERE endpoint NOT IN (SELECT seq FROM endpoints)),
                  (SELECT count(*) FROM replays WHERE event NOT IN (SELECT seq FROM events))`,
        );
        const [events, replays] = [Number(row?.[0]), Number(row?.[1])];
        return [
          ...(events > 0 ? [`${plural(events, 'event')} without an endpoint; the sweeper removes them`] : []),
          ...(replays > 0 ? [`${plural(replays, 'replay')} without an event`] : []),
        ];
      },
    },
    { name: 'contents', run: () => contentProblems(client) },
    {
      name: 'secrets',
      run: async () =>
        (await rowsOf('SELECT CAST(id AS BLOB), sealed FROM secrets'))
          .filter(
            row =>
              sealer.open(new Uint8Array(row[1] as ArrayBuffer), sealPurpose.signingSecret(words(row, 0))) ===
              undefined,
          )
          .map(row => `signing secret ${words(row, 0)} cannot be opened with HOOKTAPE_SECRET`),
    },
  ];
  return file ? [structure, ...rest] : rest;
}
