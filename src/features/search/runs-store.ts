/* Creates and removes runs of signatures. Raw SQL, because it moves many blobs. Each statement holds the writer for a few milliseconds. */
import type { Client, InStatement } from '@libsql/client';
import { type FilterSizes, partBytes } from '../../core/blocks/bit-slices.ts';
import type { BlockFilters } from '../../core/blocks/block-signature.ts';
import { maxParts, packBlocks, partSeq, type SignedBlock, unpackBlocks } from '../../core/blocks/signature-runs.ts';
import { everyValue } from '../../core/blocks/value-filter.ts';
import { createRawReader } from '../../db/raw-rows.ts';

/** 0: under construction. 1: in use. 2: in use, and the replaced signatures are deleted. 3: out of use, being deleted. */
export type RunState = 0 | 1 | 2 | 3;
export type StoredRun = FilterSizes & { seq: number; state: RunState; blocks: SignedBlock[] };

export type RunsStore = ReturnType<typeof createRunsStore>;

/** Must equal the condition of the index of full blocks, because the query planner compares the text. */
const isFull = 'bytes BETWEEN 32768 AND 65536';
/**
 * The share of filters that decides the size of a run's filters: larger ones are reduced to that size, so that not all get as
 * large as the largest.
 */
const mostFilters = 0.75;
const inList = 'IN (SELECT value FROM json_each(?))';
const runColumns = 'seq, state, filter_bytes, value_bytes, blocks';
const sizeOfMost = (sizes: readonly number[]): number =>
  Math.max(partBytes, sizes.toSorted((a, b) => a - b)[Math.floor(sizes.length * mostFilters)] ?? 0);

