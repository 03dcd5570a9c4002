/*
 * Queries of the packer, and the transaction that moves events into other blocks. Raw SQL, because lists of rows are passed as one JSON
 * value and blocks are read as blobs.
 */
import type { Client, InStatement } from '@libsql/client';
import { maxBlockBytes, type PackedBlock, type StoredBlock } from '../../core/blocks/event-block.ts';
import { blockColumns, type ContentRow } from '../../db/contents.ts';
import type { Database } from '../../db/database.ts';
import { bucketOf } from '../../db/delivery-attempts.ts';
import { createRawReader } from '../../db/raw-rows.ts';

/** The range of row numbers with rows of 1.0. */
export type RowsToPack = { after: number; upTo: number };
/** A row of 1.0. */
export type OldRow = ContentRow & EventColumns & { endpoint: number };
export type SmallBlock = { seq: number; events: number; bytes: number };
export type EventRow = EventColumns & { seq: number };
/** The columns that a search signature needs. */
type EventColumns = { receivedAt: number; eventType: string | null; platform: string | null; method: string };

/**
 * An event's destination: the position of its new block among the inserted ones, and its offset in that block. `delivery`: for a
 * row of 1.0, the number of its delivery.
 */
export type Move = { seq: number; block: number; start: number; delivery?: number };
export type Packing = {
  /** The new blocks by endpoint. The block positions in `moves` follow this order. */
  blocks: ReadonlyMap<number, readonly PackedBlock[]>;
  moves: readonly Move[];
  /** The blocks to be replaced, whose events are all in `moves`; empty for rows of 1.0. */
  from: readonly number[];
  /** The remaining rows of 1.0 afterwards; undefined if unchanged. */
  rowsToPack?: RowsToPack;
};

export type PackingStore = ReturnType<typeof createPackingStore>;

const jsonList = '(SELECT value FROM json_each(?))';
const isProgress = "name = 'rows-to-pack'";
const lastBlock = "ifnull((SELECT seq FROM sqlite_sequence WHERE name = 'blocks'), 0)";
/** An expression that is empty for a large event, whose list columns stay in its row. */
const ofSmall = (column: string, empty: string): string =>
  `${column} = iif(size > ${maxBlockBytes}, ${column}, ${empty})`;
const emptied = [
  "encoding = 0, content = x'', source_ip = '', sha256 = x''",
  ofSmall('preview', "x''"),
  ofSmall('path', "x''"),
  ofSmall('query', 'NULL'),
].join(', ');

/**
 * @param insertBlocksStatements the statements that insert an endpoint's blocks
 */
export function createPackingStore(
  { scanClient: client, timedBatch }: Pick<Database, 'timedBatch'> & { scanClient: Pick<Client, 'execute'> },
  insertBlocksStatements: (endpoint: number, blocks: readonly PackedBlock[]) => InStatement[],
) {
  const { objects, numbers } = createRawReader(client);

  return {
    async rowsToPack(): Promise<RowsToPack | undefined> {
      const [row] = await objects<{ value: Uint8Array }>(`SELECT value FROM meta WHERE ${isProgress}`);
      return row && (JSON.parse(Buffer.from(row.value).toString()) as RowsToPack);
    },

    /** The next rows of 1.0, oldest first, with bodies of at most `maxBytes` together, or one row. */
    async oldRows({ after, upTo }: RowsToPack, limit: number, maxBytes: number): Promise<OldRow[]> {
      const sizes = await objects<{ seq: number; size: number }>(
        'SELECT seq, size FROM events WHERE seq > ? AND seq <= ? AND block IS NULL ORDER BY seq LIMIT ?',
        [after, upTo, limit],
      );
      let [last, total] = [after, 0];
      for (const { seq, size } of sizes) {
        total += size;
        if (total > maxBytes && last > after) break;
        last = seq;
      }
      return objects<OldRow>(
        `SELECT seq, endpoint, received_at, event_type, size, encoding, sha256, path, query, source_ip, content, platform, method,
           block, block_start FROM events
         WHERE seq > ? AND seq <= ? AND block IS NULL ORDER BY seq`,
        [after, last],
      );
    },

    /** The highest block number ever used. */
    lastBlock: async (): Promise<number> => (await numbers(`SELECT ${lastBlock}`))[0] ?? 0,

    /** The first endpoint from `from` on with at least this many small blocks, or bytes in them; not an endpoint whose events are being removed. */
    async endpointToPack(from: number, minBlocks: number, minBytes: number): Promise<number | undefined> {
      const [endpoint] = await numbers(
        `SELECT endpoint FROM blocks INDEXED BY blocks_small WHERE bytes < 32768 AND endpoint >= ?
         AND endpoint NOT IN (SELECT seq FROM endpoints WHERE deleted_at IS NOT NULL) GROUP BY endpoint
         HAVING count(*) >= ? OR (count(*) > 1 AND sum(bytes) >= ?) ORDER BY endpoint LIMIT 1`,
        [from, minBlocks, minBytes],
      );
      return endpoint;
    },

    /** The endpoint's small blocks, oldest first. */
    smallBlocks: (endpoint: number, limit: number): Promise<SmallBlock[]> =>
      objects(
        'SELECT seq, events, bytes FROM blocks INDEXED BY blocks_small WHERE bytes < 32768 AND endpoint = ? ORDER BY first_event LIMIT ?',
        [endpoint, limit],
      ),

    blocks: (seqs: readonly number[]): Promise<(StoredBlock & { seq: number })[]> =>
      objects(`SELECT seq, ${blockColumns} FROM blocks WHERE seq IN ${jsonList}`, [JSON.stringify(seqs)]),

    /** The events among these that are in one of the blocks. */
    eventsIn: (blocks: readonly number[], seqs: readonly number[]): Promise<EventRow[]> =>
      objects(
        `SELECT seq, received_at, event_type, platform, method FROM events WHERE seq IN ${jsonList} AND block IN ${jsonList} ORDER BY seq`,
        [JSON.stringify(seqs), JSON.stringify(blocks)],
      ),

    /**
     * Moves events into new blocks, in one transaction. Skips events that were deleted or moved in the meantime.
     * @returns the writer's time
     */
    async pack({ blocks, moves, from, rowsToPack }: Packing): Promise<number | undefined> {
      let count = 0;
      const inserts = [...blocks].flatMap(([endpoint, ofEndpoint]) => {
        count += ofEndpoint.length;
        return insertBlocksStatements(endpoint, ofEndpoint);
      });
      const statements = moves.length === 0 ? [] : [...inserts, ...moveStatements(moves, from, count)];
      if (rowsToPack) statements.push(progressStatement(rowsToPack));
      return (await timedBatch(statements)).writerMs;
    },
  };
}

