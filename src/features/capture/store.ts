/*
 * The one hot write of Hooktape: many deliveries, one commit. Raw SQL instead of Drizzle's builder, which would cost more than
 * the insert itself.
 */
import type { InValue } from '@libsql/client';
import type { NewEvent } from './recorder.ts';

const columns =
  'nonce, endpoint, received_at, size, encoding, method, platform, event_type, verdict, source_ip, sha256, path, query, preview, content';
const row = `(${columns.replace(/\w+/g, '?')})`;
const insertText = (rows: number): string =>
  `INSERT INTO events (${columns}) VALUES ${new Array(rows).fill(row).join(', ')}`;
const countText =
  'UPDATE endpoints SET event_count = event_count + ?, last_received_at = max(ifnull(last_received_at, ?), ?) WHERE seq = ?';

/** Runs all of them in one transaction, or none. */
type Write = (
  statements: { sql: string; args: InValue[] }[],
) => Promise<readonly { lastInsertRowid?: bigint | undefined }[]>;

export type CaptureStore = ReturnType<typeof createCaptureStore>;

/** @param rowsPerInsert one where statements are kept prepared; all of them where a statement costs a round trip, or its text */
export function createCaptureStore(write: Write, rowsPerInsert: 'one' | 'all') {
  const insertOne = insertText(1);

  const inserts = (events: readonly NewEvent[]): { sql: string; args: InValue[] }[] => {
    const rows = events.map(toRow);
    return rowsPerInsert === 'one'
      ? rows.map(args => ({ sql: insertOne, args }))
      : [{ sql: insertText(rows.length), args: rows.flat() }];
  };

  return {
    /**
     * Stores all of them in one transaction, and keeps the endpoints' counters in the same one.
     * @returns the row number of the first; the others follow without a gap, in order (AUTOINCREMENT, one transaction)
     */
    async insert(events: readonly NewEvent[]): Promise<number> {
      const statements = inserts(events);
      const last = statements.length - 1;
      for (const [endpoint, { count, latest }] of touched(events))
        statements.push({ sql: countText, args: [count, latest, latest, endpoint] });
      const results = await write(statements);
      return Number(results[last]?.lastInsertRowid ?? 0) - events.length + 1;
    },
  };
}

const toRow = (event: NewEvent): InValue[] => [
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
];

/** By endpoint: how many there are, and when the latest came. */
function touched(events: readonly NewEvent[]): Map<number, { count: number; latest: number }> {
  const endpoints = new Map<number, { count: number; latest: number }>();
  for (const { endpoint, receivedAt } of events) {
    const before = endpoints.get(endpoint);
    if (before) {
      before.count++;
      before.latest = Math.max(before.latest, receivedAt);
    } else endpoints.set(endpoint, { count: 1, latest: receivedAt });
  }
  return endpoints;
}
