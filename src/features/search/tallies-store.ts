/*
 * Counts the events of an endpoint by time and by what their columns say. Raw SQL. Events are counted in two ways: by ranges of the index
 * by time, which reads no rows, with the few events that differ from most (failed, invalid) taken from their own tables; or row by row,
 * if the filter is about other columns than type and platform. Results are one JSON text, because many rows are slow on their way out
 * of the database's thread.
 */
import type { Client, Row } from '@libsql/client';
import { answeredStatus, hasFailed } from '../../db/event-outcomes.ts';
import type { ColumnCondition } from './plan.ts';
import { expressionOf, type Sql } from './rows-store.ts';

/** The fields whose values are counted by SQL. */
export type ValueField = GroupColumn | 'method' | 'tag';
const valueColumns = {
  type: 'events.event_type',
  platform: 'events.platform',
  method: 'events.method',
  tag: 'tags.tag',
};

/** Times of receipt, both included. */
export type TimeRange = readonly [from: number, to: number];

/** The columns by which events can be grouped. */
export type GroupColumn = 'type' | 'platform' | 'answered';

/** Events of one bucket that are alike. Columns that were not asked for are null. `status`: -1 without one. */
export type Tally = [
  bucket: number,
  platform: string | null,
  type: string | null,
  status: number,
  failed: 0 | 1,
  invalid: 0 | 1,
  count: number,
];

/** How many events of a type and a platform a range of times has. */
export type Kind = [platform: string | null, type: string | null, count: number];

/** Counts of a range of times. It has the same events as long as both are the same, because a new event gets a higher row number. */
export type Extent = [count: number, lastSeq: number | null];

/**
 * `condition`: must not leave anything open. Without `withKinds`, events of all kinds are one. `withAnswers`: whether all events that
 * have an outcome are marked, not only events that failed or whose signature is invalid.
 */
export type ToCountByRanges = { condition: ColumnCondition | undefined; withKinds: boolean; withAnswers: boolean };

/** `extents`: of each range. `marked`: the events of all ranges that differ from most. Both are of one moment. */
export type CountedRanges = { extents: Extent[]; marked: Tally[] };

type Scope = { endpoint: number; bucketMs: number };

const usualStatus = 200;
const hasFailedOutcome = `EXISTS (SELECT 1 FROM outcomes WHERE event = events.seq AND ${hasFailed})`;
const isInvalid = 'EXISTS (SELECT 1 FROM invalid_signatures WHERE event = events.seq)';
const within = 'endpoint = ? AND received_at BETWEEN ? AND ?';
const pinnedWithin = `events.seq IN (SELECT event FROM pins WHERE ${within})`;
const groupColumns = { type: 'events.event_type', platform: 'events.platform', answered: answeredStatus } as const;

/** `condition`: must not leave anything open. `among`: only these values of a column are counted separately. */
export type RowsToTally = {
  condition?: ColumnCondition | undefined;
  columns: readonly GroupColumn[];
  among?: readonly (string | number)[];
};

/** Events of the list: all of a range with the pinned events of another range, or some by their row numbers. */
export type EventsToTally = { range?: TimeRange; pinned?: TimeRange | undefined } | { seqs: readonly number[] };

/** The rows of `events` that `from` selects and that meet the condition, as the columns of tallies. */
function rowsOf({ condition, columns, among }: RowsToTally, from: Sql): Sql {
  const decided = condition ? expressionOf(condition) : { sql: '1', args: [] };
  const column = (name: GroupColumn, none: string): Sql => {
    const sql = groupColumns[name];
    if (!columns.includes(name)) return { sql: none, args: [] };
    if (!among) return { sql, args: [] };
    return {
      sql: `CASE WHEN ${sql} IN (SELECT value FROM json_each(?)) THEN ${sql} ELSE ${none} END`,
      args: [JSON.stringify(among)],
    };
  };
  const [platform, type, status] = [column('platform', 'NULL'), column('type', 'NULL'), column('answered', '-1')];
  return {
    sql: `SELECT events.received_at AS received_at, ${platform.sql} AS platform, ${type.sql} AS type, ${status.sql} AS status,
      ${hasFailedOutcome} AS failed, ${isInvalid} AS invalid FROM events WHERE ${from.sql} AND ${decided.sql}`,
    args: [...platform.args, ...type.args, ...status.args, ...from.args, ...decided.args],
  };
}

