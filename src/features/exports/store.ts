/*
 * Reads an endpoint's whole history, oldest first, by keyset: first the keys of many events, whose sizes bound how many contents
 * are read together. Raw SQL, because an export reads millions of rows, and every value that passes from SQLite to JavaScript
 * costs time: a row comes as two values, a JSON array and the content that a row of 1.0 has. Bytes in the JSON are in hex.
 */
import type { Client } from '@libsql/client';
import type { StoredOutcome } from '../../core/answers/model.ts';
import type { Intact } from '../../core/blocks/stored-content.ts';
import type { Position } from '../../core/ids/cursor.ts';
import type { Redacted } from '../../core/redaction/model.ts';
import { type ContentRow, createContentReader, type IntactContent } from '../../db/contents.ts';
import { isPinned, type Marks, type PinRow, pinJson, tagsJson } from '../../db/event-marks.ts';
import { outcomeJson, readOutcome } from '../../db/event-outcomes.ts';
import { readRedacted, redactedJson } from '../../db/event-redactions.ts';

/** An event's position, and the size of its body. */
export type EventKey = Position & { bytes: number };

/** The columns that an export reads. */
export type ExportRow = Position &
  Marks & {
    nonce: Uint8Array;
    size: number;
    method: string;
    platform: string | null;
    eventType: string | null;
    outcome: StoredOutcome;
    redacted: Redacted | null;
    /** Undefined if it is damaged. */
    content: ExportContent | undefined;
  };
export type ExportContent = Intact & {
  path: string;
  query: string | null;
  /** Whether it was imported: then the response to its sender is unknown. */
  isImported: boolean;
};

/** What is exported: events received at `since` or later, and pinned ones, with row numbers up to `newest`. */
type Extent = { endpoint: number; since: number; newest: number };

const selectLiveEndpoint = 'SELECT 1 FROM endpoints WHERE seq = ? AND deleted_at IS NULL';

export type ExportsStore = ReturnType<typeof createExportsStore>;

