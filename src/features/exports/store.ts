/*
 * Reading an endpoint's whole history, oldest first, by keyset. First the keys of many events, whose sizes bound how many
 * contents are fetched at once. Raw SQL by position: this reads millions of rows.
 */
import type { Client } from '@libsql/client';
import type { Position } from '../../core/cursor.ts';

/** Where an event stands, and how many bytes its stored content has. */
export type Key = Position & { bytes: number };

/** What an export reads of an event. */
export type ExportRow = Position & {
  nonce: Uint8Array;
  size: number;
  method: string;
  platform: string | null;
  eventType: string | null;
  sha256: Uint8Array;
  path: Uint8Array;
  query: Uint8Array | null;
  encoding: number;
  content: Uint8Array;
};

export type ExportsStore = ReturnType<typeof createExportsStore>;

const bytesOf = (value: unknown): Uint8Array => new Uint8Array(value as ArrayBuffer);

/** @param client the one for long reads */
export function createExportsStore(client: Pick<Client, 'execute' | 'batch'>) {
  return {
    /** The newest event of all: what comes later has a higher number. */
    async newest(): Promise<number> {
      const { rows } = await client.execute('SELECT ifnull(max(seq), 0) FROM events');
      return Number(rows[0]?.[0]);
    },

    /** Keys of an endpoint's events after a position, oldest first, none newer than `newest`. */
    async keys(endpoint: number, after: Position, newest: number, limit: number): Promise<Key[]> {
      const { rows } = await client.execute({
        sql: `SELECT seq, received_at, length(content) FROM events
              WHERE endpoint = ? AND (received_at, seq) > (?, ?) AND seq <= ?
              ORDER BY received_at, seq LIMIT ?`,
        args: [endpoint, after.receivedAt, after.seq, newest, limit],
      });
      return rows.map(row => ({ seq: Number(row[0]), receivedAt: Number(row[1]), bytes: Number(row[2]) }));
    },

    /** The events after a position up to another one; undefined when the endpoint has been deleted meanwhile. */
    async page(endpoint: number, after: Position, last: Position, newest: number): Promise<ExportRow[] | undefined> {
      const [live, events] = await client.batch(
        [
          { sql: 'SELECT 1 FROM endpoints WHERE seq = ? AND deleted_at IS NULL', args: [endpoint] },
          {
            sql: `SELECT seq, received_at, nonce, size, method, platform, event_type, sha256, path, query, encoding, content
                  FROM events
                  WHERE endpoint = ? AND (received_at, seq) > (?, ?) AND (received_at, seq) <= (?, ?) AND seq <= ?
                  ORDER BY received_at, seq`,
            args: [endpoint, after.receivedAt, after.seq, last.receivedAt, last.seq, newest],
          },
        ],
        'read',
      );
      if (!live?.rows[0]) return undefined;
      return (events?.rows ?? []).map(row => ({
        seq: Number(row[0]),
        receivedAt: Number(row[1]),
        nonce: bytesOf(row[2]),
        size: Number(row[3]),
        method: String(row[4]),
        platform: row[5] as string | null,
        eventType: row[6] as string | null,
        sha256: bytesOf(row[7]),
        path: bytesOf(row[8]),
        query: row[9] === null ? null : bytesOf(row[9]),
        encoding: Number(row[10]),
        content: bytesOf(row[11]),
      }));
    },
  };
}
