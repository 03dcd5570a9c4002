/*
 * What is kept about events in tables of its own: attempts to send them again, marks, items of queues, schemas, texts of alerts. Reads
 * it page by page, and has the statement that takes a text out of each kind. Raw SQL, because the pages of all kinds are alike.
 */
import type { Client, InStatement, Row } from '@libsql/client';

/** One value of a row that may have the text, or several. */
export type KeptRow = { key: (number | string)[]; values: Uint8Array[] };

export type KeptKind = {
  name: string;
  /** The rows after a key, in the order of their key. ?1: the team, ?2: the last number of the key, ?3: a limit. */
  sql: string;
  /** How many columns of the query are the key; the first is a number by which the pages go. */
  keyColumns: number;
  /** Takes the text out of a row. `value`: a stored value without the text, from `Rewrite`. */
  forget: (key: readonly (number | string)[], value: Uint8Array | undefined) => InStatement;
  /** Whether `forget` gets the first value without the text. */
  isRewritten?: boolean;
};

const ofTeam = 'IN (SELECT seq FROM endpoints WHERE team_id = ?1)';

const keptKinds: readonly KeptKind[] = [
  {
    name: 'replays',
    sql: `SELECT replays.seq, destination, response, request FROM replays JOIN events ON events.seq = event
          WHERE replays.seq > ?2 AND events.endpoint ${ofTeam} ORDER BY replays.seq LIMIT ?3`,
    keyColumns: 1,
    // The path of a destination can have a text, its origin cannot.
    forget: ([seq = 0]) => ({
      sql: `UPDATE replays SET response = NULL, request = NULL, destination = ifnull(
              substr(destination, 1, instr(destination, '://') + 2) || substr(substr(destination, instr(destination, '://') + 3), 1,
                instr(substr(destination, instr(destination, '://') + 3) || '/', '/') - 1), '') WHERE seq = ?`,
      args: [seq],
    }),
  },
  {
    name: 'pins',
    sql: `SELECT event, name, note FROM pins WHERE event > ?2 AND endpoint ${ofTeam} ORDER BY event LIMIT ?3`,
    keyColumns: 1,
    forget: ([event = 0]) => ({ sql: 'UPDATE pins SET name = NULL, note = NULL WHERE event = ?', args: [event] }),
  },
  {
    name: 'tags',
    sql: `SELECT event, tag, tag FROM tags WHERE event > ?2 AND endpoint ${ofTeam} ORDER BY event LIMIT ?3`,
    keyColumns: 2,
    forget: key => ({ sql: 'DELETE FROM tags WHERE event = ? AND tag = ?', args: [...key] }),
  },
  {
    name: 'items of queues',
    sql: `SELECT seq, error, detail FROM queue_items WHERE seq > ?2
          AND queue IN (SELECT seq FROM queues WHERE team_id = ?1) ORDER BY seq LIMIT ?3`,
    keyColumns: 1,
    forget: ([seq = 0]) => ({ sql: 'UPDATE queue_items SET error = NULL, detail = NULL WHERE seq = ?', args: [seq] }),
  },
  {
    name: 'answers of replay jobs',
    sql: `SELECT item, content FROM job_answers WHERE item > ?2
          AND item IN (SELECT seq FROM queue_items WHERE queue IN (SELECT seq FROM queues WHERE team_id = ?1))
          ORDER BY item LIMIT ?3`,
    keyColumns: 1,
    forget: ([item = 0]) => ({ sql: 'DELETE FROM job_answers WHERE item = ?', args: [item] }),
  },
  {
    name: 'changes of schemas',
    sql: `SELECT seq, path, type FROM schema_changes WHERE seq > ?2 AND endpoint ${ofTeam} ORDER BY seq LIMIT ?3`,
    keyColumns: 1,
    forget: ([seq = 0]) => ({ sql: 'DELETE FROM schema_changes WHERE seq = ?', args: [seq] }),
  },
  {
    name: 'types of schemas',
    sql: `SELECT seq, type, platform FROM schemas WHERE seq > ?2 AND endpoint ${ofTeam} ORDER BY seq LIMIT ?3`,
    keyColumns: 1,
    forget: ([seq = 0]) => ({ sql: 'DELETE FROM schemas WHERE seq = ?', args: [seq] }),
  },
  {
    name: 'schemas',
    sql: `SELECT seq, shape FROM schemas WHERE seq > ?2 AND endpoint ${ofTeam} ORDER BY seq LIMIT ?3`,
    keyColumns: 1,
    isRewritten: true,
    forget: ([seq = 0], shape) =>
      shape
        ? { sql: 'UPDATE schemas SET shape = ? WHERE seq = ?', args: [shape, seq] }
        : { sql: 'DELETE FROM schemas WHERE seq = ?', args: [seq] },
  },
  {
    name: 'changes of alerts',
    sql: `SELECT seq, text FROM alert_changes WHERE seq > ?2 AND endpoint ${ofTeam} ORDER BY seq LIMIT ?3`,
    keyColumns: 1,
    forget: ([seq = 0]) => ({ sql: 'DELETE FROM alert_changes WHERE seq = ?', args: [seq] }),
  },
  {
    name: 'errors of alerts',
    sql: `SELECT seq, last_error FROM alerts WHERE seq > ?2 AND endpoint ${ofTeam} ORDER BY seq LIMIT ?3`,
    keyColumns: 1,
    forget: ([seq = 0]) => ({ sql: 'UPDATE alerts SET last_error = NULL WHERE seq = ?', args: [seq] }),
  },
  {
    name: 'errors of subscriptions',
    sql: 'SELECT seq, last_error FROM mcp_subscriptions WHERE seq > ?2 AND team_id = ?1 ORDER BY seq LIMIT ?3',
    keyColumns: 1,
    forget: ([seq = 0]) => ({ sql: 'UPDATE mcp_subscriptions SET last_error = NULL WHERE seq = ?', args: [seq] }),
  },
];

const pageRows = 200;

export type KeptStore = ReturnType<typeof createKeptStore>;

/** @param client for long reads */
export const createKeptStore = (client: Pick<Client, 'execute'>) => ({
  kinds: keptKinds,

  /** All rows of a kind. Rows with an equal first number, such as the tags of an event, may come twice. */
  async *rows({ sql, keyColumns }: KeptKind, teamId: string): AsyncGenerator<KeptRow> {
    for (let after = -1; ; ) {
      const { rows } = await client.execute({ sql, args: [teamId, after, pageRows] });
      for (const row of rows) yield toKept(row, keyColumns);
      const last = rows.at(-1);
      if (!last || rows.length < pageRows) return;
      // The last one may have others with the same number on the next page.
      after = Math.max(after + 1, Number(last[0]) - (keyColumns > 1 ? 1 : 0));
    }
  },
});

function toKept(row: Row, keyColumns: number): KeptRow {
  const values = Array.from({ length: row.length }, (_, i) => row[i]);
  return {
    key: values.slice(0, keyColumns).map(value => (typeof value === 'string' ? value : Number(value))),
    values: values.slice(keyColumns).flatMap(value => {
      if (typeof value === 'string') return [Buffer.from(value)];
      return value instanceof ArrayBuffer ? [new Uint8Array(value)] : [];
    }),
  };
}
