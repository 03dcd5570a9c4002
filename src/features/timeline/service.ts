/*
 * How many events an endpoint got over time, and which values a field has in them. It covers the events of the list with the same
 * filter. What columns decide is counted whole; a search of contents works within its budget, and the next call continues.
 */
import type { MemberAccess, TeamAccess } from '../../core/access/principal.ts';
import type { Clock } from '../../core/clock.ts';
import type { Reader } from '../../core/concurrency/content-reads.ts';
import { invalidAt } from '../../core/errors.ts';
import type { Position } from '../../core/ids/cursor.ts';
import { type TimeBuckets, timeBuckets } from '../../core/time-buckets.ts';
import { parseWhere } from '../../core/where.ts';
import { type Filter, termsOf } from '../../shared/filter/filter.ts';
import type { ReadableEndpoint, Search } from '../events/reading.ts';
import type { Cell, GroupBy, Tallies } from '../search/tallies.ts';
import {
  defaultBuckets,
  defaultValues,
  type FieldValues,
  maxSeries,
  type Timeline,
  type TimelineQuery,
  type TimelineSeries,
  type ValuesQuery,
} from './model.ts';
import { type Continuation, decodeTimelineCursor, encodeTimelineCursor } from './timeline-cursor.ts';

/** A call starts no further search after this time. */
const defaultBudgetMs = 250;
/** A filter that matches all events, which a search decides without their contents. */
const everyEvent = 'size>=0';
/** How many events one search finds. */
const foundAtOnce = 2048;
/** `values` reads at most as many events. */
const maxValueEvents = 10_000;
/** How many paths are read at once, because they are stored with the contents. */
const pathsAtOnce = 256;

export type TimelineService = ReturnType<typeof createTimelineService>;

type Scope = { endpoint: ReadableEndpoint; since: number; q: string; filter: Filter; reader: Reader };
type Counted = { cells: Cell[]; next: Position | undefined };

