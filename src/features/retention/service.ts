/*
 * The sweeper: removes expired events, oldest first, in slices that take the writer a few milliseconds. A sweep goes through
 * all endpoints once; it may stop anywhere, also by a crash, and the next one continues.
 */
import { createBatchSize } from '../../core/concurrency/batch-size.ts';
import { oldestVisible, type RetentionMs } from '../../core/events/retention.ts';
import type { ExpiredEvent, ExpiredRange, RetentionStore } from './store.ts';
import type { SweepClock } from './sweep-clock.ts';

type Slice = () => Promise<'more' | 'done'>;

const sliceMs = 2.5;
/** The cost of a removal. The unit is an event without content; freeing 4 KiB of content costs about as much. */
const cost = ({ bytes }: ExpiredEvent): number => 1 + bytes / 4096;
/** A delivery that found its endpoint before the deletion is committed at most this much later, because senders may be slow. */
const maxDeliveryMs = 600_000;

export type RetentionService = ReturnType<typeof createRetentionService>;

export function createRetentionService(options: {
  store: RetentionStore;
  /** The sweeper's time, which does not follow a clock that jumps ahead. */
  clock: Pick<SweepClock, 'now'>;
  retentionMs: RetentionMs;
  background: { add: (job: { name: string; slice: Slice }) => { wake: () => void } };
  /** Returns free disk space; undefined for a libSQL server, which does that itself. */
  reclaimSpace: Slice | undefined;
  /** Deletes the endpoints of a team without people. */
  removeTeam: (teamId: string) => Promise<void>;
  /** Called after each sweep that removed events. */
  onSwept: (events: number) => void;
}) {
  const { store, clock, retentionMs, background, reclaimSpace, removeTeam, onSwept } = options;
  const batchSize = createBatchSize({ targetMs: sliceMs, initial: 128, min: 64, max: 4096 });
  let isSweeping = false;
  /** Set when a sweep is woken while it runs: endpoints that it has passed may have expired events by now. */
  let isSweepAgainDue = false;
  let nextEndpoint = 0;
  let sweptEvents = 0;

  const removeBatch = async (range: ExpiredRange): Promise<void> => {
    const found = await store.oldestEvents(range, Math.ceil(batchSize.units()));
    const seqs: number[] = [];
    let units = 0;
    for (const event of found) {
      units += cost(event);
      if (seqs.length > 0 && units > batchSize.units()) {
        units -= cost(event);
        break;
      }
      seqs.push(event.seq);
    }
    if (seqs.length === 0) return;
    const { removed, writerMs } = await store.remove(range, seqs);
    batchSize.record(units, writerMs);
    sweptEvents += removed;
  };

  const slice: Slice = async () => {
    if (!isSweeping) {
      isSweeping = true;
      isSweepAgainDue = false;
      nextEndpoint = 0;
      sweptEvents = 0;
      for (const team of await store.abandonedTeams()) await removeTeam(team);
    }
    const now = clock.now();
    const cutoffs = {
      free: oldestVisible(retentionMs, 'free', now),
      pro: oldestVisible(retentionMs, 'pro', now),
      now,
    };
    const expired = await store.findExpired(nextEndpoint, cutoffs);
    const range = expired ?? (await store.findOrphans());
    if (range) {
      if (expired) nextEndpoint = expired.endpoint;
      await removeBatch(range);
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
