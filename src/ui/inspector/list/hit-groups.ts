/* The groups of a search with few hits: those on whole values come before those on parts of longer ones. Pure. */

import type { LiveListState } from '../live/live-list.ts';

type Counts = Pick<LiveListState, 'arrivalCount' | 'wholeCount'>;

/** The rows, except the first, with which groups begin; undefined without groups. */
export function groupStarts({ arrivalCount, wholeCount }: Counts): number[] | undefined {
  if (wholeCount === undefined) return undefined;
  return [arrivalCount, arrivalCount + wholeCount].filter((at, i, all) => at > 0 && at !== all[i - 1]);
}

/** The name of a row's group with the number of its rows; undefined without groups. */
export function groupAt(at: number, state: Counts & Pick<LiveListState, 'length'>): string | undefined {
  const { arrivalCount, wholeCount, length } = state;
  if (wholeCount === undefined) return undefined;
  if (at < arrivalCount) return `New · ${arrivalCount}`;
  if (at < arrivalCount + wholeCount) return `Whole value · ${wholeCount}`;
  return `Part of a longer value · ${length - arrivalCount - wholeCount}`;
}
