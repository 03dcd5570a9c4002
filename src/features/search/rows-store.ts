/*
 * Reads the rows of events for a search, with what their columns decide. Raw SQL, because a search reads many rows. A condition
 * on columns becomes an expression with SQL's three values, in which NULL means that the columns do not decide. Patterns are
 * compared by functions that take time in proportion to the text. Captured text is never returned as TEXT.
 */
import type { Client, InValue, Row } from '@libsql/client';
import { DamagedError } from '../../core/blocks/stored-content.ts';
import type { ContentRead } from '../../core/concurrency/content-reads.ts';
import type { Position } from '../../core/ids/cursor.ts';
import { type ContentRow, createContentReader } from '../../db/contents.ts';
import { isPinned, readTags, tagsJson } from '../../db/event-marks.ts';
import { answeredStatus, isRefused } from '../../db/event-outcomes.ts';
import { isRedacted } from '../../db/event-redactions.ts';
import { createRawReader, toObjects } from '../../db/raw-rows.ts';
import type { EventRow, RowContent } from './condition.ts';
import type { ColumnCondition, ColumnPlan, RequiredRows } from './plan.ts';

/** The part of an endpoint's list to search: after a position, received at `since` or later. */
export type ListRest = { endpoint: number; since: number; after: Position | undefined };

export type Sql = { sql: string; args: (string | number)[] };

const columns = {
  type: 'events.event_type',
  platform: 'lower(events.platform)',
  method: 'upper(events.method)',
} as const;
const numbers = { size: 'events.size', received: 'events.received_at', answered: answeredStatus } as const;
const isReplayed = 'EXISTS (SELECT 1 FROM replays WHERE event = events.seq)';
/** Whether the event was replayed with changes. */
const isEdited = 'EXISTS (SELECT 1 FROM replays WHERE event = events.seq AND edited = 1)';
const endOfTime = Number.MAX_SAFE_INTEGER;
/** The lower end of a range that has none. */
const lowest = { size: -endOfTime, received: -endOfTime, answered: 0 } as const;
const inList = 'IN (SELECT value FROM json_each(?))';

/** Whether a row of `events` meets the condition: 1, 0, or NULL if its columns do not decide. */
export function expressionOf(condition: ColumnCondition): Sql {
  switch (condition.is) {
    case 'known':
      return { sql: condition.value ? '1' : '0', args: [] };
    case 'unknown':
      return { sql: 'NULL', args: [] };
    case 'not': {
      const { sql, args } = expressionOf(condition.of);
      return { sql: `NOT ${sql}`, args };
    }
    case 'all':
    case 'any': {
      const parts = condition.of.map(expressionOf);
      const [operator, empty] = condition.is === 'all' ? [' AND ', '1'] : [' OR ', '0'];
      return {
        sql: `(${parts.map(({ sql }) => `(${sql})`).join(operator) || empty})`,
        args: parts.flatMap(({ args }) => args),
      };
    }
    case 'equal':
      return { sql: `ifnull(${columns[condition.column]} = ?, 0)`, args: [condition.text] };
    case 'begins':
      return {
        sql: `ifnull(substr(${columns[condition.column]}, 1, ?) = ?, 0)`,
        args: [[...condition.text].length, condition.text],
      };
    case 'has':
      return { sql: `ifnull(instr(${columns[condition.column]}, ?) > 0, 0)`, args: [condition.text] };
    case 'within': {
      const { column, min = lowest[column], max = endOfTime } = condition;
      return { sql: `(${numbers[column]} BETWEEN ? AND ?)`, args: [min, max] };
    }
    case 'tagged':
      return { sql: 'EXISTS (SELECT 1 FROM tags WHERE event = events.seq AND tag = ?)', args: [condition.tag] };
    case 'pinned':
      return { sql: isPinned, args: [] };
    case 'replayed':
      return { sql: isReplayed, args: [] };
    case 'edited':
      return { sql: isEdited, args: [] };
    case 'refused':
      return { sql: isRefused, args: [] };
    case 'redacted':
      return { sql: isRedacted, args: [] };
  }
}

