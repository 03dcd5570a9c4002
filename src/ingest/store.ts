/*
 * Inserts captured events, many per commit. Raw SQL, because Drizzle's builder would cost more than the insert. A batch is one
 * statement with one blob that holds the bytes of all its events, and a few numbers per event that say where each column begins and
 * ends; SQLite cuts the columns out. Binding every value of every row would take longer than storing them, because each value that
 * is passed from JavaScript to libSQL costs.
 */
import type { InValue } from '@libsql/client';
import type { NewEvent } from './row-encoder.ts';

/**
 * `numbers`: for each event its row number (NaN: the database gives it), its integers, the offset of its first piece in `bytes`, and
 * the length of each piece, NaN for null.
 */
export type PackedRows = { count: number; numbers: Float64Array; bytes: Uint8Array };

type Name = keyof NewEvent;
const integers = ['endpoint', 'receivedAt', 'size', 'encoding'] as const satisfies Name[];
/** In the order in which they are stored in `bytes`. */
const pieces = [
  'nonce',
  'sha256',
  'path',
  'preview',
  'content',
  'method',
  'sourceIp',
  'query',
  'platform',
  'eventType',
  'verdict',
] as const satisfies Name[];
const texts: ReadonlySet<Name> = new Set<Name>(['method', 'sourceIp', 'platform', 'eventType', 'verdict']);

const [endpointAt, receivedAtAt] = [1 + integers.indexOf('endpoint'), 1 + integers.indexOf('receivedAt')];
const width = 1 + integers.length + 1 + pieces.length;

/** @param first the row number of the first event, when it has been given out already; the others follow without a gap */
export function packRows(events: readonly NewEvent[], first = Number.NaN): PackedRows {
  const buffer = Buffer.allocUnsafeSlow(events.reduce((bytes, event) => bytes + maxBytesOf(event), 0));
  const numbers = new Float64Array(events.length * width);
  let at = 0;
  let next = 0;
  for (const [i, event] of events.entries()) {
    numbers[next++] = first + i;
    for (const name of integers) numbers[next++] = event[name];
    numbers[next++] = at;
    for (const name of pieces) {
      const piece = event[name];
      let length = Number.NaN;
      if (typeof piece === 'string') length = buffer.write(piece, at, 'utf8');
      else if (piece !== null) {
        buffer.set(piece, at);
        length = piece.length;
      }
      numbers[next++] = length;
      at += length || 0;
    }
  }
  return { count: events.length, numbers, bytes: buffer.subarray(0, at) };
}

/** An upper bound: UTF-8 takes at most three bytes for a UTF-16 unit. */
function maxBytesOf(event: NewEvent): number {
  let bytes = 0;
  for (const name of pieces) {
    const piece = event[name];
    if (piece !== null) bytes += typeof piece === 'string' ? piece.length * 3 : piece.length;
  }
  return bytes;
}

/** Inserts the rows in order. The text depends only on the number of rows and is cached. */
export function insertStatement({ count, numbers, bytes }: PackedRows): { sql: string; args: InValue[] } {
  const args = new Array<InValue>(numbers.length + 1);
  for (let i = 0; i < numbers.length; i++) {
    const number = numbers[i] as number;
    args[i] = Number.isNaN(number) ? null : number;
  }
  args[numbers.length] = bytes;
  const sql = insertTexts.get(count) ?? insertText(count);
  insertTexts.set(count, sql);
  return { sql, args };
}

const insertTexts = new Map<number, string>();

function insertText(rows: number): string {
  const row = `(${new Array(width).fill('?').join(', ')})`;
  const given = ['seq', ...integers.map(column), 'start', ...pieces.map(length)].join(', ');
  return `INSERT INTO events (seq, ${[...integers, ...pieces].map(column).join(', ')})
    WITH given (${given}) AS (VALUES ${new Array(rows).fill(row).join(', ')})
    SELECT seq, ${[...integers.map(column), ...pieceExpressions(`?${rows * width + 1}`)].join(', ')} FROM given`;
}

/** Expressions that cut each piece out of `bytes`. A null length makes the piece null. */
function pieceExpressions(bytes: string): string[] {
  let start = '1 + start';
  return pieces.map(name => {
    const cut = `substr(${bytes}, ${start}, ${length(name)})`;
    start += ` + ifnull(${length(name)}, 0)`;
    return texts.has(name) ? `CAST(${cut} AS TEXT)` : cut;
  });
}

const column = (name: Name): string => name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`);
const length = (name: Name): string => `${column(name)}_length`;

/** By endpoint: the number of its new events, and the time of the latest. */
function countByEndpoint(groups: readonly PackedRows[]): Map<number, { count: number; latest: number }> {
  const endpoints = new Map<number, { count: number; latest: number }>();
  for (const { numbers } of groups)
    for (let at = 0; at < numbers.length; at += width) {
      const [endpoint = 0, receivedAt = 0] = [numbers[at + endpointAt], numbers[at + receivedAtAt]];
      const before = endpoints.get(endpoint);
      if (before) {
        before.count++;
        before.latest = Math.max(before.latest, receivedAt);
      } else endpoints.set(endpoint, { count: 1, latest: receivedAt });
    }
  return endpoints;
}

const countText =
  'UPDATE endpoints SET event_count = event_count + ?, last_received_at = max(ifnull(last_received_at, ?), ?) WHERE seq = ?';

/** The highest row number that any event ever had, deleted ones included; no row in a new database. */
export const lastSeqSql = "SELECT seq FROM sqlite_sequence WHERE name = 'events'";

/** The row numbers of a batch: `rows` consecutive ones from `first`. */
export type RowRange = { first: number; rows: number };

/** Runs all statements in one transaction. */
type Write = (
  statements: { sql: string; args: InValue[] }[],
) => Promise<readonly { lastInsertRowid?: bigint | undefined }[]>;

export type CaptureStore = ReturnType<typeof createCaptureStore>;

export function createCaptureStore(write: Write) {
  return {
    /**
     * Stores all batches in one transaction, and updates the endpoints' counters in the same one.
     * @returns the row numbers of each batch; they are consecutive over all batches (AUTOINCREMENT, one transaction)
     */
    async insert(batches: readonly PackedRows[]): Promise<RowRange[]> {
      const statements = batches.map(insertStatement);
      for (const [endpoint, { count, latest }] of countByEndpoint(batches))
        statements.push({ sql: countText, args: [count, latest, latest, endpoint] });
      const results = await write(statements);
      return batches.map(({ count }, index) => {
        const last = results[index]?.lastInsertRowid;
        if (last === undefined) throw new TypeError('the database returned no row number');
        return { first: Number(last) - count + 1, rows: count };
      });
    },
  };
}