function sourcesOf(endpoint: number, events: EventsToTally): Sql[] {
  if ('seqs' in events)
    return [
      {
        sql: 'events.seq IN (SELECT value FROM json_each(?)) AND +events.endpoint = ?',
        args: [JSON.stringify(events.seqs), endpoint],
      },
    ];
  return [
    ...(events.range ? [{ sql: within, args: [endpoint, ...events.range] }] : []),
    ...(events.pinned ? [{ sql: pinnedWithin, args: [endpoint, ...events.pinned] }] : []),
  ];
}

const union = (parts: readonly Sql[]): Sql => ({
  sql: parts.map(({ sql }) => sql).join(' UNION ALL '),
  args: parts.flatMap(({ args }) => args),
});

/** One row with one JSON text. */
const listOf = (values: string, { sql, args }: Sql): Sql => ({
  sql: `SELECT json_group_array(${values}) FROM (${sql})`,
  args,
});
const toList = <T>(rows: readonly Row[]): T => JSON.parse(String(rows[0]?.[0])) as T;

/** The part of the index by time that a range of a list `given` has. The parameter is the endpoint. */
const inGiven = `endpoint = ? AND received_at BETWEEN json_extract(given.value, '$[0]') AND json_extract(given.value, '$[1]')`;

const extentsOf = (endpoint: number, ranges: readonly TimeRange[]): Sql =>
  listOf('json(extent)', {
    sql: `SELECT (SELECT json_array(count(*), max(seq)) FROM events INDEXED BY events_by_time WHERE ${inGiven}) AS extent
      FROM json_each(?) AS given`,
    args: [endpoint, JSON.stringify(ranges)],
  });

function kindsOf(
  endpoint: number,
  ranges: readonly TimeRange[],
  { condition, withKinds }: ToCountByRanges,
  limit: number,
): Sql {
  const { sql, args } = condition ? expressionOf(condition) : { sql: '1', args: [] };
  const list = JSON.stringify(ranges);
  if (withKinds)
    return listOf('json_array(range, platform, event_type, events)', {
      sql: `SELECT given.key AS range, platform, event_type, count(*) AS events
        FROM json_each(?) AS given CROSS JOIN events INDEXED BY events_by_time ON ${inGiven} AND ${sql}
        GROUP BY 1, 2, 3 LIMIT ?`,
      args: [list, endpoint, ...args, limit + 1],
    });
  return listOf('json_array(range, NULL, NULL, events)', {
    sql: `SELECT given.key AS range,
        (SELECT count(*) FROM events INDEXED BY events_by_time WHERE ${inGiven} AND ${sql}) AS events
      FROM json_each(?) AS given`,
    args: [endpoint, ...args, list],
  });
}

const talliesOf = (bucketMs: number, from: Sql): Sql =>
  listOf('json_array(bucket, platform, type, status, failed, invalid, events)', {
    sql: `SELECT received_at / CAST(? AS INTEGER) AS bucket, platform, type, status, failed, invalid, count(*) AS events
      FROM (${from.sql}) GROUP BY 1, 2, 3, 4, 5, 6`,
    args: [bucketMs, ...from.args],
  });

function markedOf(
  { endpoint, bucketMs }: Scope,
  ranges: readonly TimeRange[],
  { condition, withKinds, withAnswers }: ToCountByRanges,
): Sql {
  const [index, outcome] = withAnswers ? ['outcomes_by_time', '1'] : ['outcomes_failed', hasFailed];
  const kind = withKinds ? 'platform, event_type' : 'NULL AS platform, NULL';
  const decided = condition ? expressionOf(condition) : { sql: '1', args: [] };
  const join = withKinds || condition ? `CROSS JOIN events ON events.seq = marked.event AND ${decided.sql}` : '';
  const args = [JSON.stringify(ranges), endpoint];
  return talliesOf(bucketMs, {
    sql: `SELECT marked.received_at AS received_at, ${kind} AS type, status, failed, invalid FROM (
      SELECT event, received_at, ifnull(status, -1) AS status, ${hasFailed} AS failed,
        EXISTS (SELECT 1 FROM invalid_signatures WHERE event = outcomes.event) AS invalid
        FROM json_each(?) AS given CROSS JOIN outcomes INDEXED BY ${index} ON ${inGiven} AND ${outcome}
      UNION ALL SELECT event, received_at, ${usualStatus}, 0, 1
        FROM json_each(?) AS given CROSS JOIN invalid_signatures ON ${inGiven}
        AND NOT EXISTS (SELECT 1 FROM outcomes WHERE outcomes.event = invalid_signatures.event AND ${outcome})
    ) AS marked ${join}`,
    args: [...args, ...args, ...decided.args],
  });
}

