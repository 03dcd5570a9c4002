/*
 * Reading an endpoint's whole history, oldest first, by keyset. First the keys of many events, whose sizes bound how many
 * contents are fetched at once. Each row comes as two values, because every value has its price on the way from SQLite to
 * here, and this reads millions of rows. Bytes come in hex: as text they would not survive.
 */
import type { Client } from '@libsql/client';
import type { Position } from '../../core/cursor.ts';

/** Where an event stands, and how many bytes its stored content has. */
export type EventKey = Position & { bytes: number };

/** What an export reads of an event. */
export type ExportRow = Position & {
  nonce: Uint8Array;
  size: number;
  method: string;
  platform: string | null;
  eventType: string | null;
  /** In hex. */
  sha256: string;
  path: string;
  query: string | null;
  encoding: number;
  /** It did not arrive here: what its sender was answered is not known. */
  isImported: boolean;
  content: Uint8Array;
};

const live = 'SELECT 1 FROM endpoints WHERE seq = ? AND deleted_at IS NULL';

export type ExportsStore = ReturnType<typeof createExportsStore>;

/** @param client the one for long reads */
export function createExportsStore(client: Pick<Client, 'execute' | 'batch'>) {
  return {
    /** The newest event of all: what comes later has a higher number. */
    async newest(): Promise<number> {
      const { rows } = await client.execute('SELECT ifnull(max(seq), 0) FROM events');
      return Number(rows[0]?.[0]);
    },

    /** Keys of an endpoint's events after a position, oldest first, none newer than `newest`. */
    async keys(endpoint: number, after: Position, newest: number, limit: number): Promise<EventKey[]> {
      const { rows } = await client.execute({
        sql: `SELECT seq, received_at, length(content) FROM events
              WHERE endpoint = ? AND (received_at, seq) > (?, ?) AND seq <= ?
              ORDER BY received_at, seq LIMIT ?`,
        args: [endpoint, after.receivedAt, after.seq, newest, limit],
      });
      return rows.map(row => ({ seq: Number(row[0]), receivedAt: Number(row[1]), bytes: Number(row[2]) }));
    },

    async isLive(endpoint: number): Promise<boolean> {
      const { rows } = await client.execute({ sql: live, args: [endpoint] });
      return rows.length > 0;
    },

    /** The events after a position up to another one; undefined when the endpoint has been deleted meanwhile. */
    async page(endpoint: number, after: Position, last: Position, newest: number): Promise<ExportRow[] | undefined> {
      const [found, events] = await client.batch(
        [
          { sql: live, args: [endpoint] },
          {
            sql: `SELECT json_array(seq, received_at, hex(nonce), size, method, platform, event_type, hex(sha256), hex(path),
                                    hex(query), query IS NULL, encoding, source_ip = ''), content
                  FROM events
                  WHERE endpoint = ? AND (received_at, seq) > (?, ?) AND (received_at, seq) <= (?, ?) AND seq <= ?
                  ORDER BY received_at, seq`,
            args: [endpoint, after.receivedAt, after.seq, last.receivedAt, last.seq, newest],
          },
        ],
        'read',
      );
      if (!found?.rows[0]) return undefined;
      return (events?.rows ?? []).map(row => toRow(String(row[0]), new Uint8Array(row[1] as ArrayBuffer)));
    },
  };
}

type Fields = [
  seq: number,
  receivedAt: number,
  nonce: string,
  size: number,
  method: string,
  platform: string | null,
  eventType: string | null,
  sha256: string,
  path: string,
  query: string,
  hasNoQuery: 0 | 1,
  encoding: number,
  isImported: 0 | 1,
];

function toRow(json: string, content: Uint8Array): ExportRow {
  const [
    seq,
    receivedAt,
    nonce,
    size,
    method,
    platform,
    eventType,
    sha256,
    path,
    query,
    hasNoQuery,
    encoding,
    isImported,
  ] = JSON.parse(json) as Fields;
  return {
    seq,
    receivedAt,
    nonce: Buffer.from(nonce, 'hex'),
    size,
    method,
    platform,
    eventType,
    sha256: sha256.toLowerCase(),
    path: latin1(path),
    query: hasNoQuery ? null : latin1(query),
    encoding,
    isImported: isImported === 1,
    content,
  };
}

const latin1 = (hex: string): string => (hex === '' ? '' : Buffer.from(hex, 'hex').toString('latin1'));
