/*
 * Reads the contents of events; the only module that knows where they are stored: in a block (core/blocks/event-block.ts), or in the row
 * itself for rows of 1.0. Each call reads and unpacks a block only once, and a few blocks at a time. If a block was replaced or
 * removed after its row was read, the row is looked up again. Larger events count in the memory of the read (core/concurrency/content-reads.ts),
 * which ends before the next block when its client has left. Raw SQL, because every list and search uses this.
 */
import type { Client, Row } from '@libsql/client';
import {
  type EventRecord,
  maxBlockBytes,
  readRecord,
  type StoredBlock,
  unpackBlock,
  unpackLargeBlock,
} from '../core/blocks/event-block.ts';
import {
  checkHash,
  checkHashInSlices,
  DamagedError,
  type Intact,
  parseContent,
  unpackLargeOwn,
  unpackOwn,
} from '../core/blocks/stored-content.ts';
import { backgroundRead, bytesToRead, type ContentRead } from '../core/concurrency/content-reads.ts';
import type { YieldIfDue } from '../core/concurrency/time-slices.ts';
import { asBuffer } from '../core/encoding/buffer.ts';
import { largeBodyBytes } from '../core/limits.ts';
import { previewOf } from '../core/text.ts';

export type ContentPlace = { seq: number; size: number; block: number | null; blockStart: number | null };
/** The columns that only rows of 1.0 use. */
export type OwnColumns = {
  encoding: number;
  content: Uint8Array;
  sha256: Uint8Array;
  path: Uint8Array;
  query: Uint8Array | null;
  sourceIp: string;
};
export type ContentRow = ContentPlace & OwnColumns;

/** Read for every event. `path` and `query` are bytes as received. */
export type EventText = { path: Buffer; query: Buffer | null; sourceIp: string };
export type ReadContent = EventText & { headers: Uint8Array; body: Uint8Array };
export type IntactContent = EventText & Intact;

/** The texts that a list shows of a body: highlights ([] without any), and the action if the event type says little. */
export type Highlighted = { highlights: string[]; action: string | null };
/** The functions that compute what a list shows of an event in addition to its columns. */
export type Describe = {
  highlightsOf: (platform: string | null, body: Uint8Array) => Highlighted;
  isSigned: (
    row: { platform: string | null; method: string },
    content: { path: Uint8Array; query: Uint8Array | null } & Pick<Intact, 'headers' | 'body'>,
  ) => boolean;
};
/** `isSigned`: null if the headers were not read. */
export type Described = Highlighted & { isSigned: boolean | null };
type PreviewedRow = ContentPlace & {
  platform: string | null;
  method: string;
  path: Buffer;
  query: Buffer | null;
  preview: Buffer;
};

export const blockColumns = 'first_event, bytes, encoding, checksum, content';
/** @param at the index of the first of these columns */
export const toStoredBlock = (row: Row, at: number): StoredBlock => ({
  firstEvent: Number(row[at]),
  bytes: Number(row[at + 1]),
  encoding: Number(row[at + 2]),
  checksum: new Uint8Array(row[at + 3] as ArrayBuffer),
  content: new Uint8Array(row[at + 4] as ArrayBuffer),
});

export type KnownBlocks = ReadonlyMap<number, StoredBlock>;
const noBlocks: KnownBlocks = new Map();
export type KnownContents = ReadonlyMap<number, IntactContent | DamagedError>;
type PreviewedContent = Pick<ReadContent, 'path' | 'query' | 'body'>;

export type ContentReader = ReturnType<typeof createContentReader>;

/** Limit of one query for blocks; a larger event is read alone. */
const blocksPerQuery = 32;
/** If a row is still moving after this many lookups, the program has an error. */
const maxLookups = 5;