/** @param scans for reads of any length */
export function createTalliesStore(scans: Client) {
  const read = async <T>(values: string, from: Sql): Promise<T> =>
    toList((await scans.execute(listOf(values, from))).rows);
  const readRanges = async (scope: Scope, ranges: readonly TimeRange[], what: ToCountByRanges, kinds: Sql[]) => {
    const statements = [extentsOf(scope.endpoint, ranges), markedOf(scope, ranges, what), ...kinds];
    const lists = await scans.batch(statements, 'read');
    const [extents, marked, found] = lists.map(({ rows }) => toList<unknown>(rows));
    return { extents: extents as Extent[], marked: marked as Tally[], found: found as [number, ...Kind][] };
  };

  return {
    /** The time of the oldest event in the list; null without events. @param since older events are in it only if they are pinned */
    async oldest(endpoint: number, since: number): Promise<number | null> {
      const { rows } = await scans.execute({
        sql: `SELECT min(received_at) FROM (
          SELECT min(received_at) AS received_at FROM events WHERE endpoint = ?1 AND received_at >= ?2
          UNION ALL SELECT min(received_at) FROM pins WHERE endpoint = ?1 AND received_at < ?2)`,
        args: [endpoint, since],
      });
      return rows[0]?.[0] as number | null;
    },

    /** Reads only the index and the marked events. */
    extents: (scope: Scope, ranges: readonly TimeRange[], what: ToCountByRanges): Promise<CountedRanges> =>
      readRanges(scope, ranges, what, []),

    /** Also reads the kinds of events in each range, at the same moment; undefined if there are more than `limit`. */
    async kinds(
      scope: Scope,
      ranges: readonly TimeRange[],
      what: ToCountByRanges,
      limit: number,
    ): Promise<(CountedRanges & { kinds: Kind[][] }) | undefined> {
      const { found, ...counted } = await readRanges(scope, ranges, what, [
        kindsOf(scope.endpoint, ranges, what, limit),
      ]);
      if (what.withKinds && found.length > limit) return undefined;
      const byRange = Map.groupBy(found, ([range]) => range);
      return { ...counted, kinds: ranges.map((_, i) => (byRange.get(i) ?? []).map(([, ...kind]) => kind)) };
    },

    /** Counts row by row. */
    rows: async ({ endpoint, bucketMs }: Scope, events: EventsToTally, what: RowsToTally): Promise<Tally[]> => {
      const rows = union(sourcesOf(endpoint, events).map(from => rowsOf(what, from)));
      return toList((await scans.execute(talliesOf(bucketMs, rows))).rows);
    },

    /** How often each value of a field is in these events; an event counts for each of its tags. */
    values: (endpoint: number, seqs: readonly number[], field: ValueField): Promise<[string | null, number][]> => {
      const [from] = sourcesOf(endpoint, { seqs });
      const value = field === 'answered' ? `nullif(${answeredStatus}, -1)` : valueColumns[field];
      const table = field === 'tag' ? 'events CROSS JOIN tags ON tags.event = events.seq' : 'events';
      return read('json_array(value, events)', {
        sql: `SELECT CAST(${value} AS TEXT) AS value, count(*) AS events FROM ${table} WHERE ${from?.sql} GROUP BY 1`,
        args: from?.args ?? [],
      });
    },

    /** The most frequent values of a column, the most frequent first. Events without a value are left out. */
    topValues: (
      endpoint: number,
      events: EventsToTally,
      { column, condition, limit }: { column: GroupColumn; condition: ColumnCondition | undefined; limit: number },
    ): Promise<(string | number)[]> => {
      const from = union(sourcesOf(endpoint, events).map(source => rowsOf({ condition, columns: [column] }, source)));
      const value = column === 'answered' ? 'nullif(status, -1)' : column;
      return read('value', {
        sql: `SELECT ${value} AS value FROM (${from.sql}) WHERE ${value} IS NOT NULL GROUP BY 1
          ORDER BY count(*) DESC, CAST(value AS TEXT) LIMIT ?`,
        args: [...from.args, limit],
      });
    },
  };
}

export type TalliesStore = ReturnType<typeof createTalliesStore>;
