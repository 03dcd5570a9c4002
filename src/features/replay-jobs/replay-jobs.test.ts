/* Replay jobs through the API, to destinations on this host. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { eventually } from '../../testing/poll.ts';
import { type JobBench, numbers, ok, openJobs } from '../../testing/replay-jobs.ts';
import type { ReplayJob } from './model.ts';

let jobs: JobBench;
beforeAll(async () => {
  jobs = await openJobs();
});
afterAll(() => jobs.close());

describe('a job', () => {
  test('lists its items with their events, as far as they are there, and without times while they wait', async () => {
    const endpoint = await jobs.endpointWith(numbers(3));
    const { url, release } = jobs.heldDestination();
    const { id } = await jobs.create({ endpointId: endpoint.id, dest: url });
    await jobs.ada.json(200, 'DELETE', `/api/events/${endpoint.ids[2]}`);
    const { items } = await jobs.items(id, 'outcome=waiting');
    expect(items.map(({ event }) => event?.id ?? null)).toEqual([...endpoint.ids.slice(0, 2), null]);
    for (const item of items) expect(item).toMatchObject({ sentAt: null, durationMs: null });
    release();
    await jobs.until(id, 'done');
    const { items: settled } = await jobs.items(id);
    expect(settled.map(({ outcome, sentAt }) => [outcome, sentAt !== null])).toEqual([
      ['ok', true],
      ['ok', true],
      ['skipped', false],
    ]);
    await jobs.server.services.database.client.execute({
      sql: 'UPDATE queue_items SET detail = ?',
      args: [Buffer.from('{"status2":null,"differences":[]}')],
    });
    for (const item of (await jobs.items(id)).items) expect(item).toMatchObject({ sentAt: null, durationMs: null });
  });

  test('sends all events once, oldest first, and says what became of each', async () => {
    const endpoint = await jobs.endpointWith(numbers(12));
    const { url, received } = jobs.destination(
      ({ body }) => new Response(null, { status: body.includes('7') ? 500 : 204 }),
    );
    const created = await jobs.create({ endpointId: endpoint.id, dest: url });
    expect(created).toMatchObject({
      state: 'running',
      matched: 12,
      endpointId: endpoint.id,
      dest: url,
      dest2: null,
      finishedAt: null,
      startedBy: 'ada@example.com',
    });
    expect(created.bytes).toBe(numbers(12).join('').length);
    const done = await jobs.until(created.id, 'done');
    expect(done).toMatchObject({
      ok: 11,
      failed: 1,
      skipped: 0,
      same: 0,
      different: 0,
      finishedAt: expect.any(Number),
    });
    expect(received.map(({ body }) => body)).toEqual(numbers(12));
    const { items: all, nextCursor } = await jobs.items(created.id);
    expect(all.map(({ eventId }) => eventId)).toEqual(endpoint.ids);
    expect(nextCursor).toBeNull();
    const { items: failed } = await jobs.items(created.id, 'outcome=failed');
    expect(failed as object[]).toEqual([
      {
        eventId: endpoint.ids[7] ?? '',
        event: expect.objectContaining({ id: endpoint.ids[7], payloadPreview: '{"n":7}' }),
        ...{ outcome: 'failed', status: 500, status2: null, error: null, differences: [] },
        sentAt: expect.any(Number),
        durationMs: expect.any(Number),
      },
    ]);
    expect(failed[0]?.sentAt).toBeGreaterThanOrEqual(created.createdAt);
    const page = await jobs.items(created.id, 'limit=5&outcome=ok');
    expect((await jobs.items(created.id, `limit=100&outcome=ok&cursor=${page.nextCursor}`)).items).toHaveLength(6);
    const event = await jobs.ada.json<{ replays: { via: string; ok: boolean }[] }>(
      200,
      'GET',
      `/api/events/${endpoint.ids[0]}`,
    );
    expect(event.replays).toMatchObject([{ via: 'job', ok: true }]);
  });

  test('takes only events that match, in a time; a dry run counts them', async () => {
    const endpoint = await jobs.endpointWith(numbers(6));
    const body = { endpointId: endpoint.id, dest: 'http://127.0.0.1:9/x', where: 'body.n>2', dryRun: true };
    expect(await jobs.ada.json(200, 'POST', '/api/replay-jobs', body)).toEqual({ matched: 3, bytes: 21 });
    for (const [more, matched] of [
      [{ from: Date.now() + 60_000 }, 0],
      [{ from: '1h' }, 3],
      [{ to: Date.now() - 60_000 }, 0],
      [{ to: new Date().toISOString().slice(0, 10) }, 3],
      [{ from: '2020-01-01', to: '2020-01-02T00:00:00Z' }, 0],
    ] as const)
      expect(await jobs.ada.json(200, 'POST', '/api/replay-jobs', { ...body, ...more })).toMatchObject({ matched });
    expect(await jobs.create({ ...body, dryRun: false, where: 'body.n>99' })).toMatchObject({
      state: 'done',
      matched: 0,
    });
  });

  test('per delivery sends only the newest attempt', async () => {
    const endpoint = await jobs.ada.createEndpoint();
    const send = (guid: string, attempt: number) =>
      jobs.server.deliver(endpoint, `{"guid":"${guid}"}`, {
        headers: { 'x-github-event': 'push', 'x-github-delivery': guid, 'x-attempt': `${attempt}` },
      });
    for (const [guid, attempt] of [
      ['a1', 1],
      ['b1', 1],
      ['a1', 2],
      ['c1', 1],
      ['a1', 3],
    ] as const)
      await send(guid.repeat(8), attempt);
    const { url, received } = jobs.destination(ok);
    const created = await jobs.create({ endpointId: endpoint.id, dest: url, per: 'delivery' });
    expect(created.matched).toBe(3);
    await jobs.until(created.id, 'done');
    expect(received.map(({ headers }) => headers.get('x-attempt'))).toEqual(['3', '1', '1']);
  });

  test('comes back after Retry-After, and lets other failures be', async () => {
    const endpoint = await jobs.endpointWith(numbers(3));
    const busy = jobs.destination(({ body }, n) =>
      n === 1
        ? new Response(null, { status: 503, headers: { 'retry-after': '0' } })
        : body.includes('2')
          ? new Response(null, { status: 503 })
          : ok(),
    );
    const { id } = await jobs.create({ endpointId: endpoint.id, dest: busy.url });
    expect(await jobs.until(id, 'done')).toMatchObject({ ok: 2, failed: 1 });
    expect(busy.received).toHaveLength(4);
  });

  test('skips what the destination has accepted before', async () => {
    const endpoint = await jobs.endpointWith(numbers(4));
    const { url, received } = jobs.destination(
      ({ body }) => new Response(null, { status: body.includes('3') ? 500 : 200 }),
    );
    await jobs.until((await jobs.create({ endpointId: endpoint.id, dest: url })).id, 'done');
    const again = await jobs.create({ endpointId: endpoint.id, dest: url, skipOk: true });
    expect(await jobs.until(again.id, 'done')).toMatchObject({ ok: 0, failed: 1, skipped: 3 });
    expect(received).toHaveLength(5);
  });

  test('keeps its pace while it looks up what was accepted before', async () => {
    const endpoint = await jobs.endpointWith(numbers(3));
    const times: number[] = [];
    const { url } = jobs.destination(() => {
      times.push(performance.now());
      return ok();
    });
    const { id } = await jobs.create({ endpointId: endpoint.id, dest: url, pace: '4/s', concurrency: 8, skipOk: true });
    await jobs.until(id, 'done');
    // At least 396 ms; at once they would be a few milliseconds.
    expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThan(100);
  });

  test('pauses after `stopAfter` failures, goes on, is cancelled, and frees its destination', async () => {
    const endpoint = await jobs.endpointWith(numbers(20));
    const { url, received } = jobs.destination(() => new Response(null, { status: 500 }));
    const body = { endpointId: endpoint.id, dest: url, stopAfter: 3 };
    const { id } = await jobs.create(body);
    expect((await jobs.until(id, 'paused')).failed).toBe(3);
    await jobs.server.services.queues.idle();
    expect(received).toHaveLength(3);
    for (const dests of [{ dest: url }, { dest: 'http://127.0.0.1:9/y', dest2: url }])
      expect((await jobs.ada.call('POST', '/api/replay-jobs', { ...body, ...dests })).status).toBe(409);
    expect((await jobs.ada.json<ReplayJob>(200, 'POST', `/api/replay-jobs/${id}/resume`)).state).toBe('running');
    expect((await jobs.until(id, 'paused')).failed).toBe(6);
    const cancelled = await jobs.ada.json<ReplayJob>(200, 'POST', `/api/replay-jobs/${id}/cancel`);
    expect(cancelled).toMatchObject({ state: 'cancelled', failed: 6, finishedAt: expect.any(Number) });
    for (const verb of ['pause', 'resume', 'cancel'])
      expect((await jobs.ada.call('POST', `/api/replay-jobs/${id}/${verb}`)).status).toBe(409);
    expect((await jobs.items(id, 'outcome=waiting&limit=100')).items).toHaveLength(14);
    await jobs.ada.json(202, 'POST', '/api/replay-jobs', body);
  });

  test('skips events that are deleted meanwhile, and ends with its endpoint', async () => {
    const endpoint = await jobs.endpointWith(numbers(3));
    const { url, received, release } = jobs.heldDestination();
    const { id } = await jobs.create({ endpointId: endpoint.id, dest: url });
    await eventually(() => received.length === 1);
    await jobs.ada.json(200, 'DELETE', `/api/events/${endpoint.ids[2]}`);
    release();
    expect(await jobs.until(id, 'done')).toMatchObject({ ok: 2, skipped: 1 });
    await jobs.ada.json(200, 'DELETE', `/api/endpoints/${endpoint.id}`);
    expect((await jobs.ada.call('GET', `/api/replay-jobs/${id}`)).status).toBe(404);
  });

  test.each(['running', 'paused'])('that is %s frees its destination when its endpoint is deleted', async state => {
    const [endpoint, other] = [await jobs.endpointWith(numbers(3)), await jobs.endpointWith(numbers(3))];
    const held = Promise.withResolvers<void>();
    const { url } = jobs.destination(async () => {
      await held.promise;
      return ok();
    });
    const { id } = await jobs.create({ endpointId: endpoint.id, dest: url });
    if (state === 'paused') await jobs.ada.json(200, 'POST', `/api/replay-jobs/${id}/pause`);
    const next = { endpointId: other.id, dest: url };
    await jobs.ada.json(409, 'POST', '/api/replay-jobs', next);
    await jobs.ada.json(200, 'DELETE', `/api/endpoints/${endpoint.id}`);
    const created = await jobs.create(next);
    held.resolve();
    expect(await jobs.until(created.id, 'done')).toMatchObject({ ok: 3 });
  });
});
