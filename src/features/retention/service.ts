/*
 * The sweeper: removes expired events in slices that take the writer some milliseconds. A sweep goes through all endpoints once, a
 * group of them at a time; it may stop anywhere, also by a crash, and the next one continues.
 */
import { createBatchSize } from '../../core/concurrency/batch-size.ts';
import { oldestVisible, type RetentionMs } from '../../core/events/retention.ts';
import type { Cutoffs, ExpiredGroup, RetentionStore } from './store.ts';
import type { SweepClock } from './sweep-clock.ts';

type Slice = () => Promise<'more' | 'done'>;
type Reclaim = () => Promise<'more' | 'done' | { restMs: number }>;

/** The writer's time for a slice. Each has fixed costs, such as its commit, which take most of the time of a smaller slice. */
const sliceMs = 10;
/** Far longer than any retention, and added to a time it is still exact. */
const maxPeriodMs = 2 ** 50;
/** A delivery that found its endpoint before the deletion is committed at most this much later, because senders may be slow. */
const maxDeliveryMs = 600_000;

export function createRetentionService(options: {
  store: RetentionStore;
  /** The sweeper's time, which does not follow a clock that jumps ahead. */
  clock: Pick<SweepClock, 'now'>;
  retentionMs: RetentionMs;
  background: { add: (job: { name: string; slice: Reclaim }) => { wake: () => void } };
  /** Returns free disk space; undefined for a libSQL server, which does that itself. */
  reclaimSpace: Reclaim | undefined;
  /** Deletes the endpoints of a team without people. */
  removeTeam: (teamId: string) => Promise<void>;
  /** Called after each sweep that removed events. */
  onSwept: (events: number) => void;
}) {
  const { store, clock, retentionMs, background, reclaimSpace, removeTeam, onSwept } = options;
  const batchSize = createBatchSize({ targetMs: sliceMs, initial: 512, min: 512, max: 8192 });
  let isSweeping = false;
  /** Set when a sweep is woken while it runs: endpoints that it has passed may have expired events by now. */
  let isSweepAgainDue = false;
  /** Endpoints from this row on have not been swept, except the endpoints of the group. */
  let nextEndpoint = 0;
  let group: ExpiredGroup | undefined;
  let periodMs = 60_000;
  let sweptEvents = 0;

  /**
   * Removes the oldest expired events of the endpoints together: rows that were received at about the same time are on the same
   * pages of the database. @returns whether the group has more
   */
  const removeOldest = async (from: ExpiredGroup, cutoffs: Cutoffs): Promise<boolean> => {
    const until = from.oldest + periodMs;
    const units = batchSize.units();
    const found = await store.expiredIn(from, { until, cutoffs, units });
    if (found) {
      const { removed, writerMs } = await store.removeExpired(found);
      batchSize.record(found.units, writerMs);
      sweptEvents += removed;
    }
    const isAll = !found || found.isAll;
    if (isAll) from.oldest = until;
    if (!isAll) periodMs = Math.max(1, Math.floor(periodMs / 2));
    else if (!found || found.units < units / 2) periodMs = Math.min(maxPeriodMs, periodMs * 2);
    return from.oldest <= from.newest;
  };

  const slice: Slice = async () => {
    if (!isSweeping) {
      isSweeping = true;
      isSweepAgainDue = false;
      nextEndpoint = 0;
      group = undefined;
      sweptEvents = 0;
      for (const team of await store.abandonedTeams()) await removeTeam(team);
    }
    const now = clock.now();
    const cutoffs = {
      free: oldestVisible(retentionMs, 'free', now),
      pro: oldestVisible(retentionMs, 'pro', now),
      now,
    };
    group ??= (await store.findExpired(nextEndpoint, cutoffs)) ?? (await store.findOrphans(cutoffs));
    if (group) {
      if (await removeOldest(group, cutoffs)) return 'more';
      nextEndpoint = group.lastEndpoint + 1;
      group = undefined;
      return 'more';
    }
    await store.removeEmpty(now - maxDeliveryMs);
    isSweeping = false;
    if (sweptEvents > 0) onSwept(sweptEvents);
    space?.wake();
    return isSweepAgainDue ? 'more' : 'done';
  };

  const sweep = background.add({ name: 'retention', slice });
  const space = reclaimSpace && background.add({ name: 'space', slice: reclaimSpace });

  return {
    /**
     * Call it when events may have expired: time passed, an endpoint was deleted, or a plan or an endpoint's retention changed.
     */
    wake(): void {
      isSweepAgainDue = true;
      sweep.wake();
    },
  };
}
