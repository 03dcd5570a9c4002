/* POST /api/events/{id}/replay { listener } */
import { afterAll, describe, expect, test } from 'bun:test';
import { openListenerHarness, type Refusal } from '../../testing/listener.ts';
import { openTestServer } from '../../testing/test-server.ts';
import type { EventDetail } from '../events/model.ts';
import type { ListenerReplays } from './model.ts';

const { server, ada, bob, player } = await openListenerHarness();
afterAll(() => server.close());

describe('a replay to a listener', () => {
  test('arrives as captured, and the answer comes back and is kept', async () => {
    const endpoint = await ada.createEndpoint();
    const body = Uint8Array.from({ length: 256 }, (_, n) => n);
    const id = await server.deliver(endpoint, body, {
      suffix: '/orders?a=%zz&b=1',
      headers: { 'X-Case': 'Kept', authorization: 'Bearer secret', 'content-type': 'x/y' },
    });
    const { take, answer } = player.listener(endpoint, 'laptop');
    const taking = take();
    await player.isListed(endpoint, 'laptop');
    const result = player.replay(200, id, { listener: 'laptop' });
    const taken = await taking;
    expect(taken).toMatchObject({
      event: { id, path: '/orders' },
      query: 'a=%zz&b=1',
      method: 'POST',
      body: Buffer.from(body).toString('base64'),
      bodyEncoding: 'base64',
      signed: false,
      edited: false,
    });
    expect(taken.headers.filter(([name]) => /^(x-case|x-service-replay|content-type)$/i.test(name))).toEqual([
      ['Content-Type', 'x/y'],
      ['X-Case', 'Kept'],
      ['x-service-replay', id],
    ]);
    expect(taken.headers.map(([name]) => name.toLowerCase())).not.toContain('authorization');
    expect(taken.timeoutMs).toBeGreaterThan(0);
    expect(taken.timeoutMs).toBeLessThan(30_000);
    await answer(taken.id, { status: 422 });
    expect(await result).toEqual({ ok: false, status: 422, durationMs: 7, responsePreview: 'done', note: null });
    expect(await player.replaysOf(id)).toMatchObject([
      {
        destination: 'http://localhost:3000/hooks',
        status: 422,
        ok: false,
        durationMs: 7,
        via: 'listen',
        replayedBy: 'ada@example.com',
        response: { headers: [['X-A', '1']], body: 'done', truncated: false },
      },
    ]);
  });

  test('can be edited, and signed with a secret of the request', async () => {
    const endpoint = await ada.createEndpoint();
    const id = await server.deliver(endpoint, '{"a":1}', { headers: { 'stripe-signature': 't=1,v1=00' } });
    const { take, answer } = player.listener(endpoint, 'laptop');
    const taking = take();
    await player.isListed(endpoint, 'laptop');
    const sign = { mode: 'fresh', secret: 'whsec_of_the_request' };
    const result = player.replay(200, id, { listener: 'laptop', edit: { set: { a: 2 } }, sign });
    const taken = await taking;
    expect(taken).toMatchObject({ body: '{"a":2}', signed: true, edited: true });
    expect(Object.fromEntries(taken.headers)).toMatchObject({
      'x-hooktape-edited': '1',
      'stripe-signature': expect.stringMatching(/^t=\d{10},v1=[0-9a-f]{64}$/),
    });
    expect(JSON.stringify(taken)).not.toContain('whsec');
    await answer(taken.id, {
      response: { headers: [], body: 'whsec_of_the_request', bodyEncoding: 'utf8', truncated: false },
    });
    expect(await result).toMatchObject({ ok: true, responsePreview: '[redacted]' });
    expect(await player.replaysOf(id)).toMatchObject([
      { signed: true, edited: true, response: { body: '[redacted]' } },
    ]);
  });

  test('a dry run sends nothing, and needs no listener', async () => {
    const endpoint = await ada.createEndpoint();
    const id = await server.deliver(endpoint);
    expect(await player.replay(200, id, { listener: 'nobody', dryRun: true })).toMatchObject({
      url: 'listener:nobody',
    });
    expect(await player.replaysOf(id)).toEqual([]);
  });

  test('502 when none of that name is connected to this endpoint, and nothing is recorded', async () => {
    const [endpoint, other] = [await ada.createEndpoint(), await ada.createEndpoint()];
    const id = await server.deliver(endpoint);
    const abort = new AbortController();
    const { call } = player.listener(other, 'laptop');
    const waiting = call({ wait: 25 }, abort.signal).catch(() => {});
    await player.isListed(other, 'laptop');
    for (const name of ['laptop', '', '__proto__', 'x'.repeat(10_000)])
      expect((await player.replay<Refusal>(502, id, { listener: name })).error).toContain('no listener of this name');
    expect(await player.replaysOf(id)).toEqual([]);
    abort.abort();
    await waiting;
  });

  test('502 and a recorded attempt when the listener got no answer', async () => {
    const endpoint = await ada.createEndpoint();
    const id = await server.deliver(endpoint);
    const one = player.listener(endpoint, 'laptop');
    const [taking] = [one.take(), await player.isListed(endpoint, 'laptop')];
    const failed = player.replay<Refusal>(502, id, { listener: 'laptop' });
    await one.answer((await taking).id, { status: null, response: null, error: 'connection refused' });
    expect((await failed).error).toBe('the listener got no answer: connection refused');

    expect(await player.replaysOf(id)).toMatchObject([
      { destination: 'http://localhost:3000/hooks', status: null, ok: false },
    ]);
  });

  test('is either to a URL or to a listener', async () => {
    const id = await server.deliver(await ada.createEndpoint());
    for (const body of [
      {},
      { url: 'http://127.0.0.1:1', listener: 'laptop' },
      { listener: 'laptop', appendPath: true },
    ])
      await player.replay(400, id, body);
    await player.replay(400, id, { listener: null });
    expect(await player.replaysOf(id)).toEqual([]);
  });

  test('of an event of another team is 404, also when the listener is one’s own', async () => {
    const id = await server.deliver(await bob.createEndpoint());
    await player.replay(404, id, { listener: 'laptop' });
  });

  test('a body of megabytes arrives whole', async () => {
    const endpoint = await ada.createEndpoint();
    const body = Buffer.alloc(5 << 20, 'ä"\u0001');
    const id = await server.deliver(endpoint, body);
    const { take, answer } = player.listener(endpoint, 'laptop');
    const [taking] = [take(), await player.isListed(endpoint, 'laptop')];
    const result = player.replay(200, id, { listener: 'laptop' });
    const taken = await taking;
    expect(Buffer.from(taken.body, taken.bodyEncoding).equals(body)).toBe(true);
    await answer(taken.id);
    await result;
  });
});

