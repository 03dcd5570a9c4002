/*
 * The one hot write of Hooktape: many deliveries, one commit. Raw SQL instead of Drizzle's builder, which would cost more than
 * the insert itself.
 */
import type { InValue } from '@libsql/client';
import { insertStatement, type Rows, touchedBy } from './rows.ts';

const countText =
  'UPDATE endpoints SET event_count = event_count + ?, last_received_at = max(ifnull(last_received_at, ?), ?) WHERE seq = ?';

/** Where a group of rows lies: the row number of its first, and how many follow without a gap, itself included. */
export type Place = { first: number; rows: number };

/** Runs all of them in one transaction, or none. */
type Write = (
  statements: { sql: string; args: InValue[] }[],
) => Promise<readonly { lastInsertRowid?: bigint | undefined }[]>;

export type CaptureStore = ReturnType<typeof createCaptureStore>;

export function createCaptureStore(write: Write) {
  return {
    /**
     * Stores all groups in one transaction, and keeps the endpoints' counters in the same one.
     * @returns a place for each; they follow each other without a gap, in order (AUTOINCREMENT, one transaction)
     */
    async insert(groups: readonly Rows[]): Promise<Place[]> {
      const statements = groups.map(insertStatement);
      for (const [endpoint, { count, latest }] of touchedBy(groups))
        statements.push({ sql: countText, args: [count, latest, latest, endpoint] });
      const results = await write(statements);
      return groups.map(({ count }, at) => ({
        first: Number(results[at]?.lastInsertRowid ?? 0) - count + 1,
        rows: count,
      }));
    },
  };
}