export function createContentReader(client: Pick<Client, 'execute'>) {
  const readBlocks = async (numbers: readonly number[], known: KnownBlocks): Promise<KnownBlocks> => {
    if (numbers.every(number => known.has(number))) return known;
    const { rows } = await client.execute({
      sql: `SELECT seq, ${blockColumns} FROM blocks WHERE seq IN (SELECT value FROM json_each(?))`,
      args: [JSON.stringify(numbers)],
    });
    return new Map(rows.map(row => [Number(row[0]), toStoredBlock(row, 1)]));
  };

  /** The current locations of these rows. Deleted rows are missing. */
  const lookUp = async <Row extends ContentPlace>(rows: readonly Row[]): Promise<Row[]> => {
    const found = await client.execute({
      sql: 'SELECT seq, block, block_start FROM events WHERE seq IN (SELECT value FROM json_each(?))',
      args: [JSON.stringify(rows.map(({ seq }) => seq))],
    });
    const places = new Map(found.rows.map(row => [Number(row[0]), row]));
    return rows.flatMap(row => {
      const place = places.get(row.seq);
      return place ? [{ ...row, block: Number(place[1]), blockStart: Number(place[2]) }] : [];
    });
  };

  /** Yields each row with its record, in block order. Omits rows deleted in the meantime. */
  const readRecords = async <Row extends ContentPlace>(
    given: readonly Row[],
    use: (row: Row, record: EventRecord | DamagedError) => void | Promise<void>,
    { known = noBlocks, read = backgroundRead }: { known?: KnownBlocks | undefined; read?: ContentRead } = {},
  ): Promise<void> => {
    let rows = given;
    for (let lookups = 0; rows.length > 0; lookups++) {
      const moved: Row[] = [];
      for (const page of toPages(rows)) {
        await read.hold(bytesHeldFor([...page.values()].flat()));
        const blocks = await readBlocks([...page.keys()], known);
        for (const [number, inBlock] of page) {
          const block = blocks.get(number);
          if (!block && lookups < maxLookups) moved.push(...inBlock);
          else {
            const records = block ? await unpack(block) : new DamagedError('the block that contains it is missing');
            for (const row of inBlock) await use(row, recordOf(row, records, block?.firstEvent ?? 0));
          }
        }
      }
      rows = moved.length > 0 ? await lookUp(moved) : [];
    }
  };

  /**
   * The contents of these rows, in any order, without rows deleted in the meantime. Does not check the hash of a row of 1.0.
   * A content is a view of its block: copy what you keep.
   * @param read counts the large events in memory; without it, the caller counts them
   */
  const readContents = async <Row extends ContentRow>(
    rows: readonly Row[],
    use: (row: Row, content: ReadContent | DamagedError) => void | Promise<void>,
    options: { known?: KnownBlocks | undefined; read?: ContentRead } = {},
  ): Promise<void> => {
    for (const row of rows)
      if (row.block === null) {
        const content = damagedOr(() => ({ ...ownText(row), ...unpackOwn(row) }));
        await use(row, content);
      }
    await readRecords(rows.filter(isInBlock), use, options);
  };

  return {
    /** Reads the contents a few small blocks or one large event at a time. @throws as `hold` of the read */
    read: <Row extends ContentRow>(
      rows: readonly Row[],
      read: ContentRead,
      use: (row: Row, content: ReadContent | DamagedError) => void | Promise<void>,
    ): Promise<void> => readContents(rows, use, { read }),

    /** The checked contents by row number; deleted rows are missing. @param known blocks that were read together with the rows */
    async readIntact(rows: readonly ContentRow[], known?: KnownBlocks): Promise<KnownContents> {
      const contents = new Map<number, IntactContent | DamagedError>();
      const add = ({ seq, block, sha256 }: ContentRow, content: ReadContent | DamagedError): void => {
        const intact = damagedOr(() => {
          if (content instanceof DamagedError) throw content;
          if (block === null) checkHash(content.body, sha256);
          return { ...textOf(content), ...parseContent(content) };
        });
        contents.set(seq, intact);
      };
      await readContents(rows, add, { known });
      return contents;
    },

    /** The checked content of a large event, in time slices; undefined if it was deleted in between. @throws DamagedError */
    async readLarge(row: ContentRow, yieldIfDue: YieldIfDue): Promise<IntactContent | undefined> {
      if (row.block === null) {
        const content = await unpackLargeOwn(row);
        await checkHashInSlices(content.body, row.sha256, yieldIfDue);
        return { ...ownText(row), ...parseContent(content) };
      }
      let found: EventRecord | DamagedError | undefined;
      await readRecords([row], (_, record) => {
        found = record;
      });
      if (found instanceof DamagedError) throw found;
      return found && { ...textOf(found), ...parseContent(found) };
    },

    /**
     * Adds the columns that a list shows, the highlights, and whether the event is signed. A damaged event lacks them all. A
     * large event has the columns in its row; its highlights come from its preview, and its headers are not read.
     * @param own the contents of rows of 1.0, by row number
     */
    async withPreviews<Row extends PreviewedRow>(
      rows: readonly Row[],
      { known, own, describe }: { known?: KnownBlocks; own: KnownContents; describe: Describe },
    ): Promise<(Row & Described)[]> {
      const filled = new Map<number, Row & Described>();
      const fill = (row: Row, { path, query, body }: PreviewedContent, content: Intact | DamagedError): void => {
        const preview = Buffer.from(previewOf(body));
        filled.set(row.seq, {
          ...row,
          path: Buffer.from(path),
          query: query && Buffer.from(query),
          preview,
          ...describe.highlightsOf(row.platform, body),
          isSigned: content instanceof DamagedError ? null : describe.isSigned(row, { path, query, ...content }),
        });
      };
      await readRecords(
        rows.filter(row => isInBlock(row) && row.size <= maxBlockBytes),
        (row, record) => {
          if (record instanceof DamagedError) return;
          const content = damagedOr(() => parseContent(record));
          fill(row, record, content);
        },
        { known },
      );
      for (const row of rows) {
        const content = own.get(row.seq);
        if (content && !(content instanceof DamagedError)) fill(row, content, content);
      }
      return rows.map(
        row => filled.get(row.seq) ?? { ...row, ...describe.highlightsOf(row.platform, row.preview), isSigned: null },
      );
    },
  };
}