/** @param client for long reads */
export function createExportsStore(client: Pick<Client, 'execute' | 'batch'>) {
  const contents = createContentReader(client);

  const readRows = async (endpoint: number, since: number, which: { sql: string; args: (number | string)[] }) => {
    const [endpoints, events] = await client.batch(
      [
        { sql: selectLiveEndpoint, args: [endpoint] },
        {
          sql: `SELECT json_array(seq, received_at, hex(nonce), size, method, platform, event_type, hex(sha256), hex(path),
                                  hex(query), query IS NULL, encoding, source_ip, block, block_start, json(${pinJson}), json(${tagsJson}), json(${outcomeJson}), json(${redactedJson})), content
                FROM events
                WHERE endpoint = ? AND ${which.sql} AND (received_at >= ? OR ${isPinned})
                ORDER BY received_at, seq`,
          args: [endpoint, ...which.args, since],
        },
      ],
      'read',
    );
    if (!endpoints?.rows[0]) return undefined;
    const rows = (events?.rows ?? []).map(row => readFields(String(row[0]), new Uint8Array(row[1] as ArrayBuffer)));
    const found = await contents.readIntact(rows);
    // An event that was removed since is missing, not damaged.
    return rows.flatMap(row => {
      const content = found.get(row.seq);
      return content ? [toRow(row, content)] : [];
    });
  };

  return {
    /** The highest row number of any endpoint's events; later events have higher ones. */
    async newest(): Promise<number> {
      const { rows } = await client.execute('SELECT ifnull(max(seq), 0) FROM events');
      return Number(rows[0]?.[0]);
    },

    /** Keys of an endpoint's events after a position, oldest first, none newer than `newest`. */
    async keys({ endpoint, since, newest }: Extent, after: Position, limit: number): Promise<EventKey[]> {
      const position = '(received_at, seq) > (?2, ?3) AND seq <= ?4';
      const { rows } = await client.execute({
        sql: `SELECT seq, received_at, size FROM events WHERE endpoint = ?1 AND received_at >= ?5 AND ${position}
              UNION ALL
              SELECT seq, pins.received_at, size FROM pins JOIN events ON seq = event
              WHERE pins.endpoint = ?1 AND pins.received_at < ?5 AND (pins.received_at, event) > (?2, ?3) AND event <= ?4
              ORDER BY 2, 1 LIMIT ?6`,
        args: [endpoint, after.receivedAt, after.seq, newest, since, limit],
      });
      return rows.map(row => ({ seq: Number(row[0]), receivedAt: Number(row[1]), bytes: Number(row[2]) }));
    },

    /** Keys of the events with these row numbers, oldest first. */
    async keysOf({ endpoint, since, newest }: Extent, seqs: readonly number[]): Promise<EventKey[]> {
      const { rows } = await client.execute({
        sql: `SELECT seq, received_at, size FROM events
              WHERE seq IN (SELECT value FROM json_each(?1)) AND endpoint = ?2 AND seq <= ?3 AND (received_at >= ?4 OR ${isPinned})
              ORDER BY received_at, seq`,
        args: [JSON.stringify(seqs), endpoint, newest, since],
      });
      return rows.map(row => ({ seq: Number(row[0]), receivedAt: Number(row[1]), bytes: Number(row[2]) }));
    },

    async isLive(endpoint: number): Promise<boolean> {
      const { rows } = await client.execute({ sql: selectLiveEndpoint, args: [endpoint] });
      return rows.length > 0;
    },

    /** The events after one position up to another; undefined if the endpoint was deleted since. */
    page: ({ endpoint, since, newest }: Extent, after: Position, last: Position): Promise<ExportRow[] | undefined> =>
      readRows(endpoint, since, {
        sql: '(received_at, seq) > (?, ?) AND (received_at, seq) <= (?, ?) AND seq <= ?',
        args: [after.receivedAt, after.seq, last.receivedAt, last.seq, newest],
      }),

    /** The events with these row numbers; undefined if the endpoint was deleted since. */
    chosen: ({ endpoint, since }: Extent, seqs: readonly number[]): Promise<ExportRow[] | undefined> =>
      readRows(endpoint, since, { sql: 'seq IN (SELECT value FROM json_each(?))', args: [JSON.stringify(seqs)] }),
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
  sourceIp: string,
  block: number | null,
  blockStart: number | null,
  pin: PinRow | null,
  tags: string[],
  outcome: unknown,
  redacted: unknown,
];
type Row = Omit<ExportRow, 'content'> & ContentRow;

function readFields(json: string, content: Uint8Array): Row {
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
    sourceIp,
    block,
    blockStart,
    pin,
    tags,
    outcome,
    redacted,
  ] = JSON.parse(json) as Fields;
  return {
    seq,
    receivedAt,
    nonce: fromHex(nonce),
    size,
    method,
    platform,
    eventType,
    sha256: fromHex(sha256),
    path: fromHex(path),
    query: hasNoQuery ? null : fromHex(query),
    encoding,
    sourceIp,
    block,
    blockStart,
    content,
    pin,
    tags,
    outcome: readOutcome(outcome),
    redacted: readRedacted(redacted),
  };
}

function toRow(row: Row, content: IntactContent | Error): ExportRow {
  const { seq, receivedAt, nonce, size, method, platform, eventType, pin, tags, outcome, redacted } = row;
  return {
    seq,
    receivedAt,
    nonce,
    size,
    method,
    platform,
    eventType,
    pin,
    tags,
    outcome,
    redacted,
    content:
      content instanceof Error
        ? undefined
        : {
            headers: content.headers,
            headersJson: content.headersJson,
            body: content.body,
            path: content.path.toString('latin1'),
            query: content.query?.toString('latin1') ?? null,
            // A rule may have taken the address.
            isImported: content.sourceIp === '' && redacted === null,
          },
  };
}

const nothing = Buffer.alloc(0);
const fromHex = (hex: string): Buffer => (hex === '' ? nothing : Buffer.from(hex, 'hex'));
