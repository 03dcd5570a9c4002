/*
 * Counts the events of an endpoint that match a filter, by time and by a column. They equal the counts of the list with the same filter:
 * also pinned events that are older than `since` are in them. Each range of time is counted in SQL, all of it at one moment, because
 * events are stored and removed during the count. The results for columns that never change are remembered: a range is counted again only if
 * its index shows that it has other events. A filter about nothing but type and platform is evaluated on the kinds of events. What
 * only contents can decide is not counted here.
 */
import { evaluate } from '../../core/filter/evaluate.ts';
import { type Filter, type Node, termsOf } from '../../shared/filter/filter.ts';
import { type ColumnCondition, planOf } from './plan.ts';
import type { Extent, GroupColumn, Kind, TalliesStore, Tally, TimeRange, ToCountByRanges } from './tallies-store.ts';

export type GroupBy = 'none' | GroupColumn;

/** Events of one bucket with the same value; null: without a value, or not among the most frequent ones. */
export type Cell = {
  bucket: number;
  value: string | null;
  count: number;
  accepted: number;
  failed: number;
  invalid: number;
};

/** `range`: times of receipt. `since`: events received earlier are in the list only if they are pinned. */
export type ToCount = {
  endpoint: number;
  filter: Filter;
  since: number;
  range: TimeRange;
  bucketMs: number;
  by: GroupBy;
  /** The least number of frequent values that are counted separately. */
  maxValues: number;
};

/** The part of a request: the range and the filter without the times that every match must have. */
type Part = Pick<ToCount, 'endpoint' | 'bucketMs' | 'by' | 'maxValues'> & {
  filter: Filter;
  /** undefined if kinds decide. */
  condition: ColumnCondition | undefined;
  listed: TimeRange;
  pinned: TimeRange | undefined;
};

const defaultMaxKinds = 20_000;
/** How many kinds and ranges are remembered, of all endpoints: some 100 bytes each. */
const maxRemembered = 50_000;
/** Into how many statements a count is divided, so that other reads need not wait for all of it. Rows take longer than their index. */
const statements = { index: 4, rows: 16 };

