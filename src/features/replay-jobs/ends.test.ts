/* How jobs end that were paused, that failed at their last event, or whose creation was cut off. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { rowsOf } from '../../testing/events.ts';
import { eventually } from '../../testing/poll.ts';
import { type JobBench, numbers, ok, openJobs } from '../../testing/replay-jobs.ts';
import type { ReplayJob } from './model.ts';

let jobs: JobBench;
beforeAll(async () => {
  jobs = await openJobs();
});
afterAll(() => jobs.close());

const act = (id: string, verb: string) => jobs.ada.json<ReplayJob>(200, 'POST', `/api/replay-jobs/${id}/${verb}`);

test('a job whose last event ended while it was paused is done once it goes on', async () => {
  const endpoint = await jobs.endpointWith(numbers(1));
  const { url, received, release } = jobs.heldDestination();
  const { id } = await jobs.create({ endpointId: endpoint.id, dest: url });
  await eventually(() => received.length === 1);
  expect((await act(id, 'pause')).state).toBe('paused');
  release();
  expect(await jobs.until(id, 'paused')).toMatchObject({ matched: 1 });
  await jobs.server.services.queues.idle();
  await act(id, 'resume');
  expect(await jobs.until(id, 'done')).toMatchObject({ ok: 1, finishedAt: expect.any(Number) });
});

test('a job that reaches `stopAfter` with its last event is done: nothing is left to go on with', async () => {
  const endpoint = await jobs.endpointWith(numbers(2));
  const { url } = jobs.destination(() => new Response(null, { status: 500 }));
  const { id } = await jobs.create({ endpointId: endpoint.id, dest: url, stopAfter: 2 });
  expect(await jobs.until(id, 'done')).toMatchObject({ failed: 2, finishedAt: expect.any(Number) });
});

test('a job whose creation a kill cut off is gone after the start, and its destination is free', async () => {
  const endpoint = await jobs.endpointWith(numbers(1));
  const { url } = jobs.destination(ok);
  const first = await jobs.create({ endpointId: endpoint.id, dest: url, pace: '0.001/s' });
  await jobs.server.services.queues.idle();
  const left = [
    `UPDATE replay_jobs SET matched = NULL, state = 'running' WHERE id = '${first.id}'`,
    `INSERT INTO job_destinations (team_id, dest, job)
       SELECT team_id, dest, id FROM replay_jobs WHERE id = '${first.id}' ON CONFLICT DO NOTHING`,
  ];
  await jobs.server.services.database.client.batch(left, 'write');
  const body = { endpointId: endpoint.id, dest: url };
  expect((await jobs.ada.call('POST', '/api/replay-jobs', body)).status).toBe(409);
  await jobs.server.services.replayJobs.service.removeUnfinished();
  expect((await jobs.ada.call('GET', `/api/replay-jobs/${first.id}`)).status).toBe(404);
  await jobs.until((await jobs.create(body)).id, 'done');
});

test('of a deleted endpoint neither its destinations nor, later, its events are left', async () => {
  const never = Promise.withResolvers<Response>();
  const { url } = jobs.destination(() => never.promise);
  const [cancelled, paused] = [await jobs.endpointWith(numbers(3)), await jobs.endpointWith(numbers(3))];
  const first = await jobs.create({ endpointId: cancelled.id, dest: url });
  await act(first.id, 'cancel');
  const second = await jobs.create({ endpointId: paused.id, dest: url });
  await act(second.id, 'pause');
  for (const { id } of [cancelled, paused]) await jobs.ada.json(200, 'DELETE', `/api/endpoints/${id}`);
  const other = await jobs.endpointWith(numbers(1));
  const { id } = await jobs.create({ endpointId: other.id, dest: jobs.destination(ok).url, dest2: url });
  await act(id, 'cancel');
  const owners = "SELECT owner FROM queues WHERE kind = 'replay' AND seq IN (SELECT queue FROM queue_items)";
  const client = jobs.server.services.database.client;
  await client.execute(`DELETE FROM endpoints WHERE deleted_at IS NOT NULL`);
  await jobs.server.services.replayJobs.service.sweep();
  const left = (await rowsOf(jobs.server, owners)).flat();
  expect([left.includes(first.id), left.includes(second.id), left.includes(id)]).toEqual([false, false, true]);
});

describe('events that are named', () => {
  test('are the job, oldest first and once each', async () => {
    const endpoint = await jobs.endpointWith(numbers(120));
    const { url, received } = jobs.destination(ok);
    const eventIds = [...endpoint.ids.slice(5).reverse(), endpoint.ids[7]];
    const { id, matched, bytes } = await jobs.create({ endpointId: endpoint.id, dest: url, eventIds });
    expect([matched, bytes]).toEqual([115, numbers(120).slice(5).join('').length]);
    await jobs.until(id, 'done');
    expect(received.map(({ body }) => body)).toEqual(numbers(120).slice(5));
  }, 120_000);

  test('of another endpoint, of another team or gone: 404; beside a filter: 400', async () => {
    const [endpoint, other] = [await jobs.endpointWith(numbers(1)), await jobs.endpointWith(numbers(1))];
    const [mine = '', theirs = ''] = [endpoint.ids[0], other.ids[0]];
    const forged = `${mine.slice(0, -3)}${mine.endsWith('000') ? 'zzz' : '000'}`;
    const status = async (more: object): Promise<number> =>
      (
        await jobs.ada.call('POST', '/api/replay-jobs', {
          endpointId: endpoint.id,
          dest: 'http://127.0.0.1:9/x',
          dryRun: true,
          ...more,
        })
      ).status;
    expect(await status({ eventIds: [mine] })).toBe(200);
    for (const wrong of [theirs, forged, 'evt_x', ''])
      expect([wrong, await status({ eventIds: [mine, wrong] })]).toEqual([wrong, 404]);
    for (const more of [{ where: 'type:x' }, { from: '1h' }])
      expect(await status({ eventIds: [mine], ...more })).toBe(400);
    expect(await status({ eventIds: [] })).toBe(400);
  });
});

describe('a filter with times', () => {
  test.each([
    ['type:x tpye:y', 7],
    ['a) OR (b', 1],
  ])('%s is refused, with the position in the filter as it was given', async (where, position) => {
    const endpoint = await jobs.endpointWith([]);
    const body = { endpointId: endpoint.id, dest: 'http://127.0.0.1:9/x', where, from: '1h' };
    const refused = await jobs.ada.call('POST', '/api/replay-jobs', body);
    expect([refused.status, await refused.json()]).toEqual([400, expect.objectContaining({ position })]);
  });
});

describe('POST /api/replay-jobs', () => {
  test('optional fields may be null', async () => {
    const { id: endpointId } = await jobs.endpointWith(numbers(2));
    const sign = { mode: 'none', secretId: null, newId: null };
    const nothing = { where: null, from: null, to: null, dest2: null, ignore: null, compareHeaders: null, pace: null };
    const more = { concurrency: null, per: null, skipOk: null, stopAfter: null, sign, dryRun: null, eventIds: null };
    const { url } = jobs.destination(ok);
    const { id } = await jobs.create({ endpointId, dest: url, ...nothing, ...more });
    expect(await jobs.until(id, 'done')).toMatchObject({ where: '', ignore: [], concurrency: 1, ok: 2 });
  });

  test('404 for a secret that the endpoint does not have: nothing is sent', async () => {
    const { id: endpointId } = await jobs.endpointWith(numbers(1));
    const elsewhere = await jobs.ada.createEndpoint();
    const secret = await jobs.ada.json<{ id: string }>(201, 'POST', `/api/endpoints/${elsewhere.id}/secrets`, {
      platform: 'github',
      secret: 'a secret',
    });
    const { url } = jobs.destination(ok);
    for (const secretId of ['sec_unknown', secret.id]) {
      const sign = { mode: 'fresh', secretId };
      const refused = await jobs.ada.call('POST', '/api/replay-jobs', { endpointId, dest: url, sign });
      expect([refused.status, await refused.json()]).toEqual([404, { error: 'secret not found' }]);
    }
    expect(
      (await jobs.ada.json<{ jobs: object[] }>(200, 'GET', `/api/replay-jobs?endpointId=${endpointId}`)).jobs,
    ).toEqual([]);
  });

  test.each(['foo', 'a.b', 'headers.x', 'bodyish', 'status.x', '$.a'])('400 to ignore %s', async path => {
    const { id: endpointId } = await jobs.endpointWith(numbers(1));
    const body = { endpointId, dest: 'http://127.0.0.1:9/a', dest2: 'http://127.0.0.1:9/b', ignore: ['body.a', path] };
    const refused = await jobs.ada.call('POST', '/api/replay-jobs', body);
    expect([refused.status, await refused.json()]).toEqual([
      400,
      {
        error: 'ignore[1]: a path is status, header.x or body.a.b',
        problems: [{ path: 'ignore[1]', message: 'a path is status, header.x or body.a.b' }],
      },
    ]);
  });

  test.each([
    [{ stopAfter: 0 }, 'stopAfter', 'must be a whole number, at least 1'],
    [{ stopAfter: '3' }, 'stopAfter', 'must be a whole number, at least 1'],
    [{ per: 'day' }, 'per', 'must be event or delivery'],
    [{ sign: { mode: 'fresh', secret: 'x' } }, 'sign.secret', 'no such field; did you mean secretId?'],
    [{ sign: { mode: 'tamper' } }, 'sign.mode', 'must be none or fresh'],
  ])('400 for %j says what is wrong, although null is possible', async (wrong, path, message) => {
    const body = { endpointId: 'ep_x', dest: 'http://127.0.0.1:9/a', ...wrong };
    expect(await jobs.ada.json(400, 'POST', '/api/replay-jobs', body)).toEqual({
      error: `invalid body: ${path}: ${message}`,
      problems: [{ path, message }],
    });
  });
});
