/* Answers on their way to the server: batches, sizes, and servers that do not take them. */
import { expect, test } from 'bun:test';
import { maxRequestBytes } from '../../core/limits.ts';
import { eventually } from '../../testing/poll.ts';
import { type Api, RefusedError } from '../client/api.ts';
import type { ReportedAttempt } from '../client/report-response.ts';
import { createReports, takeBatch } from './reports.ts';

const attempt = (n: number, body = ''): ReportedAttempt => ({
  eventId: `evt_${n}`,
  destination: 'http://localhost:3000/',
  status: 200,
  durationMs: 1,
  response: { headers: [], body, bodyEncoding: 'utf8', truncated: false },
});
const range = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

function open(answer: (batch: readonly ReportedAttempt[], call: number) => void) {
  const sent: string[][] = [];
  const notices: string[] = [];
  const stop = new AbortController();
  const call = async (_method: string, _path: string, { body = {} } = {}) => {
    const { attempts } = body as { attempts: ReportedAttempt[] };
    answer(attempts, sent.push(attempts.map(({ eventId }) => eventId)));
    return { accepted: attempts.length };
  };
  const reports = createReports({
    api: { call } as unknown as Api,
    endpointId: 'ep_1',
    pause: async () => {},
    signal: stop.signal,
    notify: text => void notices.push(text),
  });
  return { reports, sent, notices, stop };
}

test('a batch has at most 100 attempts, fits into a request, and has at least one', () => {
  const small = range(250).map(n => attempt(n));
  expect([takeBatch(small).length, small.length, small[0]?.eventId]).toEqual([100, 150, 'evt_100']);
  // Every character takes six bytes in JSON.
  const large = range(100).map(n => attempt(n, '\u0001'.repeat(4096)));
  const sizes: number[] = [];
  while (large.length > 0) sizes.push(Buffer.byteLength(JSON.stringify({ attempts: takeBatch(large) })));
  expect([Math.max(...sizes) <= maxRequestBytes, sizes.length]).toEqual([true, 10]);
  expect(takeBatch([attempt(1, 'x'.repeat(maxRequestBytes))])).toHaveLength(1);
});

test('are sent in order; one that the server cannot take now is kept', async () => {
  const { reports, sent, notices, stop } = open((_, call) => {
    if (call === 1) throw new RefusedError(429, 'slow down', 1);
    if (call === 2) throw new Error('no connection');
  });
  for (const n of range(3)) reports.add(attempt(n));
  void reports.run();
  await eventually(() => sent.length === 3);
  expect([sent[2], notices]).toEqual([['evt_0', 'evt_1', 'evt_2'], []]);
  stop.abort();
});

test('of a server that refuses them are dropped, which is said once; of one that does not know them, silently', async () => {
  for (const [status, said] of [
    [403, 1],
    [404, 0],
  ] as const) {
    const { reports, sent, notices } = open(() => {
      throw new RefusedError(status, 'no');
    });
    for (const n of range(3)) {
      reports.add(attempt(n));
      await reports.flush();
    }
    expect([status, notices.length, sent.length]).toEqual([status, said, status === 404 ? 1 : 3]);
  }
});

test('are kept for a while only', async () => {
  const { reports, sent, notices } = open(() => {});
  for (const n of range(1200)) reports.add(attempt(n));
  await reports.flush();
  expect([sent.flat().length, sent[0]?.[0], notices.length]).toEqual([1000, 'evt_200', 1]);
});
