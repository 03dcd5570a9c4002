/* Forwards through the API, to destinations on this host. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { type ForwardBench, openForwards, quickRetry } from '../../testing/forwards.ts';
import { eventually } from '../../testing/poll.ts';
import { ok } from '../../testing/replay-jobs.ts';
import type { EventDetail } from '../events/model.ts';

setDefaultTimeout(120_000);

let forwards: ForwardBench;
beforeAll(async () => {
  forwards = await openForwards();
});
afterAll(() => forwards.close());

const isEmpty = ({ waiting, failed }: { waiting: number; failed: number }): boolean => waiting + failed === 0;
const status = (code: number, headers: Record<string, string> = {}): Response =>
  new Response(null, { status: code, headers });

describe('a forward', () => {
  test('sends events from its creation on, as captured, and leaves one compact row each', async () => {
    const endpoint = await forwards.ada.createEndpoint();
    await forwards.server.deliver(endpoint, '{"n":0}');
    const { url, received } = forwards.destination(ok);
    const created = await forwards.create(endpoint, { url, headers: [['Authorization', 'Bearer t']] });
    expect(created).toMatchObject({
      ...{ name: 'one', url, where: '', mode: 'parallel', orderBy: null, sign: 'as-captured', per: 'event' },
      ...{ headers: [['Authorization', 'Bearer t']], timeoutS: 30, retry: { for: '24h', first: '5s', max: '1h' } },
      ...{ enabled: true, waiting: 0, failed: 0, givenUp: 0, lagS: 0, state: 'ok' },
    });
    const ids: string[] = [];
    for (let n = 1; n < 6; n++)
      ids.push(
        await forwards.server.deliver(endpoint, `{"n":${n}}`, { headers: { 'x-a': 'b', authorization: 'Basic x' } }),
      );
    await eventually(() => received.length === 5);
    await forwards.idle();
    expect(received.map(({ body }) => body).sort()).toEqual(ids.map((_, n) => `{"n":${n + 1}}`));
    const [one] = received.filter(({ headers }) => headers.get('x-service-replay') === ids[0]);
    expect(one?.headers.get('x-a')).toBe('b');
    expect(one?.headers.get('authorization')).toBe('Bearer t');
    expect(one?.headers.get('x-hooktape-hops')).toBe('1');
    expect(one?.headers.has('x-hooktape-edited')).toBe(false);
    expect(await forwards.show(endpoint, created.id)).toMatchObject({ waiting: 0, failed: 0, givenUp: 0, lagS: 0 });
    expect(await forwards.deliveries(endpoint, created.id)).toEqual([]);
    const { replays } = await forwards.ada.json<{ replays: object[] }>(200, 'GET', `/api/events/${ids[0]}`);
    expect(replays).toMatchObject([{ via: 'forward', ok: true, status: 200, destination: url, response: null }]);
    const [attempt] = replays as EventDetail['replays'];
    expect(attempt?.request).toMatchObject({ method: 'POST', url, edit: null });
    expect(attempt?.request?.headers.slice(-3)).toEqual([
      ['x-service-replay', ids[0] ?? ''],
      ['Authorization', '[redacted]'],
      ['x-hooktape-hops', '1'],
    ]);
    const path = `/api/events/${ids[0]}/replays/${attempt?.id}/request`;
    const sent = await forwards.server.fetch(path, { headers: { authorization: `Bearer ${forwards.ada.key}` } });
    expect(await sent.text()).toBe('{"n":1}');
  });

  test('skips events that do not match, and refused ones', async () => {
    const endpoint = await forwards.ada.createEndpoint();
    const { url, received } = forwards.destination(ok);
    await forwards.create(endpoint, { url, where: 'body.n>1' });
    const guard = { methods: ['POST'], onRefuse: 'record' };
    await forwards.ada.json(200, 'PATCH', `/api/endpoints/${endpoint.id}`, { guard });
    for (const n of [1, 2, 3]) await forwards.server.deliver(endpoint, `{"n":${n}}`);
    await fetch(endpoint.url.replace(/^https?:\/\/[^/]+/, await forwards.server.listen()), {
      method: 'PUT',
      body: '{"n":4}',
    });
    await forwards.server.deliver(endpoint, '{"n":5}');
    await eventually(() => received.length >= 3);
    await forwards.idle();
    expect(received.map(({ body }) => body).sort()).toEqual(['{"n":2}', '{"n":3}', '{"n":5}']);
  });

  test('per delivery sends only the first attempt', async () => {
    const endpoint = await forwards.ada.createEndpoint();
    const { url, received } = forwards.destination(ok);
    await forwards.create(endpoint, { url, per: 'delivery' });
    for (const [guid, attempt] of [...'aabacb'].map((letter, n) => [letter.repeat(16), n] as const))
      await forwards.server.deliver(endpoint, `{"guid":"${guid}"}`, {
        headers: { 'x-github-event': 'push', 'x-github-delivery': guid, 'x-n': `${attempt}` },
      });
    await eventually(() => received.length >= 3);
    await forwards.idle();
    expect(received.map(({ headers }) => headers.get('x-n')).sort()).toEqual(['0', '2', '4']);
  });

  test('retries busy destinations, obeys Retry-After, and gives up after three refusals', async () => {
    const endpoint = await forwards.ada.createEndpoint();
    const asked = new Map<string, number>();
    const { url } = forwards.destination(({ body }) => {
      const n = (asked.get(body) ?? 0) + 1;
      asked.set(body, n);
      if (body === 'busy') return n < 3 ? status(503) : ok();
      // Not 429, after which the whole destination rests.
      if (body === 'later') return status(503, { 'retry-after': '3600' });
      return status(404);
    });
    const { id } = await forwards.create(endpoint, { url, retry: quickRetry });
    for (const body of ['busy', 'later', 'no']) await forwards.server.deliver(endpoint, body);
    const forward = await forwards.until(endpoint, id, one => one.givenUp === 1 && one.failed === 1 && !one.waiting);
    expect(forward.state).toBe('ok');
    await eventually(() => asked.get('busy') === 3);
    // Its answer has come, and is written a moment later; so is the end of the busy one.
    const failed = () => forwards.deliveries(endpoint, id, 'state=failed');
    await eventually(
      async () =>
        (await failed()).length === 1 && (await failed())[0]?.lastStatus === 503 && (await failed())[0]?.attempts === 1,
    );
    await eventually(async () => (await forwards.deliveries(endpoint, id)).length === 2);
    expect(Object.fromEntries(asked)).toEqual({ busy: 3, later: 1, no: 3 });
    const [later] = await forwards.deliveries(endpoint, id, 'state=failed');
    expect(later).toMatchObject({ state: 'failed', attempts: 1, lastStatus: 503 });
    expect((later?.nextAt ?? 0) - Date.now()).toBeGreaterThan(3_500_000);
    expect(await forwards.deliveries(endpoint, id, 'state=given_up')).toMatchObject([
      { state: 'given_up', attempts: 3, nextAt: null, lastStatus: 404, lastError: expect.stringContaining('404') },
    ]);
    expect(await forwards.deliveries(endpoint, id)).toHaveLength(2);
  });

  test('is paused, goes on, and retries and skips by event and by filter', async () => {
    const endpoint = await forwards.ada.createEndpoint();
    let answer = 400;
    const { url, received } = forwards.destination(() => status(answer));
    const { id } = await forwards.create(endpoint, { url, retry: quickRetry, enabled: false });
    const ids: string[] = [];
    for (let n = 0; n < 6; n++) ids.push(await forwards.server.deliver(endpoint, `{"n":${n}}`));
    await forwards.idle();
    expect(await forwards.show(endpoint, id)).toMatchObject({ waiting: 6, state: 'paused', enabled: false });
    expect(await forwards.act(endpoint, id, 'skip', { eventId: ids[5] ?? '' })).toMatchObject({ waiting: 5 });
    expect(received).toHaveLength(0);
    expect(await forwards.act(endpoint, id, 'resume')).toMatchObject({ state: 'ok', enabled: true });
    await forwards.until(endpoint, id, one => one.givenUp === 5);
    expect(received).toHaveLength(15);
    answer = 200;
    await forwards.act(endpoint, id, 'retry', { where: 'body.n<2' });
    await forwards.until(endpoint, id, one => one.givenUp === 3 && isEmpty(one));
    expect(await forwards.act(endpoint, id, 'skip', { where: 'body.n:2' })).toMatchObject({ givenUp: 2 });
    await forwards.act(endpoint, id, 'retry');
    await forwards.until(endpoint, id, one => one.givenUp === 0 && isEmpty(one));
    expect(received).toHaveLength(19);
    expect((await forwards.ada.call('POST', `${forwards.path(endpoint, id)}/retry`, { eventId: ids[0] })).status).toBe(
      404,
    );
    expect((await forwards.ada.call('POST', `${forwards.path(endpoint, id)}/retry`, { where: '(' })).status).toBe(400);
    await forwards.act(endpoint, id, 'pause');
    expect(await forwards.ada.json(200, 'DELETE', forwards.path(endpoint, id))).toEqual({ ok: true });
    expect((await forwards.ada.call('GET', forwards.path(endpoint, id))).status).toBe(404);
  });

  test('has limits, and refuses settings that would not work', async () => {
    const endpoint = await forwards.ada.createEndpoint();
    const url = 'https://example.com/x';
    for (const wrong of [
      { url: 'ftp://example.com' },
      { url: 'https://user:pass@example.com/' },
      { url, where: '(' },
      { url, orderBy: 'body.a' },
      { url, mode: 'ordered', orderBy: 'type' },
      { url, mode: 'ordered', orderBy: 'body.items[].id' },
      { url, retry: { first: '2h', max: '1h' } },
      { url, retry: { for: 'long' } },
      { url, timeoutS: 0 },
      { url, name: '\u200b' },
      { url, headers: [['Content-Length', '3']] },
      { url, headers: [['x-hooktape-hops', '0']] },
      { url, headers: [['x-a', 'b\r\nx-c: d']] },
      { url, unknown: 1 },
    ])
      expect([
        wrong,
        (await forwards.ada.call('POST', forwards.path(endpoint), { name: 'a', ...wrong })).status,
      ]).toEqual([wrong, 400]);
    for (let n = 0; n < 5; n++) await forwards.create(endpoint, { url, enabled: false });
    expect((await forwards.ada.call('POST', forwards.path(endpoint), { name: 'a', url })).status).toBe(403);
    const { forwards: all } = await forwards.ada.json<{ forwards: { id: string }[] }>(
      200,
      'GET',
      forwards.path(endpoint),
    );
    expect(all).toHaveLength(5);
    const bob = await forwards.server.createAccount('bob@example.com');
    for (const verb of ['GET', 'DELETE'])
      expect((await bob.call(verb, forwards.path(endpoint, all[0]?.id))).status).toBe(404);
  });
});

describe('an ordered forward', () => {
  test('keeps the order in each lane through failures, while other lanes go on', async () => {
    const endpoint = await forwards.ada.createEndpoint();
    let blocked = true;
    const { url, received } = forwards.destination(({ body }) =>
      blocked && body.includes('"a"') ? status(500) : ok(),
    );
    const body = { url, mode: 'ordered', orderBy: 'body.lane', retry: { ...quickRetry, first: '20ms', max: '20ms' } };
    const { id } = await forwards.create(endpoint, body);
    const sent: string[] = [];
    for (let n = 0; n < 30; n++) {
      sent.push(n % 3 === 2 ? `{"n":${n}}` : `{"lane":"${'ab'[n % 3]}","n":${n}}`);
      await forwards.server.deliver(endpoint, sent[n]);
    }
    await eventually(
      () => new Set(received.filter(({ body }) => !body.includes('"a"')).map(one => one.body)).size === 20,
    );
    // One of the lane is tried; the others wait.
    await forwards.until(endpoint, id, one => one.waiting === 9 && one.failed === 1);
    expect((await forwards.deliveries(endpoint, id, 'state=waiting')).every(({ nextAt }) => nextAt === null)).toBe(
      true,
    );
    // While it is blocked: the event would soon be accepted, and there would be nothing to retry.
    await forwards.act(endpoint, id, 'retry', { eventId: (await forwards.deliveries(endpoint, id))[0]?.eventId ?? '' });
    blocked = false;
    await forwards.until(endpoint, id, isEmpty);
    for (const lane of ['"a"', '"b"', '{"n"']) {
      const arrived = received.map(one => one.body).filter(one => one.includes(lane));
      expect([...new Set(arrived)]).toEqual(sent.filter(one => one.includes(lane)));
    }
  });

  test('a given-up event that is retried waits behind the open head of its lane, and goes next', async () => {
    const endpoint = await forwards.ada.createEndpoint();
    let refused = 'one';
    const { url, received } = forwards.destination(({ body }) =>
      body === refused ? status(404) : body === 'two' && refused !== '' ? status(429, { 'retry-after': '3600' }) : ok(),
    );
    const { id } = await forwards.create(endpoint, { url, mode: 'ordered', retry: { ...quickRetry, for: '2h' } });
    for (const one of ['one', 'two', 'three']) await forwards.server.deliver(endpoint, one);
    await forwards.until(endpoint, id, one => one.givenUp === 1 && one.failed === 1);
    // Until then, it may be tried again at once.
    await eventually(async () => (await forwards.deliveries(endpoint, id, 'state=failed'))[0]?.lastStatus === 429);
    refused = '';
    await forwards.act(endpoint, id, 'retry');
    await forwards.until(endpoint, id, one => one.waiting === 2 && one.failed === 1 && one.givenUp === 0);
    await forwards.server.services.queues.idle();
    expect(received).toHaveLength(4);
    const [two] = await forwards.deliveries(endpoint, id, 'state=failed');
    await forwards.act(endpoint, id, 'retry', { eventId: two?.eventId ?? '' });
    await forwards.until(endpoint, id, isEmpty);
    expect(received.slice(4).map(({ body }) => body)).toEqual(['two', 'one', 'three']);
  });

  test('skip removes the blocked head of each lane, and only that', async () => {
    const endpoint = await forwards.ada.createEndpoint();
    const { url, received } = forwards.destination(({ body }) => (body.includes('bad') ? status(500) : ok()));
    const retry = { for: '1h', first: '1h', max: '1h' };
    const { id } = await forwards.create(endpoint, { url, mode: 'ordered', retry });
    for (const one of ['bad 1', 'good 1', 'bad 2', 'good 2']) await forwards.server.deliver(endpoint, one);
    await forwards.until(endpoint, id, one => one.failed === 1 && one.waiting === 3);
    await forwards.act(endpoint, id, 'skip');
    await forwards.until(endpoint, id, one => one.failed === 1 && one.waiting === 1);
    await forwards.act(endpoint, id, 'skip', {});
    await forwards.until(endpoint, id, isEmpty);
    expect(received.map(({ body }) => body)).toEqual(['bad 1', 'good 1', 'bad 2', 'good 2']);
  });
});

describe('loops', () => {
  test('own ingest URLs are refused, under other names of this server too', async () => {
    const endpoint = await forwards.ada.createEndpoint();
    const other = await forwards.ada.createEndpoint();
    const { pathname } = new URL(other.url);
    const { id } = await forwards.create(endpoint, { url: 'https://example.com/x', enabled: false });
    for (const url of [
      other.url,
      `${new URL(other.url).origin}/in/unknown`,
      `${await forwards.server.listen()}${pathname}`,
      `https://alias.example.com/x/..${pathname}`,
      `https://alias.example.com.${pathname}?a=b`,
    ]) {
      expect([url, (await forwards.ada.call('POST', forwards.path(endpoint), { name: 'a', url })).status]).toEqual([
        url,
        400,
      ]);
      expect((await forwards.ada.call('PATCH', forwards.path(endpoint, id), { url })).status).toBe(400);
    }
  });

  test('a circle through others ends: the fourth forward is given up', async () => {
    const endpoint = await forwards.ada.createEndpoint();
    const hops: (string | null)[] = [];
    const { url } = forwards.destination(async ({ body, headers }) => {
      hops.push(headers.get('x-hooktape-hops'));
      await forwards.server.deliver(endpoint, body, {
        headers: { 'x-hooktape-hops': headers.get('x-hooktape-hops') ?? '' },
      });
      return ok();
    });
    const { id } = await forwards.create(endpoint, { url });
    await forwards.server.deliver(endpoint, '{}');
    await forwards.until(endpoint, id, one => one.givenUp === 1);
    expect(hops).toEqual(['1', '2', '3']);
    expect((await forwards.deliveries(endpoint, id))[0]?.lastError).toContain('loop');
  });
});
