/*
 * Inserts captured events and the blocks that hold their contents, many per commit. Raw SQL, because Drizzle's builder would cost
 * more than the insert. A statement inserts up to 256 rows from a few numbers per row and one blob that SQL splits, because
 * every value that JavaScript passes to libSQL is expensive. Statements are prepared for powers of two of rows; a parameter
 * says how many rows to insert.
 */
import type { InValue } from '@libsql/client';
import { factBytes } from '../core/blocks/block-facts.ts';
import { checksumBytes } from '../core/blocks/event-block.ts';
import { nonceBytes } from '../core/ids/ids.ts';
import { insertAttemptsSql } from '../db/delivery-attempts.ts';
import { outcomeStatements, type Statement } from './outcome-statements.ts';
import {
  blockNumbers,
  lengthBits,
  type PackedRows,
  placeBits,
  readHead,
  rowNumbers,
  signatureNumbers,
} from './pack-rows.ts';

export { type PackedRows, packBlocks, packRows } from './pack-rows.ts';

const maxRowsPerStatement = 256;
const maxBlocksPerStatement = 64;

/** Run them in order and in one transaction, because rows compute their block from the last block's number. */
export function insertStatements(packed: PackedRows): Statement[] {
  const { count, numbers, bytes } = packed;
  const { first, blocks, blocksAt, signaturesAt, rowsAt, filtersAt, noncesAt } = readHead(packed);
  const contents = bytes.subarray(0, filtersAt);
  const filters = bytes.subarray(filtersAt, noncesAt);
  const nonces = bytes.subarray(noncesAt);
  const given = Number.isNaN(first) ? null : first;
  const statements: Statement[] = [];
  for (let from = 0; from < blocks; from += maxBlocksPerStatement) {
    const rows = Math.min(maxBlocksPerStatement, blocks - from);
    const values = { numbers, at: blocksAt + from * blockNumbers.length, width: blockNumbers.length, rows };
    statements.push(toStatement(insertBlocks, values, [rows, given, contents]));
    const signed = { numbers, at: signaturesAt + from * signatureNumbers.length, width: signatureNumbers.length, rows };
    statements.push(toStatement(insertSignatures, signed, [rows, filtersAt, filters]));
  }
  for (let from = 0; from < count; from += maxRowsPerStatement) {
    const rows = Math.min(maxRowsPerStatement, count - from);
    const values = { numbers, at: rowsAt + from * rowNumbers.length, width: rowNumbers.length, rows };
    statements.push(toStatement(insertRows, values, [rows, given && given + from, nonces, from, blocks]));
  }
  return statements;
}

/** Registers the events as attempts of their deliveries, after their rows are inserted. */
function attemptsStatement({ count, numbers, bytes }: PackedRows): Statement {
  const { first } = readHead({ count, numbers, bytes });
  return { sql: insertAttempts, args: [Number.isNaN(first) ? null : first, count] };
}

/** Sets the additional columns of large events, after their rows are inserted. */
function largeStatements({ count, numbers, bytes, large = [] }: PackedRows): Statement[] {
  const { first } = readHead({ count, numbers, bytes });
  return large.map(({ row, preview, path, query }) => ({
    sql: `UPDATE events SET preview = ?, path = ?, query = ? WHERE seq = ifnull(?, ${lastNumber('events')} - ? + 1) + ?`,
    args: [preview, path, query, Number.isNaN(first) ? null : first, count, row],
  }));
}

type Values = { numbers: Float64Array; at: number; width: number; rows: number };
/** An insert's SQL by number of rows. `values`: the VALUES list; each row begins with its position. */
type InsertText = { of: (values: string) => string; texts: Map<number, string> };

/** @param others the parameters ?1 and higher, before the numbers */
function toStatement(insert: InsertText, { numbers, at, width, rows }: Values, others: InValue[]): Statement {
  const capacity = 2 ** Math.ceil(Math.log2(rows));
  const args = new Array<InValue>(others.length + capacity * width).fill(null);
  for (const [i, value] of others.entries()) args[i] = value;
  for (let i = 0; i < rows * width; i++) {
    const number = numbers[at + i] as number;
    args[others.length + i] = Number.isNaN(number) ? null : number;
  }
  let sql = insert.texts.get(capacity);
  if (sql === undefined) {
    const row = (i: number): string =>
      `(${i}, ${Array.from({ length: width }, (_, n) => `?${others.length + 1 + i * width + n}`).join(', ')})`;
    sql = insert.of(Array.from({ length: capacity }, (_, i) => row(i)).join(', '));
    insert.texts.set(capacity, sql);
  }
  return { sql, args };
}

const lastNumber = (table: 'events' | 'blocks'): string =>
  `ifnull((SELECT seq FROM sqlite_sequence WHERE name = '${table}'), 0)`;

/** ?1: the row number of the first row, or null. ?2: the number of rows. */
const firstRow = `ifnull(?1, ${lastNumber('events')} - ?2 + 1)`;
const insertAttempts = insertAttemptsSql(firstRow, `${firstRow} + ?2 - 1`);