export function createTallies(options: {
  store: TalliesStore;
  now: () => number;
  /** More kinds of events in one request are counted row by row. */
  maxKinds?: number;
}) {
  const { store, now, maxKinds = defaultMaxKinds } = options;
  const remembered = createMemory();

  type Scope = Pick<Part, 'endpoint' | 'bucketMs'>;
  /** The kinds of events in each range, and the marked events of all ranges. All counts of one range are from one moment. */
  type Counted = { kinds: Kind[][]; marked: Tally[] };

  const countExtents = async (scope: Scope, ranges: readonly TimeRange[], what: ToCountByRanges): Promise<Counted> => {
    const counted: Counted = { kinds: [], marked: [] };
    for (const some of inParts(ranges, statements.index)) {
      const { extents, marked } = await store.extents(scope, some, what);
      counted.kinds.push(...extents.map(([count]): Kind[] => [[null, null, count]]));
      counted.marked.push(...marked);
    }
    return counted;
  };

  /** undefined if there are too many kinds. @param key of what is remembered; undefined if nothing may be */
  const countKinds = async (
    scope: Scope,
    ranges: readonly TimeRange[],
    what: ToCountByRanges,
    key: string | undefined,
  ): Promise<Counted | undefined> => {
    const keyOf = (range: TimeRange): string => `${scope.endpoint} ${range} ${key}`;
    const all: Tally[] = [];
    const found = new Map<TimeRange, Kind[]>();
    const known = key === undefined ? [] : ranges.filter(range => remembered.has(keyOf(range)));
    for (const some of inParts(known, statements.index)) {
      const { extents, marked } = await store.extents(scope, some, what);
      for (const [i, range] of some.entries()) {
        const kinds = extents[i] && remembered.find(keyOf(range), extents[i]);
        if (kinds) found.set(range, kinds);
      }
      const buckets = new Set([...found.keys()].map(([from]) => bucketOf(from, scope.bucketMs)));
      all.push(...marked.filter(([bucket]) => buckets.has(bucket)));
    }
    let limit = maxKinds;
    for (const some of inParts(ranges.filter(range => !found.has(range)))) {
      const counted = await store.kinds(scope, some, what, limit);
      if (!counted) return undefined;
      all.push(...counted.marked);
      for (const [i, range] of some.entries()) {
        const kinds = counted.kinds[i] ?? [];
        limit = Math.max(0, limit - kinds.length);
        found.set(range, kinds);
        const extent = counted.extents[i];
        if (key !== undefined && extent) remembered.add(keyOf(range), { kinds, extent });
      }
    }
    return { kinds: ranges.map(range => found.get(range) ?? []), marked: all };
  };

  /** Counts each range. undefined if there are too many kinds of events. */
  const byRanges = async ({ endpoint, bucketMs, by, filter, condition, listed, pinned }: Part) => {
    const isByKind = condition === undefined && filter.root !== undefined;
    const withKinds = isByKind || by === 'type' || by === 'platform';
    const ranges = rangesOf(listed, bucketMs);
    const what = { condition, withKinds, withAnswers: by === 'answered' };
    const scope = { endpoint, bucketMs };
    const counted =
      condition || withKinds
        ? await countKinds(scope, ranges, what, condition ? keyOfFilter(filter, withKinds) : '')
        : await countExtents(scope, ranges, what);
    if (!counted) return undefined;
    const { kinds, marked } = counted;
    const columns = ['type', 'platform', 'answered'] as const;
    const old = pinned ? await store.rows(scope, { pinned }, { condition, columns }) : [];
    const usual = (bucket: number, [platform, type, count]: Kind): Tally => [bucket, platform, type, 200, 0, 0, count];
    const all = [
      ...kinds.flatMap((of, i) => of.map(kind => usual(bucketOf(ranges[i]?.[0] ?? 0, bucketMs), kind))),
      ...marked,
      // Until here they are also counted as usual ones.
      ...marked.map(([bucket, platform, type, , , , count]) => usual(bucket, [platform, type, -count])),
      ...old,
    ];
    if (!isByKind) return all;
    const time = now();
    return all.filter(([, platform, type]) => evaluate(filter, { platform, type }, time));
  };

  /** Counts row by row, and tells only the most frequent values apart. */
  const byRows = async ({ endpoint, bucketMs, by, condition, listed, pinned, maxValues }: Part): Promise<Tally[]> => {
    const columns = by === 'none' ? [] : [by];
    const top = columns.map(column =>
      store.topValues(endpoint, { range: listed, pinned }, { column, condition, limit: maxValues }),
    );
    const what = { condition, columns, ...(top[0] && { among: await top[0] }) };
    const tallies = pinned ? await store.rows({ endpoint, bucketMs }, { pinned }, what) : [];
    for (const some of inParts(rangesOf(listed, bucketMs))) {
      const range = [some[0]?.[0] ?? 0, some.at(-1)?.[1] ?? -1] as const;
      tallies.push(...(await store.rows({ endpoint, bucketMs }, { range }, what)));
    }
    return tallies;
  };

  return {
    /** Counts all that match; undefined if columns alone do not decide that in SQL. */
    async whole({ filter, range: [from, to], since, ...request }: ToCount): Promise<Cell[] | undefined> {
      const { range } = planOf(filter, now());
      const rest = { ...filter, root: withoutTimes(filter.root) };
      const { isOfRows, columns } = planOf(rest, now());
      const last = Math.min(to, (range.to ?? Number.POSITIVE_INFINITY) - 1);
      const first = Math.max(from, range.from ?? from);
      const condition = isOfKinds(rest) ? undefined : columns?.condition;
      const part: Part = {
        ...request,
        filter: rest,
        condition,
        listed: [Math.max(first, since), last],
        pinned: first < since ? [first, Math.min(last, since - 1)] : undefined,
      };
      if (!isOfRows || (condition && !isDecided(condition))) return undefined;
      const tallies = await byRanges(part);
      if (tallies) return toCells(tallies, request.by);
      const all = columns?.condition;
      if (all && !isDecided(all)) return undefined;
      return toCells(await byRows({ ...part, condition: all }), request.by);
    },

    /** Counts events by their row numbers. */
    among: async (
      { endpoint, bucketMs, by }: Pick<ToCount, 'endpoint' | 'bucketMs' | 'by'>,
      seqs: readonly number[],
    ): Promise<Cell[]> =>
      toCells(await store.rows({ endpoint, bucketMs }, { seqs }, { columns: by === 'none' ? [] : [by] }), by),

    oldest: store.oldest,
    values: store.values,
  };
}

