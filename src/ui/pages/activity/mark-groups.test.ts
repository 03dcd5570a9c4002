import { describe, expect, test } from 'bun:test';
import type { Change } from '../../../features/changes/model.ts';
import type { Timeline } from '../../../features/timeline/model.ts';
import { markGroups } from './mark-groups.ts';

const minute = 60_000;

describe('marks', () => {
  const axis: Timeline = {
    from: 0,
    to: 100 * minute - 1,
    bucketMs: minute,
    buckets: Array.from({ length: 100 }, (_, at) => ({
      at: at * minute,
      count: 0,
      accepted: 0,
      failed: 0,
      invalid: 0,
    })),
    series: [],
    complete: true,
    nextCursor: null,
  };
  const changesAt = (...minutes: number[]): Change[] =>
    minutes.map(at => ({ at: at * minute, kind: 'settings', text: `at ${at}`, by: null, link: '/app' }));

  test('that are near each other are one, of the oldest', () => {
    const groups = markGroups(changesAt(90, 52, 51, 50, 10), axis, 40);
    expect(groups.map(({ place, changes }) => [place, changes.map(({ text }) => text)])).toEqual([
      [0.1, ['at 10']],
      [0.5, ['at 50', 'at 51', 'at 52']],
      [0.9, ['at 90']],
    ]);
  });

  test('are apart where there is space, and only on the axis', () => {
    expect(markGroups(changesAt(52, 50), axis, 80)).toHaveLength(2);
    expect(markGroups(changesAt(101, -1), axis, 40)).toEqual([]);
    expect(markGroups(changesAt(5), { ...axis, buckets: [] }, 40)).toEqual([]);
  });
});