/** The bytes in memory while these events are read. Small events do not count, because a read has only a few at a time. */
export const bytesHeldFor = (events: readonly { size: number }[]): number =>
  events.reduce((sum, { size }) => (size > maxBlockBytes ? sum + bytesToRead(size) : sum), 0);

const isInBlock = ({ block }: ContentPlace): boolean => block !== null;

function* toPages<Row extends ContentPlace>(rows: readonly Row[]): Generator<Map<number, Row[]>> {
  const small = new Map<number, Row[]>();
  for (const row of rows) {
    const block = row.block ?? 0;
    if (row.size > maxBlockBytes) {
      yield new Map([[block, [row]]]);
      continue;
    }
    const inBlock = small.get(block);
    if (inBlock) inBlock.push(row);
    else small.set(block, [row]);
  }
  const blocks = [...small];
  for (let at = 0; at < blocks.length; at += blocksPerQuery) yield new Map(blocks.slice(at, at + blocksPerQuery));
}

const unpack = (block: StoredBlock): Buffer | DamagedError | Promise<Buffer | DamagedError> =>
  block.bytes > largeBodyBytes ? unpackLargeBlock(block).catch(asDamaged) : damagedOr(() => unpackBlock(block));

function recordOf(
  { seq, blockStart }: ContentPlace,
  records: Buffer | DamagedError,
  firstEvent: number,
): EventRecord | DamagedError {
  if (records instanceof DamagedError) return records;
  return damagedOr(() => {
    const record = readRecord(records, blockStart ?? 0, firstEvent);
    if (record.seq !== seq) throw new DamagedError('the stored block has another event at this place');
    return record;
  });
}

function damagedOr<T>(make: () => T): T | DamagedError {
  try {
    return make();
  } catch (error) {
    return asDamaged(error);
  }
}

/** @throws any other error */
function asDamaged(error: unknown): DamagedError {
  if (error instanceof DamagedError) return error;
  throw error;
}

const textOf = ({ path, query, sourceIp }: EventText): EventText => ({ path, query, sourceIp });

const ownText = ({ path, query, sourceIp }: OwnColumns): EventText => ({
  path: asBuffer(path),
  query: query && asBuffer(query),
  sourceIp,
});
