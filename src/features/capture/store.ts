/*
 * The one hot write of Hooktape: many deliveries, one commit. Raw SQL instead of Drizzle's builder, which would cost more than
 * the insert itself.
 */
import type { InValue } from '@libsql/client';
import type { NewEvent } from './preparer.ts';

const columnNames =
  'nonce, endpoint, received_at, size, encoding, method, platform, event_type, verdict, source_ip, sha256, path, query, preview, content';
const columns = columnNames.split(', ').length;
const row = `(${columnNames.replace(/\w+/g, '?')})`;
const insertText = (rows: number): string =>
  `INSERT INTO events (${columnNames}) VALUES ${new Array(rows).fill(row).join(', ')}`;
const countText =
  'UPDATE endpoints SET event_count = event_count + ?, last_received_at = max(ifnull(last_received_at, ?), ?) WHERE seq = ?';

/** Events as the database takes them. */
export type Rows = {
  rows: number;
  /** The values of all columns, one row after the other. */
  values: InValue[];
  touched: Touched[];
};

/** What rows add to an endpoint's counters: how many there are, and when the latest came. */
type Touched = { endpoint: number; count: number; latest: number };

/** Runs all of them in one transaction, or none. */
type Write = (
  statements: { sql: string; args: InValue[] }[],
) => Promise<readonly { lastInsertRowid?: bigint | undefined }[]>;

export type CaptureStore = ReturnType<typeof createCaptureStore>;

/** @param rowsPerInsert one where statements are kept prepared; all of them where a statement costs a round trip, or its text */
export function createCaptureStore(write: Write, rowsPerInsert: 'one' | 'all') {
  const insertOne = insertText(1);

  const inserts = (all: readonly Rows[]): { sql: string; args: InValue[] }[] => {
    if (rowsPerInsert === 'all') {
      const values = all.flatMap(one => one.values);
      return [{ sql: insertText(values.length / columns), args: values }];
    }
    const statements: { sql: string; args: InValue[] }[] = [];
    for (const { values } of all)
      for (let at = 0; at < values.length; at += columns)
        statements.push({ sql: insertOne, args: values.slice(at, at + columns) });
    return statements;
  };

  return {
    /**
     * Stores all of them in one transaction, and keeps the endpoints' counters in the same one.
     * @returns the row number of the first; the others follow without a gap, in order (AUTOINCREMENT, one transaction)
     */
    async insert(all: readonly Rows[]): Promise<number> {
      const statements = inserts(all);
      const last = statements.length - 1;
      for (const { endpoint, count, latest } of sum(all.flatMap(({ touched }) => touched)))
        statements.push({ sql: countText, args: [count, latest, latest, endpoint] });
      const results = await write(statements);
      const rows = all.reduce((count, one) => count + one.rows, 0);
      return Number(results[last]?.lastInsertRowid ?? 0) - rows + 1;
    },
  };
}

export function toRows(events: readonly NewEvent[]): Rows {
  const values: InValue[] = [];
  for (const event of events)
    values.push(
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
    );
  const touched = sum(events.map(({ endpoint, receivedAt }) => ({ endpoint, count: 1, latest: receivedAt })));
  return { rows: events.length, values, touched };
}

/** One for each endpoint. */
function sum(touched: readonly Touched[]): Touched[] {
  const endpoints = new Map<number, Touched>();
  for (const one of touched) {
    const before = endpoints.get(one.endpoint);
    if (before) {
      before.count += one.count;
      before.latest = Math.max(before.latest, one.latest);
    } else endpoints.set(one.endpoint, { ...one });
  }
  return [...endpoints.values()];
}
