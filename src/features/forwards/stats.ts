/*
 * Statistics of forwards. Attempts are counted in memory when they end, and written every few seconds, so that an attempt costs no
 * statement of its own. Durations are counted in logarithmic buckets, whose ends differ by 10 %: integers up to 10 are exact.
 */
import type { Clock } from '../../core/clock.ts';
import { invalidAt } from '../../core/errors.ts';
import { statsPeriods } from '../../core/forward.ts';
import { timeBuckets } from '../../core/time-buckets.ts';
import type { ForwardStats, ForwardStatsQuery } from './model.ts';
import type { AttemptCount, StatsStore } from './stats-store.ts';

export type ForwardStatistics = ReturnType<typeof createForwardStatistics>;

const writeEveryMs = 5000;
const statsKeptMs = 30 * 24 * 3_600_000;
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const defaultStatsBuckets = 24;
const bucketRatio = Math.log(1.1);
/** The bucket of attempts that have failed. */
const failed = -1;

/** The bucket of a duration. */
const bucketOf = (durationMs: number): number =>
  durationMs < 1 ? 0 : 1 + Math.floor(Math.log(durationMs) / bucketRatio);
/** The middle of a bucket, ms. */
const durationOf = (bucket: number): number => (bucket === 0 ? 0 : Math.round(Math.exp((bucket - 0.5) * bucketRatio)));

export function createForwardStatistics(options: {
  store: StatsStore;
  clock: Pick<Clock, 'now'>;
  onError: (error: unknown) => void;
}) {
  const { store, clock, onError } = options;
  /** By forward, period and bucket. */
  let pending = new Map<string, AttemptCount>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let writing = Promise.resolve();

  const oldestMinute = (): number => Math.ceil((clock.now() - statsKeptMs) / minuteMs);

  const add = (one: AttemptCount): void => {
    const key = `${one.forward} ${one.minutes} ${one.at} ${one.bucket}`;
    pending.set(key, { ...one, attempts: one.attempts + (pending.get(key)?.attempts ?? 0) });
    timer ??= setTimeout(flush, writeEveryMs).unref();
  };

  const write = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    const counts = [...pending.values()];
    if (counts.length === 0) return;
    pending = new Map();
    try {
      await store.add(counts);
    } catch (error) {
      onError(error);
      for (const one of counts) add(one);
    }
  };

  /** Writes what was counted. What cannot be written is written later. */
  function flush(): Promise<void> {
    writing = writing.then(write);
    return writing;
  }

  return {
    flush,

    /** Counts an attempt that has ended. @param durationMs of an accepted attempt; null for a failed attempt */
    record(forward: number, durationMs: number | null): void {
      const bucket = durationMs === null ? failed : bucketOf(durationMs);
      const minute = Math.floor(clock.now() / minuteMs);
      for (const minutes of statsPeriods)
        add({ forward, minutes, at: minute - (minute % minutes), bucket, attempts: 1 });
    },

    /** The statistics of a forward, by its row number. By default of the last 24 clock hours. @throws invalid */
    async read(forward: number, query: ForwardStatsQuery): Promise<ForwardStats> {
      const { to = clock.now(), buckets = defaultStatsBuckets } = toNumbers(query);
      const { from = Math.max(0, (Math.floor(to / hourMs) - 23) * hourMs) } = toNumbers(query);
      if (from > to) throw invalidAt(['from'], 'must not be after to');
      const { bucketMs, first, count } = timeBuckets(from, to, buckets, minuteMs);
      const end = (first + count) * bucketMs;
      await flush();
      const rows = await store.read(forward, {
        from: Math.max((first * bucketMs) / minuteMs, oldestMinute()),
        to: end / minuteMs,
        minutes: bucketMs / minuteMs,
      });
      const bySlot = Map.groupBy(rows, ({ slot }) => slot);
      const slots = Array.from({ length: count }, (_, i) => first + i);
      return {
        from: first * bucketMs,
        to: end - 1,
        bucketMs,
        buckets: slots.map(slot => ({ at: slot * bucketMs, ...summaryOf(bySlot.get(slot) ?? []) })),
        ...summaryOf(rows),
      };
    },

    /** Removes what is older than 30 days. */
    sweep: (): Promise<void> => store.removeBefore(oldestMinute()),
  };
}

const toNumbers = (query: ForwardStatsQuery): Partial<Record<keyof ForwardStatsQuery, number>> =>
  Object.fromEntries(Object.entries(query).map(([name, value]) => [name, Number(value)]));

function summaryOf(rows: readonly { bucket: number; attempts: number }[]) {
  const accepted = rows.filter(({ bucket }) => bucket !== failed).sort((a, b) => a.bucket - b.bucket);
  const count = (some: typeof rows): number => some.reduce((sum, { attempts }) => sum + attempts, 0);
  const delivered = count(accepted);
  const percentile = (share: number): number | null => {
    let left = Math.ceil(share * delivered);
    const found = accepted.find(({ attempts }) => {
      left -= attempts;
      return left <= 0;
    });
    return found ? durationOf(found.bucket) : null;
  };
  return { delivered, failed: count(rows) - delivered, p50Ms: percentile(0.5), p95Ms: percentile(0.95) };
}
