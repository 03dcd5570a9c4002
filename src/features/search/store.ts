/*
 * Queries of a search: signatures, and then the blocks whose signatures match; rows-store.ts reads the rows. Raw SQL, because a search
 * reads many rows and tests bits of blobs. All reads use the scan connection. Captured text is never returned as TEXT.
 */

import type { Client, InStatement, ResultSet, Row } from '@libsql/client';
import type { FilterSizes } from '../../core/blocks/bit-slices.ts';
import type { StoredBlock } from '../../core/blocks/event-block.ts';
import { isFact, isValueProbe, type Narrowing, type Probe, probesOf } from '../../core/blocks/narrowing.ts';
import type { Position } from '../../core/ids/cursor.ts';
import { blockColumns } from '../../db/contents.ts';
import { createRawReader, toObjects } from '../../db/raw-rows.ts';
import { createRowsStore, type ListRest } from './rows-store.ts';

/** No event of the block is listed before `first`. */
export type Candidate = { block: number; first: Position };

/** A run of signatures (core/blocks/bit-slices.ts). No event of its blocks is listed before `first`. */
export type Run = FilterSizes & { seq: number; first: Position; blocks: number };

/** Signatures of single blocks in list order. `last`: the position at which the next page begins; undefined at the end. */
export type SignaturePage = { candidates: Candidate[]; last: Position | undefined };

/** The range of row numbers whose events may be in no block. All of them were received at `newest` or earlier. */
export type Unsigned = { after: number; upTo: number; newest: number };

export type Opening = { runs: Run[]; newestBlock: number; unsigned: Unsigned | undefined; page: SignaturePage };

export type SearchStore = ReturnType<typeof createSearchStore>;

/** For each bit, the bytes that have it. */
const withBit = Array.from({ length: 8 }, (_, bit) =>
  Uint8Array.from(Array.from({ length: 256 }, (_, byte) => byte).filter(byte => (byte >>> bit) & 1)),
);
/** The byte of a gram or value: `byteOf` of core/blocks/block-signature.ts, and `valueByteOf` of core/blocks/value-filter.ts. */
const hasBit = (filter: string): string =>
  `(length(${filter}) = 0 OR instr(?, substr(${filter}, 1 + ((? * length(${filter})) >> 32), 1)) > 0)`;
const hasGram = hasBit('filter');
const hasValue = hasBit('value_filter');
const hasFact = '(length(facts) = 0 OR instr(?, substr(facts, 1 + ?, 1)) > 0)';

/** Its parameters come from `probesOf`, in order. */
const meets = (narrowing: Narrowing): string =>
  narrowing
    .map(item => {
      if ('any' in item) return `(${item.any.map(meets).join(' OR ')})`;
      return isFact(item) ? hasFact : isValueProbe(item) ? hasValue : hasGram;
    })
    .join(' AND ') || '1';
const toParameters = (probe: Probe): [Uint8Array | null, number] => [
  withBit[probe.bit] ?? null,
  isFact(probe) ? probe.byte : isValueProbe(probe) ? probe.valuePlace : probe.place,
];

/** A list of numbers of any length as one parameter. */
const inList = 'IN (SELECT value FROM json_each(?))';

const runsSql = `SELECT seq, newest, last_event, filter_bytes, value_bytes, length(blocks) / ${4 * 8} FROM signature_runs
  WHERE endpoint = ? AND state IN (1, 2) AND oldest <= ? AND newest >= ?`;
const toRun = (row: Row): Run => ({
  seq: Number(row[0]),
  first: { receivedAt: Number(row[1]), seq: Number(row[2]) },
  filterBytes: Number(row[3]),
  valueBytes: Number(row[4]),
  blocks: Number(row[5]),
});

/** Larger than any part: a part number and an offset in it are combined into one number. */
const maxPartBytes = 65_536;
const endOfTime = Number.MAX_SAFE_INTEGER;

