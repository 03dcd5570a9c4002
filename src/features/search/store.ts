/*
 * The search index and the events that it is made from. Raw SQL, because Drizzle does not know FTS5, and because a search
 * reads many rows. Reads that may take long use the scan connection. Captured text is never returned as TEXT.
 */
import type { Client, InStatement, Row } from '@libsql/client';
import type { Position } from '../../core/cursor.ts';
import { createContentReader } from '../../db/contents.ts';

/** The searched part of an event, as stored. */
export type SearchableEvent = {
  seq: number;
  endpoint: number;
  eventType: string | null;
  /** Empty when it is damaged, so that other events can still be searched and indexed. */
  body: Uint8Array;
};
/** The row number up to which all events are in the index, and the highest row number. */
export type IndexProgress = { watermark: number; last: number };
export type IndexEntry = { seq: number; trigrams: string };

export type SearchStore = ReturnType<typeof createSearchStore>;

const isWatermark = "name = 'search-watermark'";
const digits = (value: unknown): number => Number(Buffer.from(value as ArrayBuffer).toString('latin1'));
const toDigits = (value: number): Uint8Array => Buffer.from(String(value), 'latin1');
const toPosition = (row: Row): Position => ({ seq: Number(row[0]), receivedAt: Number(row[1]) });
const searchedColumns = 'seq, endpoint, event_type, size, block, block_start, encoding, content';
const nothing = Buffer.alloc(0);
const toContentRow = (row: Row) => ({
  seq: Number(row[0]),
  endpoint: Number(row[1]),
  eventType: row[2] as string | null,
  size: Number(row[3]),
  block: row[4] as number | null,
  blockStart: row[5] as number | null,
  encoding: Number(row[6]),
  content: new Uint8Array(row[7] as ArrayBuffer),
  // Not searched.
  path: nothing,
  query: null,
  sourceIp: '',
  sha256: nothing,
});
const progressSql = `SELECT value, (SELECT max(seq) FROM events) FROM meta WHERE ${isWatermark}`;
const toProgress = (row: Row | undefined): IndexProgress => ({
  watermark: row ? digits(row[0]) : 0,
  last: Number(row?.[1] ?? 0),
});

// As BigInt: FTS5 requires integer bounds, and a JavaScript number is bound as REAL.
const indexHits = (match: string, from: number, to: number, limit: number) => ({
  sql: 'SELECT rowid FROM events_search WHERE events_search MATCH ? AND rowid BETWEEN ? AND ? ORDER BY rowid DESC LIMIT ?',
  args: [match, BigInt(from), BigInt(to), limit],
});

const positionsAfter = (endpoint: number, since: number, after: Position | undefined, limit: number) => ({
  sql: `SELECT seq, received_at FROM events WHERE endpoint = ? AND received_at >= ?
    ${after ? 'AND (received_at, seq) < (?, ?)' : ''} ORDER BY received_at DESC, seq DESC LIMIT ?`,
  args: [endpoint, since, ...(after ? [after.receivedAt, after.seq] : []), limit],
});

/** A list of whole numbers as one parameter, whatever its length. */
const jsonList = '(SELECT value FROM json_each(?))';

