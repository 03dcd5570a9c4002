import { expect, test } from 'bun:test';
import { createPageMap } from '../../core/backup/page-map.ts';
import type { LogWriter } from './log-writer.ts';
import { nextHorizon } from './retention.ts';

/** A log with an index at each of these times, of which every object replaces all pages. */
function logWith(times: readonly number[]): LogWriter {
  const map = createPageMap();
  const columns = { pages: Uint32Array.of(1), deltas: Uint8Array.of(0), hashes: BigUint64Array.of(1n) };
  const head = { chain: '', prev: null, run: '', commit: { pages: 1 }, pageSize: 64, horizon: 0 };
  for (const [i, at] of times.entries()) map.apply({ ...head, ...columns, seq: i + 1, at }, 100);
  const indexes = times.map((at, i) => ({ seq: i + 1, at }));
  return { map, horizon: () => 0, indexes: () => indexes } as unknown as LogWriter;
}

test.each([
  ['the newest state that is old enough', [10, 20, 30, 90], 2],
  ['nothing while all are younger', [60, 90], undefined],
  ['no younger state because of a clock that went back', [10, 20, 60, 5, 90], 2],
  ['all that are old although a clock went ahead', [10, 1000, 20, 60], 3],
] as const)('the horizon is %s', (_what, times, horizon) => {
  expect(nextHorizon(logWith(times), 20, 100)).toBe(horizon);
});