export type Tallies = ReturnType<typeof createTallies>;

/** The kinds of events in ranges of time. The least recently used ones are forgotten. */
function createMemory() {
  type Known = { kinds: Kind[]; extent: Extent };
  const known = new Map<string, Known>();
  let size = 0;
  const remove = (key: string): void => {
    size -= (known.get(key)?.kinds.length ?? -1) + 1;
    known.delete(key);
  };
  const add = (key: string, one: Known): void => {
    remove(key);
    known.set(key, one);
    size += one.kinds.length + 1;
    for (const oldest of known.keys()) {
      if (size <= maxRemembered) break;
      remove(oldest);
    }
  };
  return {
    has: (key: string): boolean => known.has(key),
    /** undefined if the range is unknown or has other events since. */
    find(key: string, [count, lastSeq]: Extent): Kind[] | undefined {
      if (count === 0) return [];
      const found = known.get(key);
      if (found?.extent[0] !== count || found.extent[1] !== lastSeq) return undefined;
      add(key, found);
      return found.kinds;
    },
    add,
  };
}

/** Columns that stay as they are, so that counts of a filter about them can be remembered. */
const lasting: ReadonlySet<string> = new Set(['type', 'platform', 'method', 'size', 'answered']);
const maxKeyCharacters = 200;

const keyOfFilter = ({ root, text }: Filter, withKinds: boolean): string | undefined =>
  text.length <= maxKeyCharacters && termsOf(root).every(term => term.on === 'column' && lasting.has(term.column))
    ? `${withKinds} ${text}`
    : undefined;

const bucketOf = (time: number, bucketMs: number): number => Math.floor(time / bucketMs);

/** The part of a range in each bucket; none of an empty range. */
function rangesOf([from, to]: TimeRange, bucketMs: number): TimeRange[] {
  const ranges: TimeRange[] = [];
  for (let at = from; at <= to; ) {
    const next = (bucketOf(at, bucketMs) + 1) * bucketMs;
    ranges.push([at, Math.min(next - 1, to)]);
    at = next;
  }
  return ranges;
}

function inParts<T>(all: readonly T[], parts = statements.rows): T[][] {
  const size = Math.ceil(all.length / parts);
  return Array.from({ length: size === 0 ? 0 : Math.ceil(all.length / size) }, (_, i) =>
    all.slice(i * size, (i + 1) * size),
  );
}

/** The filter without the times of receipt that every match must have. */
function withoutTimes(root: Node | undefined): Node | undefined {
  if (root?.kind === 'term') return root.on === 'column' && root.column === 'received' ? undefined : root;
  if (root?.kind !== 'and') return root;
  const nodes = root.nodes.flatMap(node => withoutTimes(node) ?? []);
  return nodes.length === 0 ? undefined : { kind: 'and', nodes };
}

const isOfKinds = ({ root }: Filter): boolean =>
  termsOf(root).every(term => term.on === 'column' && (term.column === 'type' || term.column === 'platform'));

/** Whether SQL decides every row. */
function isDecided(condition: ColumnCondition): boolean {
  if (condition.is === 'not') return isDecided(condition.of);
  if (condition.is === 'all' || condition.is === 'any') return condition.of.every(isDecided);
  return condition.is !== 'unknown';
}

function toCells(tallies: readonly Tally[], by: GroupBy): Cell[] {
  const cells = new Map<string, Cell>();
  for (const [bucket, platform, type, status, failed, invalid, count] of tallies) {
    const values = { none: null, platform, type, answered: status < 0 ? null : String(status) };
    const value = values[by];
    const key = `${bucket} ${value === null ? '' : `=${value}`}`;
    const cell = cells.get(key) ?? { bucket, value, count: 0, accepted: 0, failed: 0, invalid: 0 };
    cells.set(key, cell);
    cell.count += count;
    if (failed) cell.failed += count;
    if (invalid) cell.invalid += count;
    if (!failed && !invalid) cell.accepted += count;
  }
  return [...cells.values()].filter(({ count }) => count > 0);
}