/** The last of the next `limit` signatures, if there are as many, and the matches among them. */
function signaturePageStatements(
  { endpoint, since, after }: ListRest,
  narrowing: Narrowing,
  from: Position | undefined,
  limit: number,
): InStatement[] {
  const page = 'endpoint = ?1 AND (newest, last_event) < (?2, ?3) AND newest >= ?4 AND oldest <= ?5';
  const last = (columns: string): string =>
    `SELECT ${columns} FROM block_signatures WHERE ${page} ORDER BY newest DESC, last_event DESC LIMIT 1 OFFSET ?6`;
  const args = [
    endpoint,
    from?.receivedAt ?? endOfTime,
    from?.seq ?? endOfTime,
    since,
    after?.receivedAt ?? endOfTime,
    limit - 1,
  ];
  return [
    { sql: last('newest, last_event'), args },
    {
      // The page is slightly larger if other blocks have the same time as the last one.
      sql: `SELECT block, newest, last_event FROM block_signatures
        WHERE ${page} AND newest >= ifnull((${last('newest')}), ?4) AND ${meets(narrowing)}`,
      args: [...args, ...probesOf(narrowing).flatMap(toParameters)],
    },
  ];
}

const toPosition = (row: Row, at: number): Position => ({ receivedAt: Number(row[at]), seq: Number(row[at + 1]) });

/** @param results of `signaturePageStatements` */
const toPage = ([last, hits]: readonly (ResultSet | undefined)[]): SignaturePage => ({
  candidates: hits?.rows.map(row => ({ block: Number(row[0]), first: toPosition(row, 1) })) ?? [],
  last: last?.rows[0] && toPosition(last.rows[0], 0),
});

const bytesOf = (value: unknown): Uint8Array => new Uint8Array(value as ArrayBuffer);

function toUnsigned(rows: readonly Row[]): Unsigned | undefined {
  const values = new Map(rows.map(row => [row[0], JSON.parse(Buffer.from(bytesOf(row[1])).toString()) as unknown]));
  const range = values.get('rows-to-pack') as { after: number; upTo: number } | undefined;
  return range && { ...range, newest: Number(values.get('rows-to-pack-newest') ?? endOfTime - 1) };
}

/**
 * Which attempt of its delivery each of these events of the endpoint is, by row number. Expired events count until they are swept.
 */
export type AttemptsOf = (endpoint: number, seqs: readonly number[]) => Promise<ReadonlyMap<number, number>>;

