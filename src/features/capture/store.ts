/*
 * The one hot write of Hooktape: many deliveries, one commit. Raw SQL instead of Drizzle's builder, which would cost more than
 * the insert itself.
 */
import type { InValue } from '@libsql/client';
import type { NewEvent } from './preparer.ts';

const columns =
  'nonce, endpoint, received_at, size, encoding, method, platform, event_type, verdict, source_ip, sha256, path, query, preview, content'.split(
    ', ',
  );
const row = `(${columns.map(() => '?').join(', ')})`;
const insertText = (rows: number): string =>
  `INSERT INTO events (${columns.join(', ')}) VALUES ${new Array(rows).fill(row).join(', ')}`;
const countText =
  'UPDATE endpoints SET event_count = event_count + ?, last_received_at = max(ifnull(last_received_at, ?), ?) WHERE seq = ?';

/** Events as the database takes them: the values of all columns, one row after the other. */
export type Rows = readonly InValue[];

/** Where a group of rows lies: the row number of its first, and how many follow without a gap, itself included. */
export type Place = { first: number; rows: number };

const endpointAt = columns.indexOf('endpoint');
const receivedAtAt = columns.indexOf('received_at');

/** Runs all of them in one transaction, or none. */
type Write = (
  statements: { sql: string; args: InValue[] }[],
) => Promise<readonly { lastInsertRowid?: bigint | undefined }[]>;

export type CaptureStore = ReturnType<typeof createCaptureStore>;

/** @param rowsPerInsert one where statements are kept prepared; all of them where a statement costs a round trip, or its text */
export function createCaptureStore(write: Write, rowsPerInsert: 'one' | 'all') {
  const insertOne = insertText(1);

  const inserts = (rows: Rows): { sql: string; args: InValue[] }[] =>
    rowsPerInsert === 'one'
      ? eachRow(rows).map(args => ({ sql: insertOne, args }))
      : [{ sql: insertText(rows.length / columns.length), args: [...rows] }];

  return {
    /**
     * Stores all groups in one transaction, and keeps the endpoints' counters in the same one.
     * @returns a place for each; they follow each other without a gap, in order (AUTOINCREMENT, one transaction)
     */
    async insert(groups: readonly Rows[]): Promise<Place[]> {
      const rows = groups.flat();
      const statements = inserts(rows);
      const last = statements.length - 1;
      for (const [endpoint, { count, latest }] of touched(rows))
        statements.push({ sql: countText, args: [count, latest, latest, endpoint] });
      const results = await write(statements);
      let next = Number(results[last]?.lastInsertRowid ?? 0) - rows.length / columns.length + 1;
      return groups.map(group => {
        const place = { first: next, rows: group.length / columns.length };
        next += place.rows;
        return place;
      });
    },
  };
}

export const toRows = (events: readonly NewEvent[]): Rows =>
  events.flatMap(event => [
    event.nonce,
    event.endpoint,
    event.receivedAt,
    event.size,
    event.encoding,
    event.method,
    event.platform,
    event.eventType,
    event.verdict,
    event.sourceIp,
    event.sha256,
    event.path,
    event.query,
    event.preview,
    event.content,
  ]);

function eachRow(rows: Rows): InValue[][] {
  const all: InValue[][] = [];
  for (let at = 0; at < rows.length; at += columns.length) all.push(rows.slice(at, at + columns.length));
  return all;
}

/** By endpoint: how many there are, and when the latest came. */
function touched(rows: Rows): Map<number, { count: number; latest: number }> {
  const endpoints = new Map<number, { count: number; latest: number }>();
  for (let at = 0; at < rows.length; at += columns.length) {
    const endpoint = rows[at + endpointAt] as number;
    const receivedAt = rows[at + receivedAtAt] as number;
    const before = endpoints.get(endpoint);
    if (before) {
      before.count++;
      before.latest = Math.max(before.latest, receivedAt);
    } else endpoints.set(endpoint, { count: 1, latest: receivedAt });
  }
  return endpoints;
}