/** @param client for writes @param scans for reads of any length */
export function createSearchStore(client: Client, scans: Client) {
  const rows = async (sql: string, args: (string | number)[]): Promise<Row[]> =>
    (await scans.execute({ sql, args })).rows;
  const count = async (sql: string, args: (string | number)[] = []): Promise<number> =>
    Number((await rows(sql, args))[0]?.[0] ?? 0);

  const contents = createContentReader(scans);
  const toSearched = async (found: readonly Row[]): Promise<SearchableEvent[]> => {
    const events: SearchableEvent[] = [];
    await contents.read(found.map(toContentRow), ({ seq, endpoint, eventType }, content) => {
      events.push({ seq, endpoint, eventType, body: content instanceof Error ? nothing : content.body });
    });
    return events.sort((a, b) => a.seq - b.seq);
  };

  return {
    progress: async (): Promise<IndexProgress> => toProgress((await rows(progressSql, []))[0]),

    /** What a search starts with, read in one transaction. */
    async opening(
      match: string,
      candidates: number,
      { endpoint, since, after }: { endpoint: number; since: number; after: Position | undefined },
      positions: number,
    ): Promise<{ progress: IndexProgress; hits: number[]; page: Position[] }> {
      const [progress, hits, page] = await scans.batch(
        [
          progressSql,
          indexHits(match, 0, Number.MAX_SAFE_INTEGER, candidates),
          positionsAfter(endpoint, since, after, positions),
        ],
        'read',
      );
      return {
        progress: toProgress(progress?.rows[0]),
        hits: hits?.rows.map(row => Number(row[0])) ?? [],
        page: page?.rows.map(toPosition) ?? [],
      };
    },

    /** The next events after `seq`, oldest first. */
    async searchedAfter(seq: number, limit: number): Promise<SearchableEvent[]> {
      const sql = `SELECT ${searchedColumns} FROM events WHERE seq > ? ORDER BY seq LIMIT ?`;
      return toSearched(await rows(sql, [seq, limit]));
    },

    /** The sizes of the bodies after `seq`, oldest first. */
    async sizesAfter(seq: number, limit: number): Promise<number[]> {
      const sql = 'SELECT size FROM events WHERE seq > ? ORDER BY seq LIMIT ?';
      return (await rows(sql, [seq, limit])).map(row => Number(row[0]));
    },

    /**
     * Adds entries to the index and moves the watermark, in one transaction. Events that were deleted meanwhile are left
     * out; entries that exist already are replaced.
     * @returns false when the watermark was not at `from`: another process indexes as well, or the index was emptied
     */
    async append(entries: readonly IndexEntry[], from: number, to: number): Promise<boolean> {
      const statements: InStatement[] = [
        {
          sql: `INSERT OR REPLACE INTO events_search (rowid, trigrams)
                SELECT column1, column2 FROM (VALUES ${entries.map(() => '(?, ?)').join()})
                WHERE EXISTS (SELECT 1 FROM events WHERE seq = column1)`,
          args: entries.flatMap(({ seq, trigrams }) => [seq, trigrams]),
        },
        {
          sql: `UPDATE meta SET value = ? WHERE ${isWatermark} AND value = ?`,
          args: [toDigits(to), toDigits(from)],
        },
      ];
      return (await client.batch(statements, 'write')).at(-1)?.rowsAffected === 1;
    },

    /** Merges some segments of the index; false when there was nothing to merge. */
    async merge(pages: number): Promise<boolean> {
      const results = await client.batch(
        [
          'SELECT total_changes()',
          { sql: "INSERT INTO events_search (events_search, rank) VALUES ('merge', ?)", args: [pages] },
          'SELECT total_changes()',
        ],
        'write',
      );
      const changes = (at: number): number => Number(results[at]?.rows[0]?.[0] ?? 0);
      // The command itself counts as one change (SQLite FTS5, "The 'merge' Command").
      return changes(2) - changes(0) > 1;
    },

    /** Empties the index and resets the watermark. */
    async clear(): Promise<void> {
      await client.batch(
        [
          "INSERT INTO events_search (events_search) VALUES ('delete-all')",
          { sql: `UPDATE meta SET value = ? WHERE ${isWatermark}`, args: [toDigits(0)] },
        ],
        'write',
      );
    },

    /** Row numbers from `from` to `to` that match an FTS5 expression, highest first. */
    async hits(match: string, from: number, to: number, limit: number): Promise<number[]> {
      return (await scans.execute(indexHits(match, from, to, limit))).rows.map(row => Number(row[0]));
    },

    /** The positions of those among `seqs` that are the endpoint's events, received at `since` or later. */
    async positions(endpoint: number, since: number, seqs: readonly number[]): Promise<Position[]> {
      const sql = `SELECT seq, received_at FROM events WHERE seq IN ${jsonList} AND +endpoint = ? AND +received_at >= ?`;
      return (await rows(sql, [JSON.stringify(seqs), endpoint, since])).map(toPosition);
    },

    /** The size of these events' bodies. */
    bodyBytes: (seqs: readonly number[]): Promise<number> =>
      count(`SELECT ifnull(sum(size), 0) FROM events WHERE seq IN ${jsonList}`, [JSON.stringify(seqs)]),

    /** The next positions of the event list, newest first; read from an index alone. */
    async nextPositions(
      endpoint: number,
      since: number,
      after: Position | undefined,
      limit: number,
    ): Promise<Position[]> {
      return (await scans.execute(positionsAfter(endpoint, since, after, limit))).rows.map(toPosition);
    },

    /** These events; for bodies larger than `maxBytes`, only the row numbers. */
    async searchedWithin(
      seqs: readonly number[],
      maxBytes: number,
    ): Promise<{ events: Map<number, SearchableEvent>; larger: Set<number> }> {
      const fits = `size <= ${maxBytes}`;
      const [small, large] = await scans.batch(
        [
          {
            sql: `SELECT ${searchedColumns} FROM events WHERE seq IN ${jsonList} AND ${fits}`,
            args: [JSON.stringify(seqs)],
          },
          { sql: `SELECT seq FROM events WHERE seq IN ${jsonList} AND NOT ${fits}`, args: [JSON.stringify(seqs)] },
        ],
        'read',
      );
      return {
        events: new Map((await toSearched(small?.rows ?? [])).map(event => [event.seq, event])),
        larger: new Set(large?.rows.map(row => Number(row[0]))),
      };
    },

    async searched(seqs: readonly number[]): Promise<Map<number, SearchableEvent>> {
      const sql = `SELECT ${searchedColumns} FROM events WHERE seq IN ${jsonList}`;
      return new Map((await toSearched(await rows(sql, [JSON.stringify(seqs)]))).map(event => [event.seq, event]));
    },

    /** Events up to the watermark that the index lacks. */
    missing: (watermark: number): Promise<number> =>
      count(
        'SELECT count(*) FROM events WHERE seq <= ? AND NOT EXISTS (SELECT 1 FROM events_search_docsize WHERE id = events.seq)',
        [watermark],
      ),

    /** Index entries without an event. */
    orphans: (): Promise<number> =>
      count(
        'SELECT count(*) FROM events_search_docsize WHERE NOT EXISTS (SELECT 1 FROM events WHERE seq = events_search_docsize.id)',
      ),

    /** Row numbers spread evenly over what is indexed. */
    async sample(watermark: number, size: number): Promise<number[]> {
      const step = Math.max(1, Math.floor(watermark / size));
      const sql = `SELECT (SELECT seq FROM events WHERE seq >= value.value ORDER BY seq LIMIT 1) FROM json_each(?) AS value`;
      const starts = Array.from({ length: Math.min(size, watermark) }, (_, i) => 1 + i * step);
      const found = (await rows(sql, [JSON.stringify(starts)])).map(row => Number(row[0]));
      return [...new Set(found)].filter(seq => seq > 0 && seq <= watermark);
    },
  };
}