describe('a listener that says nothing by the deadline', () => {
  test('is 502 and recorded; a late answer, one that is made up and one of a revoked key change nothing', async () => {
    const own = await openTestServer({ env: { HOOKTAPE_REPLAY_TIMEOUT: '1s' } });
    const eve = await own.createAccount('eve@example.com');
    const endpoint = await eve.createEndpoint();
    const id = await own.deliver(endpoint);
    const call = <T>(status: number, body: object) =>
      eve.json<T>(status, 'POST', `/api/endpoints/${endpoint.id}/listeners/laptop`, { instance: 'of-a-test', ...body });
    await call(200, {});
    const result = eve.json<Refusal>(502, 'POST', `/api/events/${id}/replay`, { listener: 'laptop' });
    const { replays } = await call<ListenerReplays>(200, { wait: 25 });
    expect((await result).error).toBe('no answer of the listener within 1 s');
    const answer = (answerId = '') => ({ answers: [{ id: answerId, destination: null, status: 200, durationMs: 1 }] });
    await call(200, answer(replays[0]?.id));
    await call(200, answer('made-up'));
    const { keys } = await eve.json<{ keys: { id: string }[] }>(200, 'GET', '/api/keys');
    const before = await eve.json<EventDetail>(200, 'GET', `/api/events/${id}`);
    expect(before.replays).toMatchObject([{ destination: 'listener:laptop', status: null, ok: false, via: 'listen' }]);
    await eve.json(200, 'DELETE', `/api/keys/${keys[0]?.id}`);
    await call(401, answer(replays[0]?.id));
    await own.close();
  });
});
