/*
 * The one hot write of Hooktape: many deliveries, one INSERT, one commit. Raw SQL instead of Drizzle's builder, which would
 * cost more than the insert itself; the text for each row count is made once.
 */
import type { Client, InStatement, InValue } from '@libsql/client';
import type { NewEvent } from './recorder.ts';

const columns =
  'nonce, endpoint, received_at, size, encoding, method, platform, event_type, verdict, source_ip, sha256, path, query, preview, content';
const row = `(${columns.replace(/\w+/g, '?')})`;
const insertTexts = new Map<number, string>();

function insertText(count: number): string {
  let text = insertTexts.get(count);
  if (text === undefined) {
    text = `INSERT INTO events (${columns}) VALUES ${new Array(count).fill(row).join(', ')}`;
    insertTexts.set(count, text);
  }
  return text;
}

export type CaptureStore = ReturnType<typeof createCaptureStore>;

export function createCaptureStore(client: Pick<Client, 'batch'>) {
  return {
    /**
     * Stores all of them in one transaction, and keeps the endpoints' counters in the same one.
     * @returns the row number of the first; the others follow without a gap, in order (AUTOINCREMENT, one statement)
     */
    async insert(events: readonly NewEvent[]): Promise<number> {
      const args: InValue[] = [];
      const touched = new Map<number, { count: number; last: number }>();
      for (const event of events) {
        args.push(
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
        const before = touched.get(event.endpoint);
        if (before) {
          before.count++;
          before.last = Math.max(before.last, event.receivedAt);
        } else touched.set(event.endpoint, { count: 1, last: event.receivedAt });
      }
      const statements: InStatement[] = [{ sql: insertText(events.length), args }];
      for (const [endpoint, { count, last }] of touched)
        statements.push({
          sql: 'UPDATE endpoints SET event_count = event_count + ?, last_received_at = max(ifnull(last_received_at, ?), ?) WHERE seq = ?',
          args: [count, last, last, endpoint],
        });
      const [inserted] = await client.batch(statements, 'write');
      return Number(inserted?.lastInsertRowid ?? 0) - events.length + 1;
    },
  };
}
