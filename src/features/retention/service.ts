/*
 * The sweeper: removes what nobody can read any more, oldest first, in slices that the writer has done within milliseconds.
 * A walk goes through all endpoints once; it may stop anywhere, a crash included, and the next one goes on.
 */
import { createBatchSize } from '../../core/concurrency/batch-size.ts';
import { oldestVisible, type RetentionMs } from '../../core/retention.ts';
import type { ExpiredEvent, ExpiredRange, RetentionStore } from './store.ts';
import type { SweepClock } from './sweep-clock.ts';

type Slice = () => Promise<'more' | 'done'>;

const sliceMs = 2.5;
/** A page of content costs about as much to free as four events without any. */
const cost = ({ bytes }: ExpiredEvent): number => 1 + bytes / 4096;
/** A delivery that found its endpoint before the deletion may be committed as much later as a sender may take to send it. */
const lateDeliveriesMs = 600_000;

export type RetentionService = ReturnType<typeof createRetentionService>;

export function createRetentionService(options: {
  store: RetentionStore;
  /** Which time it is for the sweeper. */
  clock: Pick<SweepClock, 'now'>;
  retentionMs: RetentionMs;
  background: { add: (job: { name: string; slice: Slice }) => { wake: () => void } };
  /** Gives disk space back; undefined when that is the database server's business. */
  reclaimSpace: Slice | undefined;
  /** Deletes the endpoints of a team that nobody is in. */
  removeTeam: (teamId: string) => Promise<void>;
  /** Told after each walk that removed anything. */
  onSwept: (events: number) => void;
}) {
  const { store, clock, retentionMs, background, reclaimSpace, removeTeam, onSwept } = options;
  const pace = createBatchSize({ targetMs: sliceMs, first: 128, least: 64, most: 4096 });
  let walking = false;
  /** Woken during a walk: endpoints that it has passed already may have something by now. */
  let again = false;
  let position = 0;
  let swept = 0;

  const removeSome = async (due: ExpiredRange): Promise<void> => {
    const found = await store.oldestEvents(due, Math.ceil(pace.size()));
    const seqs: number[] = [];
    let units = 0;
    for (const one of found) {
      units += cost(one);
      if (seqs.length > 0 && units > pace.size()) {
        units -= cost(one);
        break;
      }
      seqs.push(one.seq);
    }
    if (seqs.length === 0) return;
    const { removed, writerMs } = await store.remove(due.endpoint, seqs);
    pace.record(units, writerMs);
    swept += removed;
  };

  const slice: Slice = async () => {
    if (!walking) {
      walking = true;
      again = false;
      position = 0;
      swept = 0;
      for (const team of await store.abandonedTeams()) await removeTeam(team);
    }
    const now = clock.now();
    const since = {
      free: oldestVisible(retentionMs, 'free', now),
      pro: oldestVisible(retentionMs, 'pro', now),
    };
    const due = await store.findExpired(position, since);
    const next = due ?? (await store.findOrphans());
    if (next) {
      if (due) position = due.endpoint;
      await removeSome(next);
      return 'more';
    }
    await store.removeEmpty(now - lateDeliveriesMs);
    walking = false;
    if (swept > 0) onSwept(swept);
    space?.wake();
    return again ? 'more' : 'done';
  };

  const sweep = background.add({ name: 'retention', slice });
  const space = reclaimSpace && background.add({ name: 'space', slice: reclaimSpace });

  return {
    /** Something may have to go: the time came, an endpoint was deleted, a plan was changed. */
    wake(): void {
      again = true;
      sweep.wake();
    },
  };
}