export function createTimelineService(options: {
  tallies: Tallies;
  search: Pick<Search, 'find' | 'checkTerm'>;
  clock: Clock;
  /** @throws not_found */
  endpoint: (principal: TeamAccess, id: string) => Promise<ReadableEndpoint>;
  retentionCutoff: (principal: TeamAccess, endpoint: ReadableEndpoint) => number;
  /** The paths of these events of the endpoint, in any order. */
  pathsOf: (endpoint: number, seqs: readonly number[]) => Promise<string[]>;
  budgetMs?: number | undefined;
}) {
  const {
    tallies,
    search,
    clock,
    endpoint: findEndpoint,
    retentionCutoff,
    pathsOf,
    budgetMs = defaultBudgetMs,
  } = options;

  const scopeOf = async (
    principal: MemberAccess,
    endpointId: string,
    { q = '', where = '' }: Pick<TimelineQuery, 'q' | 'where'>,
    signal: AbortSignal | undefined,
  ): Promise<Scope> => {
    search.checkTerm(q);
    const filter = parseWhere(where);
    const endpoint = await findEndpoint(principal, endpointId);
    return { endpoint, since: retentionCutoff(principal, endpoint), q, filter, reader: { ...principal, signal } };
  };

  /** The events that match, newest first, some at a time, each with the position where the next search continues. */
  async function* found(
    { endpoint, q, filter, reader }: Scope,
    { since, after: start, limit }: { since: number; after: Position | undefined; limit: number },
  ): AsyncGenerator<{ found: Position[]; next: Position | undefined }> {
    let [left, after] = [limit, start];
    do {
      const most = Math.min(left, foundAtOnce);
      const where = { filter, endpoint };
      const one = await search.find({ endpoint: endpoint.seq, q, where, since, after, limit: most, reader });
      after = one.found.length === most ? one.found.at(-1) : one.next;
      left -= one.found.length;
      yield { found: one.found, next: after };
    } while (after && left > 0);
  }

  /** Counts by searching. @param isWhole whether the search goes on until it has read all events */
  const countFound = async (
    scope: Scope,
    {
      from,
      to,
      after,
      bucketMs,
      by,
    }: Pick<Continuation, 'from' | 'to'> & { after: Position | undefined; bucketMs: number; by: GroupBy },
    isWhole: boolean,
  ): Promise<Counted> => {
    const until = clock.monotonic() + budgetMs;
    const cells: Cell[] = [];
    let next: Position | undefined;
    const search = {
      since: Math.max(scope.since, from),
      after: after ?? { receivedAt: to + 1, seq: 0 },
      limit: Number.POSITIVE_INFINITY,
    };
    for await (const page of found(scope, search)) {
      // Pinned events may be older than the range.
      const seqs = page.found.filter(({ receivedAt }) => receivedAt >= from).map(({ seq }) => seq);
      if (seqs.length > 0) cells.push(...(await tallies.among({ endpoint: scope.endpoint.seq, bucketMs, by }, seqs)));
      next = page.next;
      if (!isWhole && clock.monotonic() >= until) break;
    }
    return { cells, next };
  };

  /** @throws invalid for the range and the cursor */
  const continuationOf = async (
    endpointId: string,
    query: TimelineQuery,
    { endpoint, since }: Scope,
  ): Promise<Omit<Continuation, 'after'> & { after: Position | undefined }> => {
    if (query.cursor !== undefined) {
      const continued = decodeTimelineCursor(endpointId, query, query.cursor);
      if (!continued) throw invalidAt(['cursor'], 'invalid', 'invalid cursor: it continues another timeline, or none');
      return continued;
    }
    const to = query.to === undefined ? clock.now() : Number(query.to);
    if (query.from !== undefined && Number(query.from) > to) throw invalidAt(['from'], 'must not be after `to`');
    const oldest = query.from === undefined ? await tallies.oldest(endpoint.seq, since) : Number(query.from);
    return { from: Math.max(0, Math.min(oldest ?? to, to)), to, values: null, after: undefined };
  };

  return {
    /**
     * @param signal aborted when the client disconnects
     * @throws invalid for the filter, the range and the cursor, not_found; as `ContentReads.run`
     */
    async timeline(
      principal: MemberAccess,
      endpointId: string,
      query: TimelineQuery,
      signal?: AbortSignal,
    ): Promise<Timeline> {
      const scope = await scopeOf(principal, endpointId, query, signal);
      const by = query.by ?? 'none';
      const { from, to, values: known, after } = await continuationOf(endpointId, query, scope);
      const buckets = timeBuckets(from, to, Number(query.buckets ?? defaultBuckets));
      const { bucketMs } = buckets;
      const { endpoint, since, q, filter } = scope;
      const whole =
        q === '' && after === undefined
          ? await tallies.whole({
              endpoint: endpoint.seq,
              filter,
              since,
              range: [from, to],
              bucketMs,
              by,
              maxValues: maxSeries,
            })
          : undefined;
      const { cells: counted, next }: Counted = whole
        ? { cells: whole, next: undefined }
        : await countFound(scope, { from, to, after, bucketMs, by }, q === '' && isOfColumns(filter));
      // A forged cursor also finds events after the range.
      const cells = counted.filter(({ bucket }) => bucket >= buckets.first && bucket < buckets.first + buckets.count);
      const values = by === 'none' ? null : (known ?? mostFrequent(cells));
      const isContinued = known !== null || next !== undefined;
      return {
        from,
        to,
        bucketMs,
        buckets: bucketsOf(cells, buckets),
        series: values === null ? [] : seriesOf(cells, buckets, values, isContinued),
        complete: next === undefined,
        nextCursor: next ? encodeTimelineCursor(endpointId, query, { from, to, values, after: next }) : null,
      };
    },

    /**
     * @param signal aborted when the client disconnects
     * @throws invalid for the filter, not_found; as `ContentReads.run`
     */
    async values(
      principal: MemberAccess,
      endpointId: string,
      { field, limit, ...query }: ValuesQuery,
      signal?: AbortSignal,
    ): Promise<FieldValues> {
      const isFiltered = (query.q ?? '') !== '' || (query.where ?? '').trim() !== '';
      const scope = await scopeOf(principal, endpointId, isFiltered ? query : { where: everyEvent }, signal);
      const endpoint = scope.endpoint.seq;
      const until = clock.monotonic() + budgetMs;
      const counts = new Map<string | null, number>();
      let events = 0;
      let complete = true;
      const add = (value: string | null, count: number): void =>
        void counts.set(value, (counts.get(value) ?? 0) + count);
      const pages = found(scope, { since: scope.since, after: undefined, limit: maxValueEvents });
      for await (const { found: page, next } of pages) {
        const seqs = page.map(({ seq }) => seq);
        if (field !== 'path')
          for (const [value, count] of await tallies.values(endpoint, seqs, field)) add(value, count);
        let read = 0;
        // At least some, so that an answer is never empty because the search took all of the time.
        for (; field === 'path' && read < seqs.length && (read === 0 || clock.monotonic() < until); read += pathsAtOnce)
          for (const path of await pathsOf(endpoint, seqs.slice(read, read + pathsAtOnce))) add(path, 1);
        const counted = field === 'path' ? Math.min(read, seqs.length) : seqs.length;
        events += counted;
        complete = counted === seqs.length && (next === undefined || events === maxValueEvents);
        if (clock.monotonic() >= until) break;
      }
      const sorted = [...counts].sort(([a, countA], [b, countB]) => countB - countA || compare(a, b));
      const values = sorted.slice(0, Number(limit ?? defaultValues)).map(([value, count]) => ({ value, count }));
      return { values, events, complete };
    },
  };
}