/** @param client for writes @param scans for reads of any length */
export function createRunsStore(client: Client, scans: Client) {
  const { objects, numbers } = createRawReader(scans);
  const findRun = async (condition: string, args: number[] = []): Promise<StoredRun | undefined> => {
    const sql = `SELECT ${runColumns} FROM signature_runs WHERE ${condition} ORDER BY seq LIMIT 1`;
    const [run] = await objects<Omit<StoredRun, 'blocks'> & { blocks: Uint8Array }>(sql, args);
    return run && { ...run, blocks: unpackBlocks(run.blocks) };
  };
  const write = async (statements: InStatement[]): Promise<number> =>
    (await client.batch(statements, 'write'))[0]?.rowsAffected ?? 0;

  return {
    /** An endpoint with at least this many signatures of full blocks. */
    async endpointWith(count: number): Promise<number | undefined> {
      const sql = `SELECT endpoint FROM block_signatures WHERE ${isFull} GROUP BY endpoint HAVING count(*) >= ? LIMIT 1`;
      return (await numbers(sql, [count]))[0];
    },

    /** The oldest full blocks of an endpoint that are in no run, and the sizes that most of their filters do not exceed. */
    async oldest(endpoint: number, limit: number): Promise<FilterSizes & { blocks: SignedBlock[] }> {
      const sql = `SELECT block, newest, oldest, last_event, length(filter) AS filter_bytes, length(value_filter) AS value_bytes
        FROM block_signatures WHERE endpoint = ? AND ${isFull} ORDER BY newest LIMIT ?`;
      const blocks = await objects<SignedBlock & FilterSizes>(sql, [endpoint, limit]);
      return {
        blocks: blocks.map(({ block, newest, oldest, lastEvent }) => ({ block, newest, oldest, lastEvent })),
        filterBytes: sizeOfMost(blocks.map(({ filterBytes }) => filterBytes)),
        valueBytes: sizeOfMost(blocks.map(({ valueBytes }) => valueBytes)),
      };
    },

    /** Adds a run, unless another run of this endpoint is under construction, perhaps by another process. */
    async add(
      endpoint: number,
      { blocks, filterBytes, valueBytes }: FilterSizes & { blocks: readonly SignedBlock[] },
    ): Promise<void> {
      const newest = blocks.reduce((a, b) => ((b.newest - a.newest || b.lastEvent - a.lastEvent) > 0 ? b : a));
      await write([
        {
          sql: `INSERT INTO signature_runs (endpoint, state, newest, oldest, last_event, filter_bytes, value_bytes, blocks)
            SELECT ?, 0, ?, ?, ?, ?, ?, ?
            WHERE NOT EXISTS (SELECT 1 FROM signature_runs WHERE state <> 2 AND +endpoint = ? AND state < 2)`,
          args: [
            endpoint,
            newest.newest,
            Math.min(...blocks.map(({ oldest }) => oldest)),
            newest.lastEvent,
            filterBytes,
            valueBytes,
            packBlocks(blocks),
            endpoint,
          ],
        },
      ]);
    },

    /** A run under construction or being removed. */
    unfinished: (): Promise<StoredRun | undefined> => findRun('state <> 2'),

    /** The next finished run after run number `seq`. @param used whether runs count whose signatures are not all deleted yet */
    finishedAfter: (seq: number, used = false): Promise<StoredRun | undefined> =>
      findRun('seq > ? AND +state BETWEEN ? AND 2', [seq, used ? 1 : 2]),

    lastRun: async (): Promise<number> => (await numbers('SELECT max(seq) FROM signature_runs'))[0] ?? 0,

    /** The filters and facts of these blocks, without deleted ones. */
    async filters(blocks: readonly number[]): Promise<Map<number, BlockFilters>> {
      const sql = `SELECT block, filter, facts, value_filter AS "values" FROM block_signatures WHERE block ${inList}`;
      const found = await objects<BlockFilters & { block: number }>(sql, [JSON.stringify(blocks)]);
      return new Map(found.map(({ block, ...filters }) => [block, filters]));
    },

    /** The blocks among these that have their own signature. */
    signed: (blocks: readonly number[]): Promise<number[]> =>
      numbers(`SELECT block FROM block_signatures WHERE block ${inList}`, [JSON.stringify(blocks)]),

    /** The number of stored parts of a run. They are stored in order. */
    async storedParts(run: number): Promise<number> {
      const sql = 'SELECT count(*) FROM signature_slices WHERE seq BETWEEN ? AND ?';
      return (await numbers(sql, [partSeq(run, 0), partSeq(run, maxParts - 1)]))[0] ?? 0;
    },

    addParts: (run: number, first: number, parts: readonly Uint8Array[]): Promise<number> =>
      write([
        {
          sql: `INSERT OR IGNORE INTO signature_slices (seq, slices) VALUES ${parts.map(() => '(?, ?)').join()}`,
          args: parts.flatMap((slices, i) => [partSeq(run, first + i), slices]),
        },
      ]),

    setState: (run: number, from: RunState, to: RunState): Promise<number> =>
      write([{ sql: 'UPDATE signature_runs SET state = ? WHERE seq = ? AND state = ?', args: [to, run, from] }]),

    /** Takes all runs up to this number out of use. */
    retireUpTo: (run: number): Promise<number> =>
      write([{ sql: 'UPDATE signature_runs SET state = 3 WHERE seq <= ?', args: [run] }]),

    /** Deletes the signatures of blocks that are in a run. */
    forget: (blocks: readonly number[]): Promise<number> =>
      write([{ sql: `DELETE FROM block_signatures WHERE block ${inList}`, args: [JSON.stringify(blocks)] }]),

    /** Gives blocks that cannot be read signatures that exclude them only by their time. */
    async keep(blocks: readonly SignedBlock[]): Promise<void> {
      const sql = `INSERT OR IGNORE INTO block_signatures (block, endpoint, newest, oldest, last_event, bytes, filter, value_filter)
        SELECT seq, endpoint, ?, ?, last_event, bytes, x'', ? FROM blocks WHERE seq = ?`;
      const args = blocks.map(({ block, newest, oldest }) => [newest, oldest, everyValue(), block]);
      if (args.length > 0) await write(args.map(one => ({ sql, args: one })));
    },

    /** The blocks among these that still exist. */
    living: (blocks: readonly number[]): Promise<number[]> =>
      numbers(`SELECT seq FROM blocks WHERE seq ${inList}`, [JSON.stringify(blocks)]),

    /** Removes some parts of a run that is out of use. @returns the number removed */
    removeParts: (run: number, count: number): Promise<number> =>
      write([
        {
          sql: 'DELETE FROM signature_slices WHERE seq IN (SELECT seq FROM signature_slices WHERE seq BETWEEN ? AND ? LIMIT ?)',
          args: [partSeq(run, 0), partSeq(run, maxParts - 1), count],
        },
      ]),

    remove: (run: number): Promise<number> => write([{ sql: 'DELETE FROM signature_runs WHERE seq = ?', args: [run] }]),
  };
}
