/* Replay jobs that are meant to do harm: nothing is sent where it may not go, and no job goes on for ever. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { eventually } from '../../testing/poll.ts';
import { type JobBench, numbers, ok, openJobs } from '../../testing/replay-jobs.ts';

setDefaultTimeout(120_000);

let jobs: JobBench;
beforeAll(async () => {
  jobs = await openJobs();
});
afterAll(() => jobs.close());

describe('destinations', () => {
  test.each(['http://ada:word@127.0.0.1:9/', 'http://ada@127.0.0.1:9/', 'http://:word@127.0.0.1:9/'])(
    '%s is refused when the job is made, because jobs are shown to the team',
    async url => {
      const endpoint = await jobs.endpointWith(numbers(1));
      for (const dests of [{ dest: url }, { dest: 'http://127.0.0.1:9/', dest2: url }])
        expect((await jobs.ada.call('POST', '/api/replay-jobs', { endpointId: endpoint.id, ...dests })).status).toBe(
          400,
        );
    },
  );

  test('a job with one that is not public is refused, in either place', async () => {
    const { url, received } = jobs.destination(ok);
    const endpoint = await jobs.endpointWith(numbers(2));
    const inside = ['http://10.0.0.1/', 'http://[::ffff:169.254.169.254]/', 'http://0x0a000001/', 'http://[fe80::1]/'];
    for (const blocked of inside)
      for (const dests of [
        { dest: blocked, dest2: url },
        { dest: url, dest2: blocked },
      ])
        await jobs.ada.json(400, 'POST', '/api/replay-jobs', { endpointId: endpoint.id, ...dests });
    expect(received).toHaveLength(0);
  });
});

test.each(['body.a[0', 'body.a[z-a]', 'header.(', 'body.+*?'])('what is ignored may be anything: %s', async path => {
  const endpoint = await jobs.endpointWith(numbers(2));
  const [left, right] = [jobs.destination(ok), jobs.destination(() => Response.json({ a: 1 }))];
  const dests = { dest: left.url, dest2: right.url };
  const { id } = await jobs.create({ endpointId: endpoint.id, ...dests, ignore: [path] });
  expect(await jobs.until(id, 'done')).toMatchObject({ different: 2 });
  expect([left.received.length, right.received.length]).toEqual([2, 2]);
});

test('only a few large events are in memory at once, whatever the concurrency, and small ones pass them', async () => {
  const large = (n: number): string => JSON.stringify({ n, text: 'x'.repeat(300_000) });
  const endpoint = await jobs.endpointWith([0, 1, 2, 3, 4, 5, 6, 7].map(large));
  const held = Promise.withResolvers<void>();
  const destination = jobs.destination(() => held.promise.then(ok));
  const { id } = await jobs.create({ endpointId: endpoint.id, dest: destination.url, concurrency: 8 });
  await eventually(() => destination.received.length === 4);
  const small = await jobs.endpointWith(numbers(3));
  const other = await jobs.create({ endpointId: small.id, dest: jobs.destination(ok).url });
  expect(await jobs.until(other.id, 'done')).toMatchObject({ ok: 3 });
  expect(destination.received).toHaveLength(4);
  held.resolve();
  await eventually(
    async () => (await jobs.ada.json<{ ok: number }>(200, 'GET', `/api/replay-jobs/${id}`)).ok === 8,
    20_000,
  );
});