/** The columns of an `EventRow`. */
function selectRow(plan: ColumnPlan | undefined): Sql {
  const { sql, args } = plan ? expressionOf(plan.condition) : { sql: 'NULL', args: [] };
  const needs = plan?.needs ?? new Set();
  const ifNeeded = (name: string, column: string, none: string | number = 0) => (needs.has(name) ? column : none);
  return {
    sql: `SELECT events.seq AS seq, events.received_at AS received_at, events.event_type, events.platform, events.method,
      events.size AS size, events.verdict, ${sql} AS decided,
      ${ifNeeded('tag', tagsJson, "'[]'")} AS tags, ${ifNeeded('pinned', isPinned)} AS pinned,
      ${ifNeeded('replayed', isReplayed)} AS replayed, ${ifNeeded('edited', isEdited)} AS edited,
      ${ifNeeded('answered', answeredStatus, -1)} AS answered, ${ifNeeded('refused', isRefused)} AS refused,
      ${ifNeeded('redacted', isRedacted)} AS redacted`,
    args,
  };
}
const rowColumns = 15;

const toRow = (row: Row): EventRow => ({
  seq: Number(row[0]),
  receivedAt: Number(row[1]),
  eventType: row[2] as string | null,
  platform: row[3] as string | null,
  method: String(row[4]),
  size: Number(row[5]),
  verdict: row[6] as string | null,
  decided: row[7] === null ? undefined : Number(row[7]) === 1,
  tags: readTags(row[8]),
  isPinned: Number(row[9]) === 1,
  isReplayed: Number(row[10]) === 1,
  isEdited: Number(row[11]) === 1,
  answered: Number(row[12]) < 0 ? null : Number(row[12]),
  isRefused: Number(row[13]) === 1,
  isRedacted: Number(row[14]) === 1,
});

/** A block whose row numbers span more rows than this is read by its contents instead. */
const maxSpread = 512;
/** The most rows with columns that a list returns at once. */
const maxListed = 1024;
/** If the database has more replays, the events are scanned instead. */
const maxReplaysRead = 20_000;

/** The rows of blocks that columns do not exclude. `wide`: blocks whose row numbers span too many rows to be read. */
export type BlockRows = { rows: (EventRow & { block: number })[]; wide: number[]; found: ReadonlySet<number> };