function moveStatements(moves: readonly Move[], from: readonly number[], count: number): InStatement[] {
  const list = JSON.stringify(moves.map(({ seq, block, start, delivery }) => [seq, block, start, delivery]));
  const isUnmoved = from.length > 0 ? `block IN ${jsonList}` : 'block IS NULL';
  const ofOldRow = `, seq = -events.seq, delivery = move.delivery, ${emptied}`;
  const moved = {
    sql: `UPDATE events SET block = ${lastBlock} - ? + 1 + move.block, block_start = move.start ${from.length > 0 ? '' : ofOldRow}
          FROM (SELECT value ->> 0 AS seq, value ->> 1 AS block, value ->> 2 AS start, value ->> 3 AS delivery FROM json_each(?)) AS move
          WHERE events.seq = move.seq AND events.${isUnmoved}`,
    args: [count, list, ...(from.length > 0 ? [JSON.stringify(from)] : [])],
  };
  // changes(): the number of rows changed by the statement before, nearly always all of them.
  const recount = {
    sql: `UPDATE blocks SET events = (SELECT count(*) FROM json_each(?) JOIN events ON events.seq = value ->> 0 WHERE block = blocks.seq)
          WHERE changes() <> ? AND seq > ${lastBlock} - ?`,
    args: [list, moves.length, count],
  };
  const removeEmpty = {
    sql: `DELETE FROM blocks WHERE seq > ${lastBlock} - ? AND events = 0`,
    args: [count],
  };
  // SQLite frees the space of a row only when the row is deleted, not when it becomes smaller.
  if (from.length === 0)
    return [moved, 'UPDATE events SET seq = -seq WHERE seq < 0', recount, removeEmpty, attemptsStatement(moves)];
  return [
    moved,
    recount,
    removeEmpty,
    { sql: `DELETE FROM blocks WHERE seq IN ${jsonList}`, args: [JSON.stringify(from)] },
  ];
}

const attemptsStatement = (moves: readonly Move[]): InStatement => ({
  sql: `INSERT OR IGNORE INTO delivery_attempts (bucket, delivery, event)
        SELECT ${bucketOf('seq')}, delivery, seq FROM events WHERE seq IN ${jsonList} AND delivery IS NOT NULL`,
  args: [JSON.stringify(moves.map(({ seq }) => seq))],
});

const progressStatement = ({ after, upTo }: RowsToPack): InStatement =>
  after >= upTo
    ? `DELETE FROM meta WHERE ${isProgress}`
    : {
        sql: `UPDATE meta SET value = ? WHERE ${isProgress}`,
        args: [Buffer.from(JSON.stringify({ after, upTo }))],
      };
