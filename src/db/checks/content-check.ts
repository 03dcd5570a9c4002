/* Unpacks and verifies all contents. Other work continues, so a block that looks wrong is read again in one transaction. */
import type { Client, Row } from '@libsql/client';
import { readRecords, unpackBlock } from '../../core/blocks/event-block.ts';
import { DamagedError, parseContent } from '../../core/blocks/stored-content.ts';
import { eventId } from '../../core/ids/ids.ts';
import { blockColumns, type ContentRow, createContentReader, toStoredBlock } from '../contents.ts';

/** The limits of one page, small enough that reading it does not block the thread for long. */
const pageLimits = { events: 128, storedBytes: 512 << 10, blocks: 32 };
const maxReported = 100;

/** `seq`: of the event; problems of blocks come last. */
type Problem = { seq: number; text: string };
type Event = ContentRow & { nonce: Uint8Array };

/** @returns a line for each of the first hundred problems, and a line with the number of others */
export async function contentProblems(client: Client): Promise<string[]> {
  const problems: Problem[] = [];
  for await (const found of allProblems(client)) problems.push(found);
  problems.sort((a, b) => a.seq - b.seq);
  const texts = problems.slice(0, maxReported).map(({ text }) => text);
  return problems.length > maxReported ? [...texts, `and ${problems.length - maxReported} more`] : texts;
}

async function* allProblems(client: Client): AsyncGenerator<Problem> {
  yield* ownContentProblems(client);
  yield* blockProblems(client);
  yield* missingBlocks(client);
}

const problemOf = ({ seq, nonce }: Pick<Event, 'seq' | 'nonce'>, text: string): Problem => ({
  seq,
  text: `event ${eventId(seq, nonce, 0)}: ${text}`,
});

async function* ownContentProblems(client: Client): AsyncGenerator<Problem> {
  const contents = createContentReader(client);
  let after = 0;
  for (;;) {
    // SQLite knows the length of a blob without reading it.
    const sizes = await client.execute({
      sql: 'SELECT seq, length(content) FROM events WHERE seq > ? AND block IS NULL ORDER BY seq LIMIT ?',
      args: [after, pageLimits.events],
    });
    const last = endOfPage(sizes.rows, after);
    if (last === after) return;
    const { rows } = await client.execute({
      sql: `SELECT ${eventColumns} FROM events WHERE seq > ? AND seq <= ? AND block IS NULL ORDER BY seq`,
      args: [after, last],
    });
    yield* await problemsIn(contents, rows.map(toEvent));
    after = last;
  }
}

/** The last row number of a page, which has as many events as fit, but at least one. */
function endOfPage(rows: readonly Row[], after: number): number {
  let [last, total] = [after, 0];
  for (const row of rows) {
    total += Number(row[1]);
    if (total > pageLimits.storedBytes && last > after) break;
    last = Number(row[0]);
  }
  return last;
}

const eventColumns = 'seq, nonce, size, block, block_start, encoding, content, sha256';
const nothing = Buffer.alloc(0);
const toEvent = (row: Row): Event => ({
  seq: Number(row[0]),
  nonce: bytes(row[1]),
  size: Number(row[2]),
  block: row[3] as number | null,
  blockStart: row[4] as number | null,
  encoding: Number(row[5]),
  content: bytes(row[6]),
  sha256: bytes(row[7]),
  path: nothing,
  query: null,
  sourceIp: '',
});

async function problemsIn(contents: ReturnType<typeof createContentReader>, events: Event[]): Promise<Problem[]> {
  const found = await contents.readIntact(events);
  return events.flatMap(event => {
    const content = found.get(event.seq);
    if (content instanceof DamagedError) return [problemOf(event, content.message)];
    if (!content || content.body.length === event.size) return [];
    return [problemOf(event, wrongSize)];
  });
}

const wrongSize = 'the stored body does not have the recorded size';

async function* blockProblems(client: Client): AsyncGenerator<Problem> {
  let after = 0;
  for (;;) {
    const { rows } = await client.execute({
      sql: 'SELECT seq, endpoint, first_event, last_event, events FROM blocks WHERE seq > ? ORDER BY seq LIMIT ?',
      args: [after, pageLimits.blocks],
    });
    for (const row of rows) {
      const block = toBlock(row);
      after = block.seq;
      if (!(await isWhole(client, block))) yield* await problemsOfBlock(client, block);
    }
    if (rows.length === 0) return;
  }
}

type Block = { seq: number; endpoint: number; first: number; last: number };
const toBlock = (row: Row): Block & { events: number } => ({
  seq: Number(row[0]),
  endpoint: Number(row[1]),
  first: Number(row[2]),
  last: Number(row[3]),
  events: Number(row[4]),
});

/** Whether the block can be read and has the recorded number of events, each at the place that its row records. */
async function isWhole(client: Client, { seq: block, events }: Block & { events: number }): Promise<boolean> {
  const { rows } = await client.execute({
    sql: `SELECT ${blockColumns} FROM blocks WHERE seq = ?`,
    args: [block],
  });
  const [stored] = rows;
  if (!stored) return true;
  try {
    const content = toStoredBlock(stored, 0);
    const places: [seq: number, start: number, size: number][] = [];
    for (const record of readRecords(unpackBlock(content), content.firstEvent)) {
      parseContent(record);
      places.push([record.seq, record.start, record.body.length]);
    }
    const { rows } = await client.execute({
      sql: `SELECT count(*) FROM json_each(?) JOIN events ON seq = value ->> 0
            WHERE block = ? AND block_start = value ->> 1 AND size = value ->> 2`,
      args: [JSON.stringify(places), block],
    });
    return Number(rows[0]?.[0]) === events && events > 0;
  } catch (error) {
    if (error instanceof DamagedError) return false;
    throw error;
  }
}

async function problemsOfBlock(client: Client, { seq, endpoint, first, last }: Block): Promise<Problem[]> {
  const [blocks, events] = await client.batch(
    [
      { sql: 'SELECT events FROM blocks WHERE seq = ?', args: [seq] },
      {
        sql: `SELECT ${eventColumns} FROM events WHERE endpoint = ? AND +seq BETWEEN ? AND ? AND block = ?`,
        args: [endpoint, first, last, seq],
      },
    ],
    'read',
  );
  const [block] = blocks?.rows ?? [];
  if (!block || !events) return [];
  const [counted, real] = [Number(block[0]), events.rows.length];
  const problems = await problemsIn(createContentReader(client), events.rows.map(toEvent));
  if (counted !== real || real === 0)
    problems.push({ seq: Number.POSITIVE_INFINITY, text: `block ${seq} records ${counted} events but has ${real}` });
  return problems;
}

async function* missingBlocks(client: Client): AsyncGenerator<Problem> {
  const { rows } = await client.execute(
    `SELECT seq, nonce FROM events WHERE block IS NOT NULL AND NOT EXISTS (SELECT 1 FROM blocks
       WHERE blocks.seq = events.block AND events.seq BETWEEN first_event AND last_event)`,
  );
  for (const row of rows)
    yield problemOf({ seq: Number(row[0]), nonce: bytes(row[1]) }, 'the block that contains it is missing');
}

const bytes = (value: unknown): Uint8Array => new Uint8Array(value as ArrayBuffer);