/** @param scans for reads of any length */
export function createRowsStore(scans: Client) {
  const contents = createContentReader(scans);
  const { objects, numbers } = createRawReader(scans);
  const rows = async (sql: string, args: InValue[]): Promise<Row[]> => (await scans.execute({ sql, args })).rows;
  const notExcluded = ({ sql, args }: Sql, from: Sql): Sql => ({
    sql: `SELECT * FROM (${sql} ${from.sql}) WHERE decided IS NOT 0`,
    args: [...args, ...from.args],
  });

  return {
    /** The subset of these row numbers that are events of the endpoint, received at `since` or later, and not excluded by columns. */
    async events(
      { endpoint, since }: ListRest,
      seqs: readonly number[],
      plan?: ColumnPlan,
    ): Promise<Map<number, EventRow>> {
      const { sql, args } = notExcluded(selectRow(plan), {
        sql: `FROM events WHERE seq ${inList} AND +endpoint = ? AND +received_at >= ?`,
        args: [JSON.stringify(seqs), endpoint, since],
      });
      return new Map((await rows(sql, args)).map(row => [Number(row[0]), toRow(row)]));
    },

    /** The rows of these blocks that columns do not exclude. */
    async blockRows({ endpoint, since }: ListRest, blocks: readonly number[], plan: ColumnPlan): Promise<BlockRows> {
      const list = JSON.stringify(blocks);
      const select = selectRow(plan);
      const [spreads, found] = await scans.batch(
        [
          { sql: `SELECT seq, last_event - first_event > ${maxSpread} FROM blocks WHERE seq ${inList}`, args: [list] },
          notExcluded(
            { ...select, sql: `${select.sql}, events.block AS block` },
            {
              sql: `FROM json_each(?) AS given
                CROSS JOIN blocks ON blocks.seq = given.value AND last_event - first_event <= ${maxSpread}
                CROSS JOIN events ON events.seq BETWEEN first_event AND last_event AND events.block = blocks.seq
                WHERE +events.endpoint = ? AND +events.received_at >= ?`,
              args: [list, endpoint, since],
            },
          ),
        ],
        'read',
      );
      const ofBlocks = spreads?.rows ?? [];
      return {
        rows: found?.rows.map(row => ({ ...toRow(row), block: Number(row[rowColumns]) })) ?? [],
        wide: ofBlocks.filter(row => Number(row[1]) === 1).map(row => Number(row[0])),
        found: new Set(ofBlocks.map(row => Number(row[0]))),
      };
    },

    /**
     * The next rows of the list that columns do not exclude, of at most `step` positions. `next`: the last position; undefined at
     * the end.
     */
    async list(
      { endpoint, since, after }: ListRest,
      plan: ColumnPlan | undefined,
      step: number,
    ): Promise<{ rows: EventRow[]; next: Position | undefined }> {
      const from = [endpoint, since, after?.receivedAt ?? endOfTime, after?.seq ?? endOfTime];
      const part = 'FROM events WHERE endpoint = ? AND received_at >= ? AND (received_at, seq) < (?, ?)';
      const order = 'ORDER BY received_at DESC, seq DESC';
      const [end] = await rows(`SELECT received_at, seq ${part} ${order} LIMIT 1 OFFSET ?`, [...from, step - 1]);
      const last = end && { receivedAt: Number(end[0]), seq: Number(end[1]) };
      const { sql, args } = notExcluded(selectRow(plan), {
        sql: `${part} AND (received_at, seq) >= (?, ?)`,
        // The index takes only one lower bound, which must be the higher one.
        args: [endpoint, last?.receivedAt ?? since, ...from.slice(2), last?.receivedAt ?? -endOfTime, last?.seq ?? 0],
      });
      const found = (await rows(`${sql} ${order} LIMIT ?`, [...args, maxListed])).map(toRow);
      return { rows: found, next: found.length === maxListed ? found.at(-1) : last };
    },

    /** The next positions of the list in a table that has all candidates; undefined if the table is too large for that. */
    async required(
      { endpoint, since, after }: ListRest,
      required: RequiredRows,
      limit: number,
    ): Promise<Position[] | undefined> {
      const position = [since, after?.receivedAt ?? endOfTime, after?.seq ?? endOfTime];
      const part = 'received_at >= ? AND (received_at, event) < (?, ?) ORDER BY received_at DESC, event DESC LIMIT ?';
      const read = (from: string, args: string[] = []): Promise<Position[]> =>
        objects(`SELECT event AS seq, received_at FROM ${from} AND ${part}`, [endpoint, ...args, ...position, limit]);
      if (required.of === 'tags') return read('tags WHERE endpoint = ? AND tag = ?', [required.tag]);
      if (required.of !== 'replays') return read(`${required.of} WHERE endpoint = ?`);
      const [count = 0] = await numbers(`SELECT count(*) FROM (SELECT 1 FROM replays LIMIT ${maxReplaysRead + 1})`);
      if (count > maxReplaysRead) return undefined;
      return read(`(SELECT seq AS event, received_at FROM events
        WHERE seq IN (SELECT event FROM replays) AND +endpoint = ?) WHERE 1`);
    },

    /** Calls `use` with the content of each event, in any order. */
    async bodies(
      {
        endpoint,
        seqs,
        plan,
        read,
      }: { endpoint: number; seqs: readonly number[]; plan: ColumnPlan | undefined; read: ContentRead },
      use: (event: EventRow, content: RowContent | undefined) => Promise<void>,
    ): Promise<void> {
      const select = selectRow(plan);
      const sql = `${select.sql}, block, block_start, encoding, content, sha256, path, query, source_ip
        FROM events WHERE seq ${inList} AND +endpoint = ?`;
      const args = [...select.args, JSON.stringify(seqs), endpoint];
      const result = await scans.execute({ sql, args });
      const events = result.rows.map(toRow);
      const found = toObjects<ContentRow>(result).map((own, i) => ({ ...own, ...(events[i] as EventRow) }));
      await contents.read(found, read, (row, content) =>
        use(row, content instanceof DamagedError ? undefined : content),
      );
    },
  };
}
