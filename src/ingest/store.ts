/*
 * The one hot write of Hooktape: many deliveries, one commit. Raw SQL instead of Drizzle's builder, which would cost more than
 * the insert itself; and a group of events is one statement with one blob, however many they are: all that they are made of in
 * one buffer, and beside it a few numbers for each, which say where its pieces lie. SQLite cuts them out by itself. To hand it every
 * value of every row takes longer than to store them: the way from JavaScript into libSQL is paid value by value.
 */
import type { InValue } from '@libsql/client';
import type { NewEvent } from './row-encoder.ts';

/** `numbers`: for each event its integers, where in `bytes` its pieces begin, and the length of each, NaN for null. */
export type PackedRows = { count: number; numbers: Float64Array; bytes: Uint8Array };

type Name = keyof NewEvent;
const integers = ['endpoint', 'receivedAt', 'size', 'encoding'] as const satisfies Name[];
/** In the order in which they lie, one after the other. */
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

const [endpointAt, receivedAtAt] = [integers.indexOf('endpoint'), integers.indexOf('receivedAt')];
const width = integers.length + 1 + pieces.length;

export function packRows(events: readonly NewEvent[]): PackedRows {
  const buffer = Buffer.allocUnsafeSlow(events.reduce((room, event) => room + roomFor(event), 0));
  const numbers = new Float64Array(events.length * width);
  let at = 0;
  let next = 0;
  for (const event of events) {
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

/** At most: UTF-8 takes three bytes for a UTF-16 unit. */
function roomFor(event: NewEvent): number {
  let room = 0;
  for (const name of pieces) {
    const piece = event[name];
    if (piece !== null) room += typeof piece === 'string' ? piece.length * 3 : piece.length;
  }
  return room;
}

/** Stores them in their order. The same text for as many rows: worth keeping prepared. */
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
  const given = [...integers.map(column), 'start', ...pieces.map(length)].join(', ');
  return `INSERT INTO events (${[...integers, ...pieces].map(column).join(', ')})
    WITH given (${given}) AS (VALUES ${new Array(rows).fill(row).join(', ')})
    SELECT ${[...integers.map(column), ...cuts(`?${rows * width + 1}`)].join(', ')} FROM given`;
}

/** What cuts each piece out of `bytes`. A length that is null makes it null. */
function cuts(bytes: string): string[] {
  let start = '1 + start';
  return pieces.map(name => {
    const cut = `substr(${bytes}, ${start}, ${length(name)})`;
    start += ` + ifnull(${length(name)}, 0)`;
    return texts.has(name) ? `CAST(${cut} AS TEXT)` : cut;
  });
}

const column = (name: Name): string => name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`);
const length = (name: Name): string => `${column(name)}_length`;

/** By endpoint: how many of them are its, and when the latest came. */
function touchedBy(groups: readonly PackedRows[]): Map<number, { count: number; latest: number }> {
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

/** Where a group of rows lies: the row number of its first, and how many follow without a gap, itself included. */
export type RowRange = { first: number; rows: number };

/** Runs all of them in one transaction, or none. */
type Write = (
  statements: { sql: string; args: InValue[] }[],
) => Promise<readonly { lastInsertRowid?: bigint | undefined }[]>;

export type CaptureStore = ReturnType<typeof createCaptureStore>;

export function createCaptureStore(write: Write) {
  return {
    /**
     * Stores all groups in one transaction, and keeps the endpoints' counters in the same one.
     * @returns a place for each; they follow each other without a gap, in order (AUTOINCREMENT, one transaction)
     */
    async insert(groups: readonly PackedRows[]): Promise<RowRange[]> {
      const statements = groups.map(insertStatement);
      for (const [endpoint, { count, latest }] of touchedBy(groups))
        statements.push({ sql: countText, args: [count, latest, latest, endpoint] });
      const results = await write(statements);
      return groups.map(({ count }, at) => {
        const last = results[at]?.lastInsertRowid;
        if (last === undefined) throw new TypeError('the database has not said where the events are');
        return { first: Number(last) - count + 1, rows: count };
      });
    },
  };
}
