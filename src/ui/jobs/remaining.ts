/* How long a running job will take, from what it finished in the last 20 seconds. */

import { useRef } from 'preact/hooks';
import type { ReplayJob } from '../../features/replay-jobs/model.ts';
import { countOf, type Remaining, settledOf } from './wording.ts';

const windowMs = 20_000;
const leastMs = 5000;

/** How many events had a result, epoch ms. */
export type Sample = { at: number; settled: number };

/**
 * @param samples oldest first @param waiting events without a result
 * @returns ms; `estimating` before 5 seconds were seen, `stalled` when nothing was finished in the last 20
 */
export function remainingOf(samples: readonly Sample[], waiting: number, now: number): Remaining {
  const recent = samples.filter(({ at }) => at >= now - windowMs);
  const [first, last] = [recent[0], recent.at(-1)];
  if (!first || !last || last.at - first.at < leastMs) return 'estimating';
  const finished = last.settled - first.settled;
  return finished === 0 ? 'stalled' : (waiting / finished) * (last.at - first.at);
}

/** Call it whenever the job was read. Undefined unless the job runs. */
export function useRemaining(job: ReplayJob): Remaining | undefined {
  const seen = useRef<{ job: ReplayJob | undefined; samples: Sample[] }>({ job: undefined, samples: [] });
  const now = Date.now();
  if (job.state !== 'running') {
    seen.current = { job, samples: [] };
    return undefined;
  }
  if (seen.current.job !== job) {
    const kept = seen.current.samples.filter(({ at }) => at >= now - windowMs);
    seen.current = { job, samples: [...kept, { at: now, settled: settledOf(job) }] };
  }
  return remainingOf(seen.current.samples, countOf(job, 'waiting'), now);
}
