/* Reads the blocks to sign, and replaces their signatures. Raw SQL, because blocks are read as blobs. */
import type { Client, InStatement } from '@libsql/client';
import type { BlockFilters, BlockSignature } from '../../core/blocks/block-signature.ts';
import type { StoredBlock } from '../../core/blocks/event-block.ts';
import { blockColumns } from '../../db/contents.ts';
import { createRawReader } from '../../db/raw-rows.ts';

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

/** @param client for writes @param scans for reads of any length */
export function createSigningStore(client: Client, scans: Client) {
  const { objects, numbers } = createRawReader(scans);

  return {
    /** The next block after block number `seq`. */
    async blockAfter(seq: number): Promise<BlockToSign | undefined> {
      const sql = `SELECT seq, endpoint, last_event, ${blockColumns} FROM blocks WHERE seq > ? ORDER BY seq LIMIT 1`;
      return (await objects<BlockToSign>(sql, [seq]))[0];
    },

    lastBlock: async (): Promise<number> => (await numbers('SELECT max(seq) FROM blocks'))[0] ?? 0,

    async events(seqs: readonly number[]): Promise<Map<number, RowToSign>> {
      const sql = `SELECT seq, received_at, event_type, platform, method FROM events WHERE seq ${inList}`;
      return new Map((await objects<RowToSign>(sql, [JSON.stringify(seqs)])).map(row => [row.seq, row]));
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
    withoutOwn: (): Promise<number[]> =>
      numbers('SELECT seq FROM blocks WHERE seq NOT IN (SELECT block FROM block_signatures)'),

    /** The next blocks after block number `seq` that were signed before signatures had filters of values. */
    withoutValues: (seq: number, limit: number): Promise<number[]> =>
      numbers(
        'SELECT block FROM block_signatures WHERE length(value_filter) = 0 AND block > ? ORDER BY block LIMIT ?',
        [seq, limit],
      ),

    /** Numbers of signatures whose block no longer exists. */
    orphans: (): Promise<number[]> =>
      numbers('SELECT block FROM block_signatures WHERE block NOT IN (SELECT seq FROM blocks)'),

    /** The filters of a block with a signature of its own. */
    async filters(block: number): Promise<BlockFilters | undefined> {
      const sql = 'SELECT filter, facts, value_filter AS "values" FROM block_signatures WHERE block = ?';
      return (await objects<BlockFilters>(sql, [block]))[0];
    },

    /** Block numbers spread evenly. */
    async sample(size: number): Promise<number[]> {
      const last = await this.lastBlock();
      const step = Math.max(1, last / size);
      const starts = Array.from({ length: Math.min(size, last) }, (_, i) => Math.floor(1 + i * step));
      const sql =
        'SELECT (SELECT seq FROM blocks WHERE seq >= start.value ORDER BY seq LIMIT 1) FROM json_each(?) AS start';
      return [...new Set(await numbers(sql, [JSON.stringify(starts)]))].filter(seq => seq > 0);
    },

    /** The size of the row number range in which rows of 1.0 are not packed yet. */
    async rowsToPack(): Promise<number> {
      const [row] = await objects<{ value: Uint8Array }>("SELECT value FROM meta WHERE name = 'rows-to-pack'");
      if (!row) return 0;
      const { after, upTo } = JSON.parse(Buffer.from(row.value).toString()) as { after: number; upTo: number };
      return upTo - after;
    },
  };
}
