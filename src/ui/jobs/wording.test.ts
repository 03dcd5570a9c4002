import { describe, expect, test } from 'bun:test';
import type { ReplayJob, ReplayJobItem } from '../../features/replay-jobs/model.ts';
import { remainingOf, type Sample } from './remaining.ts';
import { jobTitle, percentOf, remainingText, responseOf } from './wording.ts';

const now = new Date(2026, 10, 24, 14, 32).getTime();
/** A sample a second, up to now. */
const steady = (seconds: number, perSecond: number): Sample[] =>
  Array.from({ length: seconds + 1 }, (_, n) => ({ at: now - (seconds - n) * 1000, settled: n * perSecond }));

describe('the remaining time of a job', () => {
  test('is what waits, at the pace of the last 20 seconds', () => {
    expect(remainingOf(steady(20, 5), 545, now)).toBe(109_000);
    // What was faster before has no part in it.
    const before = [{ at: now - 60_000, settled: -10_000 }];
    expect(remainingOf([...before, ...steady(20, 5)], 545, now)).toBe(109_000);
    expect(remainingOf(steady(10, 5), 545, now)).toBe(109_000);
  });

  test('is not known in the first 5 seconds, nor while nothing is finished', () => {
    expect(remainingOf([], 100, now)).toBe('estimating');
    expect(remainingOf(steady(4, 5), 100, now)).toBe('estimating');
    expect(remainingOf(steady(5, 5), 100, now)).toBe(20_000);
    expect(remainingOf(steady(20, 0), 100, now)).toBe('stalled');
    // The page was hidden, and has just seen the job again.
    expect(
      remainingOf(
        [
          { at: now - 90_000, settled: 5 },
          { at: now, settled: 500 },
        ],
        100,
        now,
      ),
    ).toBe('estimating');
  });

  test.each<[number | 'estimating' | 'stalled', string, string]>([
    [109_000, '1 min 49 s left', 'done at about 14:33'],
    [200, '1 s left', 'done at about 14:32'],
    ['estimating', 'Estimating…', ''],
    ['stalled', 'Still running', 'nothing finished in the last 20 s'],
  ])('%p reads as %p, %p', (remaining, title, detail) => {
    expect(remainingText(remaining, now)).toEqual({ title, detail });
  });
});

const job = { matched: 743, ok: 194, failed: 2, skipped: 0, same: 0, different: 0 } as ReplayJob;

describe('the progress of a job', () => {
  test('is rounded down, so that 100 % means all', () => {
    expect(percentOf(job)).toBe(26);
    expect(percentOf({ ...job, ok: 740 })).toBe(99);
    expect(percentOf({ ...job, ok: 741 })).toBe(100);
    expect(percentOf({ ...job, matched: 0 })).toBe(100);
  });
});

test('a job is called by its events and the hosts they go to', () => {
  const to = { matched: 743, dest: 'http://localhost:4699/hook', dest2: null };
  expect(jobTitle(to)).toBe('743 events to localhost:4699');
  expect(jobTitle({ ...to, matched: 1, dest2: 'https://new.example.com/' })).toBe(
    '1 event to localhost:4699 and new.example.com',
  );
});

describe('the response to an event of a job', () => {
  const item = { outcome: 'ok', status: 200, status2: null, error: null } as ReplayJobItem;
  test.each<[Partial<ReplayJobItem>, string | null, string, ReturnType<typeof responseOf>['tone']]>([
    [{}, null, '200 OK', 'soft'],
    [{ outcome: 'failed', status: 503 }, null, '503 Service Unavailable', 'bad'],
    [{ outcome: 'failed', status: null, error: 'connection refused' }, null, 'Connection refused', 'bad'],
    [{ outcome: 'failed', status: null }, null, 'No response', 'bad'],
    [{ outcome: 'waiting', status: null }, null, 'not sent yet', 'faint'],
    [{ outcome: 'waiting', status: 500 }, null, '500 Internal Server Error, will be retried', 'warn'],
    [{ outcome: 'skipped', error: 'accepted before' }, null, 'Skipped: accepted before', 'faint'],
    [{ outcome: 'different', status2: 500 }, 'b', '200 OK | 500 Internal Server Error', 'bad'],
    [{ outcome: 'same', status2: 200 }, 'b', '200 OK | 200 OK', 'soft'],
  ])('%j with a second destination %p: %p', (given, dest2, text, tone) => {
    expect(responseOf({ dest2 }, { ...item, ...given })).toEqual({ text, tone });
  });
});