/** @param scans for reads of any length */
export function createSearchStore(scans: Client, attemptsOf: AttemptsOf) {
  const { objects, numbers } = createRawReader(scans);
  const runsStatement = ({ endpoint, since, after }: ListRest): InStatement => ({
    sql: runsSql,
    args: [endpoint, after?.receivedAt ?? endOfTime, since],
  });

  return {
    ...createRowsStore(scans),

    attemptsOf,

    /** The first reads of a search, in one transaction. */
    async opening(rest: ListRest, narrowing: Narrowing, limit: number): Promise<Opening> {
      const [found, newest, unsigned, ...page] = await scans.batch(
        [
          runsStatement(rest),
          'SELECT max(seq) FROM blocks',
          "SELECT name, value FROM meta WHERE name IN ('rows-to-pack', 'rows-to-pack-newest')",
          ...signaturePageStatements(rest, narrowing, undefined, limit),
        ],
        'read',
      );
      return {
        runs: found?.rows.map(toRun) ?? [],
        newestBlock: Number(newest?.rows[0]?.[0] ?? 0),
        unsigned: toUnsigned(unsigned?.rows ?? []),
        page: toPage(page),
      };
    },

    /** The next page of signatures after `from`, and the runs at that moment. */
    async nextSignatures(
      rest: ListRest,
      narrowing: Narrowing,
      from: Position,
      limit: number,
    ): Promise<{ runs: Run[]; page: SignaturePage }> {
      const [found, ...page] = await scans.batch(
        [runsStatement(rest), ...signaturePageStatements(rest, narrowing, from, limit)],
        'read',
      );
      return { runs: found?.rows.map(toRun) ?? [], page: toPage(page) };
    },

    /**
     * Slices of runs, in order; fewer when a run was removed in the meantime. @param wanted all of one length. `seq`: the number
     * of the part
     */
    async slices(wanted: readonly { seq: number; offset: number }[], length: number): Promise<Uint8Array[]> {
      const sql = `SELECT substr(slices, 1 + given.value % ${maxPartBytes}, ?) AS slice FROM json_each(?) AS given
        CROSS JOIN signature_slices ON seq = given.value / ${maxPartBytes} ORDER BY given.key`;
      const list = wanted.map(({ seq, offset }) => seq * maxPartBytes + offset);
      const found = await objects<{ slice: Uint8Array }>(sql, [length, JSON.stringify(list)]);
      return found.map(({ slice }) => slice);
    },

    /** The blocks that a run was made from (core/blocks/signature-runs.ts); undefined when it was removed in the meantime. */
    async blocksOfRun(run: number): Promise<Uint8Array | undefined> {
      const sql = 'SELECT blocks FROM signature_runs WHERE seq = ?';
      return (await objects<{ blocks: Uint8Array }>(sql, [run]))[0]?.blocks;
    },

    /** These blocks as stored; only the numbers and sizes of blocks larger than `maxBytes`. */
    async blocks(
      numbers: readonly number[],
      maxBytes: number,
    ): Promise<{ blocks: Map<number, StoredBlock>; larger: { number: number; bytes: number }[] }> {
      const list = JSON.stringify(numbers);
      const [small, large] = await scans.batch(
        [
          {
            sql: `SELECT seq, ${blockColumns} FROM blocks WHERE seq ${inList} AND bytes <= ?`,
            args: [list, maxBytes],
          },
          { sql: `SELECT seq AS number, bytes FROM blocks WHERE seq ${inList} AND bytes > ?`, args: [list, maxBytes] },
        ],
        'read',
      );
      const found = small ? toObjects<StoredBlock & { seq: number }>(small) : [];
      return { blocks: new Map(found.map(block => [block.seq, block])), larger: large ? toObjects(large) : [] };
    },

    /** Whether a block added after block number `block` has events up to `lastEvent`, which means that events were moved. */
    async wereMoved(endpoint: number, block: number, lastEvent: number): Promise<boolean> {
      const sql = 'SELECT 1 FROM blocks WHERE +endpoint = ? AND seq > ? AND first_event <= ? LIMIT 1';
      return (await numbers(sql, [endpoint, block, lastEvent])).length > 0;
    },

    /** The next pinned events of the list that were received before `since`. */
    pinned({ endpoint, since, after }: ListRest, limit: number): Promise<Position[]> {
      const sql = `SELECT event AS seq, received_at FROM pins WHERE endpoint = ? AND received_at < ? AND (received_at, event) < (?, ?)
        ORDER BY received_at DESC, event DESC LIMIT ?`;
      return objects(sql, [endpoint, since, after?.receivedAt ?? endOfTime, after?.seq ?? endOfTime, limit]);
    },

    /** The next positions of the list. `block`: null for an event of 1.0 that is in no block. */
    positions(
      { endpoint, since, after }: ListRest,
      unsigned: Unsigned,
      limit: number,
    ): Promise<(Position & { block: number | null })[]> {
      const from = after && after.receivedAt <= unsigned.newest ? after : { receivedAt: unsigned.newest + 1, seq: 0 };
      const sql = `SELECT seq, received_at, block FROM events
        WHERE endpoint = ? AND received_at >= ? AND (received_at, seq) < (?, ?) AND seq > ? AND seq <= ?
        ORDER BY received_at DESC, seq DESC LIMIT ?`;
      return objects(sql, [endpoint, since, from.receivedAt, from.seq, unsigned.after, unsigned.upTo, limit]);
    },
  };
}
