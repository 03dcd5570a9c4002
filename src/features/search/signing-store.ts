/* Reads the blocks to sign, and replaces their signatures. Raw SQL, because blocks are read as blobs. */
import type { Client, InStatement, Row } from '@libsql/client';
import type { BlockFilters, BlockSignature } from '../../core/blocks/block-signature.ts';
import type { StoredBlock } from '../../core/blocks/event-block.ts';
import { blockColumns, toStoredBlock } from '../../db/contents.ts';

export type BlockToSign = StoredBlock & { seq: number; endpoint: number; lastEvent: number };

export type RowToSign = {
  seq: number;
  receivedAt: number;
  eventType: string | null;
  platform: string | null;
  method: string;
};

export type SignedAgain = { block: BlockToSign; signature: BlockSignature };

export type SigningStore = ReturnType<typeof createSigningStore>;

const inList = 'IN (SELECT value FROM json_each(?))';
const bytesOf = (value: unknown): Uint8Array => new Uint8Array(value as ArrayBuffer);

/** @param client for writes @param scans for reads of any length */
export function createSigningStore(client: Client, scans: Client) {
  const rows = async (sql: string, args: (string | number)[] = []): Promise<Row[]> =>
    (await scans.execute({ sql, args })).rows;

  return {
    /** The next block after block number `seq`. */
    async blockAfter(seq: number): Promise<BlockToSign | undefined> {
      const sql = `SELECT seq, endpoint, last_event, ${blockColumns} FROM blocks WHERE seq > ? ORDER BY seq LIMIT 1`;
      const [row] = await rows(sql, [seq]);
      return (
        row && {
          seq: Number(row[0]),
          endpoint: Number(row[1]),
          lastEvent: Number(row[2]),
          ...toStoredBlock(row, 3),
        }
      );
    },

    lastBlock: async (): Promise<number> => Number((await rows('SELECT max(seq) FROM blocks'))[0]?.[0] ?? 0),

    async events(seqs: readonly number[]): Promise<Map<number, RowToSign>> {
      const sql = `SELECT seq, received_at, event_type, platform, method FROM events WHERE seq ${inList}`;
      const found = await rows(sql, [JSON.stringify(seqs)]);
      return new Map(
        found.map(row => [
          Number(row[0]),
          {
            seq: Number(row[0]),
            receivedAt: Number(row[1]),
            eventType: row[2] as string | null,
            platform: row[3] as string | null,
            method: String(row[4]),
          },
        ]),
      );
    },

    /** Replaces the signatures of blocks that still exist. */
    async save(signed: readonly SignedAgain[]): Promise<void> {
      const statements = signed.map(({ block, signature: { newest, oldest, facts, filter, values } }): InStatement => {
        const { seq, endpoint, lastEvent, bytes } = block;
        return {
          sql: `INSERT OR REPLACE INTO block_signatures (block, endpoint, newest, oldest, last_event, bytes, facts, filter, value_filter)
            SELECT seq, ?, ?, ?, ?, ?, ?, ifnull(?, x''), ? FROM blocks WHERE seq = ?`,
          args: [endpoint, newest, oldest, lastEvent, bytes, facts, filter, values, seq],
        };
      });
      if (statements.length > 0) await client.batch(statements, 'write');
    },

    /** Numbers of blocks that have no signature of their own. */
    async withoutOwn(): Promise<number[]> {
      const found = await rows('SELECT seq FROM blocks WHERE seq NOT IN (SELECT block FROM block_signatures)');
      return found.map(row => Number(row[0]));
    },

    /** The next blocks after block number `seq` that were signed before signatures had filters of values. */
    async withoutValues(seq: number, limit: number): Promise<number[]> {
      const sql =
        'SELECT block FROM block_signatures WHERE length(value_filter) = 0 AND block > ? ORDER BY block LIMIT ?';
      return (await rows(sql, [seq, limit])).map(row => Number(row[0]));
    },

    /** Numbers of signatures whose block no longer exists. */
    async orphans(): Promise<number[]> {
      const found = await rows('SELECT block FROM block_signatures WHERE block NOT IN (SELECT seq FROM blocks)');
      return found.map(row => Number(row[0]));
    },

    /** The filters of a block with a signature of its own. */
    async filters(block: number): Promise<BlockFilters | undefined> {
      const [row] = await rows('SELECT filter, facts, value_filter FROM block_signatures WHERE block = ?', [block]);
      return row && { filter: bytesOf(row[0]), facts: bytesOf(row[1]), values: bytesOf(row[2]) };
    },

    /** Block numbers spread evenly. */
    async sample(size: number): Promise<number[]> {
      const last = await this.lastBlock();
      const step = Math.max(1, last / size);
      const starts = Array.from({ length: Math.min(size, last) }, (_, i) => Math.floor(1 + i * step));
      const sql =
        'SELECT (SELECT seq FROM blocks WHERE seq >= start.value ORDER BY seq LIMIT 1) FROM json_each(?) AS start';
      const found = (await rows(sql, [JSON.stringify(starts)])).map(row => Number(row[0]));
      return [...new Set(found)].filter(seq => seq > 0);
    },

    /** The size of the row number range in which rows of 1.0 are not packed yet. */
    async rowsToPack(): Promise<number> {
      const [row] = await rows("SELECT value FROM meta WHERE name = 'rows-to-pack'");
      if (!row) return 0;
      const { after, upTo } = JSON.parse(Buffer.from(bytesOf(row[0])).toString()) as { after: number; upTo: number };
      return upTo - after;
    },
  };
}
