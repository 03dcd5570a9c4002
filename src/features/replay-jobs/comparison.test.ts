/* Replay jobs to two destinations, and jobs that are refused. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { eventually } from '../../testing/poll.ts';
import { type JobBench, numbers, ok, openJobs } from '../../testing/replay-jobs.ts';
import type { ReplayJobPage } from './model.ts';

let jobs: JobBench;
beforeAll(async () => {
  jobs = await openJobs();
});
afterAll(() => jobs.close());

describe('two destinations', () => {
  test('are compared, and both answers are kept where they differ', async () => {
    const endpoint = await jobs.endpointWith(numbers(4));
    const left = jobs.destination(({ body }) =>
      Response.json({ ...JSON.parse(body), at: Math.random() }, { headers: { 'x-v': '1', 'set-cookie': 'a=b' } }),
    );
    const right = jobs.destination(({ body }) => {
      const { n } = JSON.parse(body) as { n: number };
      return Response.json({ n: n === 2 ? 'two' : n, at: Math.random() }, { headers: { 'x-v': '1' } });
    });
    const { id } = await jobs.create({
      endpointId: endpoint.id,
      dest: left.url,
      dest2: right.url,
      ignore: ['body.at'],
      compareHeaders: ['X-V'],
      concurrency: 4,
    });
    expect(await jobs.until(id, 'done')).toMatchObject({ same: 3, different: 1, ok: 0, failed: 0 });
    const [different] = (await jobs.items(id, 'outcome=different')).items;
    expect(different).toMatchObject({
      eventId: endpoint.ids[2],
      status: 200,
      status2: 200,
      differences: [{ path: 'body.n', left: 2, right: 'two' }],
    });
    const answers = await jobs.ada.json<{ left: { body: string }; right: { body: string } }>(
      200,
      'GET',
      `/api/replay-jobs/${id}/items/${endpoint.ids[2]}`,
    );
    expect([answers.left.body, answers.right.body]).toEqual([
      expect.stringContaining('"n":2'),
      expect.stringContaining('"n":"two"'),
    ]);
    expect(JSON.stringify(answers)).not.toContain('a=b');
    expect((await jobs.ada.call('GET', `/api/replay-jobs/${id}/items/${endpoint.ids[1]}`)).status).toBe(404);
  });

  test('one that does not answer fails the event', async () => {
    const endpoint = await jobs.endpointWith(numbers(1));
    const { id } = await jobs.create({
      endpointId: endpoint.id,
      dest: jobs.destination(ok).url,
      dest2: 'http://127.0.0.1:9/none',
    });
    expect(await jobs.until(id, 'done')).toMatchObject({ failed: 1 });
    expect((await jobs.items(id)).items).toMatchObject([
      { status: 200, status2: null, error: expect.stringContaining('connect') },
    ]);
  });
});

describe('one of two destinations', () => {
  const replaysOf = async (event: string | undefined) =>
    (await jobs.ada.json<{ replays: { destination: string; ok: boolean }[] }>(200, 'GET', `/api/events/${event}`))
      .replays;

  test('that may no longer be sent to fails the event; the attempt at the other is recorded', async () => {
    const endpoint = await jobs.endpointWith(numbers(2));
    const [left, right] = [jobs.destination(ok), jobs.destination(ok)];
    // The second event would be sent after a quarter of an hour.
    const { id } = await jobs.create({ endpointId: endpoint.id, dest: left.url, dest2: right.url, pace: '0.001/s' });
    await eventually(async () => (await jobs.items(id, 'outcome=same')).items.length === 1);
    await jobs.ada.json(200, 'POST', `/api/replay-jobs/${id}/pause`);
    // As if its name had another address now.
    const client = jobs.server.services.database.client;
    await client.execute({
      sql: "UPDATE replay_jobs SET dest2 = x'687474703a2f2f31302e302e302e312f' WHERE id = ?",
      args: [id],
    });
    await jobs.ada.json(200, 'POST', `/api/replay-jobs/${id}/resume`);
    expect(await jobs.until(id, 'done')).toMatchObject({ dest2: 'http://10.0.0.1/', same: 1, failed: 1 });
    expect((await jobs.items(id, 'outcome=failed')).items).toMatchObject([
      { eventId: endpoint.ids[1], status: 200, status2: null, error: expect.stringContaining('not a public address') },
    ]);
    expect(await replaysOf(endpoint.ids[1])).toMatchObject([{ destination: left.url, ok: true }]);
  });

  test('that is cut off when the job is cancelled leaves the event waiting', async () => {
    const endpoint = await jobs.endpointWith(numbers(1));
    const [left, right] = [jobs.destination(ok), jobs.destination(() => new Promise<Response>(() => {}))];
    const { id } = await jobs.create({ endpointId: endpoint.id, dest: left.url, dest2: right.url });
    await eventually(() => left.received.length + right.received.length === 2);
    await jobs.ada.json(200, 'POST', `/api/replay-jobs/${id}/cancel`);
    await jobs.server.services.queues.idle();
    expect((await jobs.items(id)).items).toMatchObject([{ outcome: 'waiting' }]);
  });
});

describe('is refused', () => {
  test.each([
    [{ dest: 'ftp://127.0.0.1/x' }],
    [{ dest: 'http://127.0.0.1:9/x', dest2: 'http://127.0.0.1:9/x' }],
    [{ dest: 'http://127.0.0.1:9/x', pace: 'fast' }],
    [{ dest: 'http://127.0.0.1:9/x', concurrency: 33 }],
    [{ dest: 'http://127.0.0.1:9/x', where: 'type:' }],
    [{ dest: 'http://127.0.0.1:9/x', from: 'yesterday' }],
    [{ dest: 'http://127.0.0.1:9/x', from: '1h) OR (type:*' }],
    [{ dest: 'http://127.0.0.1:9/x', from: '1h', where: 'type:a) OR (type:b' }],
    [{ dest: 'http://127.0.0.1:9/x', sign: { mode: 'fresh', secret: 'never stored' } }],
    [{ dest: 'http://127.0.0.1:9/x', more: 1 }],
  ])('%j', async body => {
    const endpoint = await jobs.endpointWith([]);
    expect((await jobs.ada.call('POST', '/api/replay-jobs', { endpointId: endpoint.id, ...body })).status).toBe(400);
  });

  test('what may not be signed fails without being sent', async () => {
    const endpoint = await jobs.endpointWith(numbers(1));
    const { url, received } = jobs.destination(ok);
    const { id } = await jobs.create({ endpointId: endpoint.id, dest: url, sign: { mode: 'fresh' } });
    expect(await jobs.until(id, 'done')).toMatchObject({ failed: 1 });
    expect(received).toEqual([]);
    expect((await jobs.items(id)).items[0]?.error).toContain('sign');
  });

  test.each([
    [{ dest: 'http://169.254.169.254/latest' }, 'dest'],
    [{ dest: 'http://10.0.0.1/hook' }, 'dest'],
    [{ dest: 'http://127.0.0.1:9/x', dest2: 'http://[fd00::1]/hook' }, 'dest2'],
  ])('a destination that is not allowed, and no job is left: %j', async (body, name) => {
    const endpoint = await jobs.endpointWith(numbers(1));
    const refused = await jobs.ada.call('POST', '/api/replay-jobs', { endpointId: endpoint.id, ...body });
    expect([refused.status, await refused.json()]).toMatchObject([
      400,
      { error: `${name}: the destination is not a public address` },
    ]);
    const { jobs: left } = await jobs.ada.json<ReplayJobPage>(200, 'GET', `/api/replay-jobs?endpointId=${endpoint.id}`);
    expect(left).toEqual([]);
  });

  test('a new id with a stored secret, which signs only events that are not edited', async () => {
    const endpoint = await jobs.endpointWith(numbers(1));
    const sign = { mode: 'fresh', newId: true };
    for (const dryRun of [false, true]) {
      const body = { endpointId: endpoint.id, dest: jobs.destination(ok).url, sign, dryRun };
      const { error } = await jobs.ada.json<{ error: string }>(400, 'POST', '/api/replay-jobs', body);
      expect(error).toStartWith('sign.newId: ');
    }
  });

  test('its settings are shown as they were given', async () => {
    const endpoint = await jobs.endpointWith([]);
    const dest = jobs.destination(ok).url;
    const shown = await jobs.create({
      endpointId: endpoint.id,
      dest,
      per: 'delivery',
      sign: { mode: 'fresh', newId: false },
    });
    expect(shown).toMatchObject({ per: 'delivery', sign: { mode: 'fresh', newId: false } });
    expect(await jobs.create({ endpointId: endpoint.id, dest })).toMatchObject({ per: 'event', sign: null });
  });

  test('of another team: jobs are neither shown nor changed', async () => {
    const bob = await jobs.server.createAccount('bob@example.com');
    const endpoint = await jobs.endpointWith(numbers(1));
    const { id } = await jobs.create({ endpointId: endpoint.id, dest: jobs.destination(ok).url });
    expect(
      (await bob.call('POST', '/api/replay-jobs', { endpointId: endpoint.id, dest: 'http://127.0.0.1:9/x' })).status,
    ).toBe(404);
    for (const path of ['', '/items', `/items/${endpoint.ids[0]}`])
      expect((await bob.call('GET', `/api/replay-jobs/${id}${path}`)).status).toBe(404);
    for (const verb of ['pause', 'resume', 'cancel'])
      expect((await bob.call('POST', `/api/replay-jobs/${id}/${verb}`)).status).toBe(404);
    expect((await bob.json<ReplayJobPage>(200, 'GET', '/api/replay-jobs')).jobs).toEqual([]);
  });
});

test('the list is paged, newest first, and can be of one endpoint', async () => {
  const endpoint = await jobs.endpointWith([]);
  const ids: string[] = [];
  for (let n = 0; n < 3; n++)
    ids.unshift((await jobs.create({ endpointId: endpoint.id, dest: `http://127.0.0.1:9/${n}` })).id);
  const first = await jobs.ada.json<ReplayJobPage>(200, 'GET', `/api/replay-jobs?endpointId=${endpoint.id}&limit=2`);
  const second = await jobs.ada.json<ReplayJobPage>(
    200,
    'GET',
    `/api/replay-jobs?endpointId=${endpoint.id}&limit=2&cursor=${first.nextCursor}`,
  );
  expect([...first.jobs, ...second.jobs].map(({ id }) => id)).toEqual(ids);
  expect(second.nextCursor).toBeNull();
});
