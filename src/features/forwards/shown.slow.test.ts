/* What the dashboard shows of a forward: since when its destination fails and why, which events wait, and how many an operation means. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { type ForwardBench, openForwards } from '../../testing/forwards.ts';
import { callTool } from '../../testing/mcp.ts';
import { eventually } from '../../testing/poll.ts';
import { ok } from '../../testing/replay-jobs.ts';
import type { AuditPage } from '../audit/model.ts';
import type { ReplayJob } from '../replay-jobs/model.ts';

setDefaultTimeout(120_000);

let forwards: ForwardBench;
beforeAll(async () => {
  forwards = await openForwards();
});
afterAll(() => forwards.close());

const slow = { for: '24h', first: '1h', max: '1h' };

describe('a forward whose destination fails', () => {
  test('says since when, why, and which events', async () => {
    const endpoint = await forwards.ada.createEndpoint();
    const { url } = forwards.destination(() => new Response(null, { status: 503 }));
    const before = Date.now();
    const created = await forwards.create(endpoint, { url, retry: slow });
    const none = { failingSince: null, probeAt: null, lastStatus: null, lastError: null };
    expect(created).toMatchObject(none);
    const headers = { 'x-github-event': 'push' };
    for (let n = 0; n < 10; n++) await forwards.server.deliver(endpoint, `{"n":${n}}`, { headers });
    const down = await forwards.until(endpoint, created.id, one => one.failed === 10);
    expect(down).toMatchObject({ state: 'probing', lastStatus: 503, lastError: null });
    expect(down.failingSince).toBeGreaterThanOrEqual(before);
    expect((down.probeAt ?? 0) - (down.failingSince ?? 0)).toBeGreaterThanOrEqual(60_000);
    const [first] = await forwards.deliveries(endpoint, created.id, 'state=failed&limit=1');
    expect(first).toMatchObject({ eventType: 'push', platform: 'github', lastStatus: 503 });
    expect(first?.receivedAt).toBeGreaterThanOrEqual(before);

    // Another URL is asked anew; nobody listens there.
    const path = forwards.path(endpoint, created.id);
    await forwards.ada.json(200, 'PATCH', path, { url: 'http://127.0.0.1:1/' });
    await forwards.act(endpoint, created.id, 'retry', { eventId: first?.eventId });
    const refused = await forwards.until(endpoint, created.id, one => one.lastError !== null);
    expect(refused.lastStatus).toBeNull();
  });
});

describe('with dryRun', () => {
  test('retry and skip count the events that they mean, and change and audit nothing', async () => {
    const endpoint = await forwards.ada.createEndpoint();
    const { url, received } = forwards.destination(({ body }) =>
      body.includes('bad') ? new Response(null, { status: 503 }) : ok(),
    );
    const options = { url, mode: 'ordered', orderBy: 'body.lane', retry: slow };
    const { id } = await forwards.create(endpoint, options);
    for (let n = 0; n < 6; n++) await forwards.server.deliver(endpoint, `{"lane":${n % 2},"kind":"bad","n":${n}}`);
    const before = await forwards.until(endpoint, id, one => one.failed === 2 && one.waiting === 4);
    await forwards.idle();
    const tried = received.length;
    const counted = async (verb: 'retry' | 'skip', body: object): Promise<number> => {
      const path = `${forwards.path(endpoint, id)}/${verb}`;
      return (await forwards.ada.json<{ matched: number }>(200, 'POST', path, { ...body, dryRun: true })).matched;
    };
    expect(await counted('retry', {})).toBe(0);
    expect(await counted('retry', { where: 'body.n<1' })).toBe(1);
    expect(await counted('skip', {})).toBe(2);
    expect(await counted('skip', { where: 'body.n>=1' })).toBe(5);
    const [head] = await forwards.deliveries(endpoint, id, 'state=failed');
    expect(await counted('skip', { eventId: head?.eventId })).toBe(1);
    expect(await forwards.show(endpoint, id)).toMatchObject({ waiting: before.waiting, failed: before.failed });
    await forwards.idle();
    expect(received.length).toBe(tried);
    const wrong = { where: 'nope:1', dryRun: true };
    await forwards.ada.json(400, 'POST', `${forwards.path(endpoint, id)}/skip`, wrong);
    await forwards.act(endpoint, id, 'skip');
    const { entries } = await forwards.ada.json<AuditPage>(200, 'GET', '/api/audit?limit=100');
    const ofThis = entries.filter(({ target }) => target?.id === id).map(({ action }) => action);
    expect(ofThis).toEqual(['forward.skipped', 'forward.created']);
  });
});

test('a read-only key sees no values of headers, and only the servers of URLs to which events are or were sent', async () => {
  const endpoint = await forwards.ada.createEndpoint();
  const { url, received } = forwards.destination(ok);
  const { origin } = new URL(url);
  const headers = [['Authorization', 'Bearer of the destination']];
  const { id } = await forwards.create(endpoint, { url: `${url}?token=forward`, headers });
  const events = [
    await forwards.server.deliver(endpoint, '{}'),
    await forwards.server.deliver(endpoint, JSON.stringify('x'.repeat(2 << 20))),
  ];
  await eventually(() => received.length === 2);
  await forwards.idle();
  const dests = { dest: `${url}?token=job`, dest2: `${url}?token=second` };
  const job = await forwards.ada.json<ReplayJob>(202, 'POST', '/api/replay-jobs', {
    endpointId: endpoint.id,
    ...dests,
  });
  await forwards.idle();
  const { key } = await forwards.ada.json<{ key: string }>(201, 'POST', '/api/keys', { name: 'r', readOnly: true });
  const shown = `${origin}/[set]`;
  for (const [path, expected] of [
    [forwards.path(endpoint), 1],
    [forwards.path(endpoint, id), 1],
    ['/api/replay-jobs', 2],
    [`/api/replay-jobs/${job.id}`, 2],
    ...events.map(event => [`/api/events/${event}`, 6] as const),
  ] as const) {
    const answer = await forwards.server.fetch(path, { headers: { authorization: `Bearer ${key}` } });
    const text = await answer.text();
    const urls = [...text.matchAll(/"(http:[^"]*)"/g)].map(([, found]) => found);
    expect([path, answer.status, urls]).toEqual([path, 200, Array.from({ length: expected }, () => shown)]);
    expect(text).not.toMatch(/token=|Bearer/);
  }
  const called = await callTool(forwards.server.fetch, key, 'get_event', { eventId: events[0] });
  const attempt = { destination: shown };
  expect(called.structuredContent).toMatchObject({ replays: [attempt, attempt, attempt] });
  expect(await forwards.show(endpoint, id)).toMatchObject({ url: `${url}?token=forward`, headers });
  expect(await forwards.ada.json(200, 'GET', `/api/replay-jobs/${job.id}`)).toMatchObject(dests);
});