/** ?1: the number of blocks. ?2: the first row number of the batch, or null. ?3: checksums and contents. */
const insertBlocks: InsertText = {
  texts: new Map(),
  of: values => `INSERT INTO blocks (endpoint, first_event, last_event, events, bytes, encoding, checksum, content)
    WITH given (i, ${blockNumbers.join(', ')}) AS (VALUES ${values})
    SELECT endpoint, ifnull(?2, 1 + ${lastNumber('events')}) + first, ifnull(?2, 1 + ${lastNumber('events')}) + last, events, size, encoding,
           substr(?3, 1 + start, ${checksumBytes}), substr(?3, ${1 + checksumBytes} + start, length)
    FROM given WHERE i < ?1`,
};

/** The signatures of the last blocks. ?1: their number. ?2: the offset of the filters in the bytes. ?3: facts and filters, or null. */
const insertSignatures: InsertText = {
  texts: new Map(),
  of: values => `INSERT INTO block_signatures (block, endpoint, newest, oldest, last_event, bytes, facts, filter, value_filter)
    WITH given (i, ${signatureNumbers.join(', ')}) AS (VALUES ${values})
    SELECT seq, endpoint, newest, oldest, last_event, bytes, substr(?3, 1 + start - ?2, ${factBytes}),
           ifnull(substr(?3, ${1 + factBytes} + start - ?2, length), x''),
           substr(?3, ${1 + factBytes} + start - ?2 + length, value_length)
    FROM given CROSS JOIN blocks ON seq = ${lastNumber('blocks')} - ?1 + 1 + i WHERE i < ?1`,
};

/** ?1: how many rows. ?2: the first row number, or null. ?3: nonces and labels. ?4: the first position. ?5: how many blocks. */
const insertRows: InsertText = {
  texts: new Map(),
  of: values => `INSERT INTO events (seq, nonce, endpoint, received_at, size, encoding, ${labels.join(', ')},
                       source_ip, sha256, path, query, preview, content, block, block_start, delivery)
    WITH given (i, ${rowNumbers.join(', ')}) AS (VALUES ${values})
    SELECT ?2 + i, substr(?3, 1 + (?4 + i) * ${nonceBytes}, ${nonceBytes}), endpoint, received_at, size, 0,
           ${labelExpressions().join(', ')}, '', x'', x'', NULL, x'', x'',
           ${lastNumber('blocks')} - ?5 + 1 + (place >> ${placeBits}), place & ${2 ** placeBits - 1}, delivery
    FROM given WHERE i < ?1`,
};

const labels = ['method', 'platform', 'event_type', 'verdict'];

/** Expressions that extract the label's texts from the blob. */
function labelExpressions(): string[] {
  const widths = Object.values(lengthBits);
  let shift = widths.reduce((sum, bits) => sum + bits, 0);
  let start = '1 + label';
  return widths.map(bits => {
    shift -= bits;
    const length = `((lengths >> ${shift}) & ${2 ** bits - 1})`;
    const cut = `CASE ${length} WHEN 0 THEN NULL ELSE CAST(substr(?3, ${start}, ${length} - 1) AS TEXT) END`;
    start += ` + max(0, ${length} - 1)`;
    return cut;
  });
}

/** By endpoint: the number of its new events, and the time of the latest. */
function countByEndpoint(groups: readonly PackedRows[]): Map<number, { count: number; latest: number }> {
  const endpoints = new Map<number, { count: number; latest: number }>();
  for (const packed of groups) {
    const { numbers } = packed;
    for (let at = readHead(packed).rowsAt; at < numbers.length; at += rowNumbers.length) {
      const [endpoint = 0, receivedAt = 0] = [numbers[at], numbers[at + 1]];
      const before = endpoints.get(endpoint);
      if (before) {
        before.count++;
        before.latest = Math.max(before.latest, receivedAt);
      } else endpoints.set(endpoint, { count: 1, latest: receivedAt });
    }
  }
  return endpoints;
}

const countText =
  'UPDATE endpoints SET event_count = event_count + ?, last_received_at = max(ifnull(last_received_at, ?), ?) WHERE seq = ?';

/** The highest row number that any event ever had, including deleted events; no row in a new database. */
export const lastSeqSql = "SELECT seq FROM sqlite_sequence WHERE name = 'events'";

/** The row numbers of a batch: `rows` consecutive numbers from `first`. */
export type RowRange = { first: number; rows: number };

/** Runs all statements in one transaction. */
type Write = (statements: Statement[]) => Promise<readonly { lastInsertRowid?: bigint | undefined }[]>;

export type CaptureStore = ReturnType<typeof createCaptureStore>;

export function createCaptureStore(write: Write) {
  return {
    /** One transaction, with the endpoints' counters. @returns the row numbers, consecutive over all batches (AUTOINCREMENT) */
    async insert(batches: readonly PackedRows[]): Promise<RowRange[]> {
      const statements: Statement[] = [];
      /** The position of each batch's last statement, which inserts its last row. */
      const lastStatements = batches.map(packed => {
        const last = statements.push(...insertStatements(packed)) - 1;
        statements.push(attemptsStatement(packed), ...largeStatements(packed));
        if (packed.outcomes || packed.redactions || packed.invalid) statements.push(...outcomeStatements(packed));
        return last;
      });
      for (const [endpoint, { count, latest }] of countByEndpoint(batches))
        statements.push({ sql: countText, args: [count, latest, latest, endpoint] });
      const results = await write(statements);
      return batches.map(({ count }, index) => {
        const last = results[lastStatements[index] ?? -1]?.lastInsertRowid;
        if (last === undefined) throw new TypeError('the database returned no row number');
        return { first: Number(last) - count + 1, rows: count };
      });
    },
  };
}