/** Whether no term needs contents. */
const isOfColumns = ({ root }: Filter): boolean =>
  termsOf(root).every(term => term.on === 'column' && !['path', 'ip', 'verdict'].includes(term.column));

/** Without a value last. */
const compare = (a: string | null, b: string | null): number => {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return a < b ? -1 : Number(a > b);
};

function mostFrequent(cells: readonly Cell[]): string[] {
  const totals = new Map<string, number>();
  for (const { value, count } of cells) if (value !== null) totals.set(value, (totals.get(value) ?? 0) + count);
  const sorted = [...totals].sort(([a, countA], [b, countB]) => countB - countA || compare(a, b));
  return sorted.slice(0, maxSeries).map(([value]) => value);
}

/** @param cells all in one of the buckets */
function bucketsOf(cells: readonly Cell[], { bucketMs, first, count }: TimeBuckets): Timeline['buckets'] {
  const buckets = Array.from({ length: count }, (_, i) => ({
    at: (first + i) * bucketMs,
    count: 0,
    accepted: 0,
    failed: 0,
    invalid: 0,
  }));
  for (const cell of cells) {
    const bucket = buckets[cell.bucket - first];
    if (!bucket) continue;
    bucket.count += cell.count;
    bucket.accepted += cell.accepted;
    bucket.failed += cell.failed;
    bucket.invalid += cell.invalid;
  }
  return buckets;
}

/**
 * @param cells all in one of the buckets
 * @param isContinued whether there are several answers, all of which have a series for the rest
 */
function seriesOf(
  cells: readonly Cell[],
  { first, count }: TimeBuckets,
  values: readonly string[],
  isContinued: boolean,
): TimelineSeries[] {
  const empty = (value: string | null): TimelineSeries => ({ value, counts: Array.from({ length: count }, () => 0) });
  const series = values.map(empty);
  const rest = empty(null);
  const byValue = new Map(series.map(one => [one.value, one]));
  for (const cell of cells) {
    const { counts } = byValue.get(cell.value) ?? rest;
    counts[cell.bucket - first] = (counts[cell.bucket - first] ?? 0) + cell.count;
  }
  return isContinued || rest.counts.some(one => one > 0) ? [...series, rest] : series;
}
