/* /api/endpoints/{id}/listeners, and replays to a listener. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { eventually } from '../../testing/poll.ts';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';
import type { EventDetail, ReplayAttempt } from '../events/model.ts';
import type { Listener, ListenerReplay, ListenerReplays } from './model.ts';

let server: TestServer;
let origin: string;
let ada: TestAccount;
let bob: TestAccount;
beforeAll(async () => {
  server = await openTestServer();
  origin = await server.listen();
  ada = await server.createAccount('ada@example.com');
  bob = await server.createAccount('bob@example.com');
});
afterAll(() => server.close());

type Endpoint = { id: string; url: string };
type Refusal = { error: string };

/** A listener, which calls over a real connection. */
function listener(endpoint: Endpoint, name: string, { instance = crypto.randomUUID(), who = ada } = {}) {
  const call = async (body: object = {}, signal?: AbortSignal) => {
    const response = await fetch(`${origin}/api/endpoints/${endpoint.id}/listeners/${name}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${who.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ instance, targets: ['http://localhost:3000'], ...body }),
      ...(signal && { signal }),
    });
    return { status: response.status, body: (await response.json()) as ListenerReplays & Refusal };
  };
  return {
    call,
    /** Waits for the next replay. */
    take: async (): Promise<ListenerReplay> => {
      const { body } = await call({ wait: 25 });
      const [replay] = body.replays;
      if (!replay) throw new Error('no replay');
      return replay;
    },
    answer: (id: string, answer: object = {}) =>
      call({
        answers: [
          {
            id,
            destination: 'http://localhost:3000/hooks',
            status: 200,
            durationMs: 7,
            response: { headers: [['X-A', '1']], body: 'done', bodyEncoding: 'utf8', truncated: false },
            ...answer,
          },
        ],
      }),
  };
}

const listed = async (endpoint: Endpoint, who = ada): Promise<Listener[]> =>
  (await who.json<{ listeners: Listener[] }>(200, 'GET', `/api/endpoints/${endpoint.id}/listeners`)).listeners;
const isListed = (endpoint: Endpoint, name: string) =>
  eventually(async () => (await listed(endpoint)).some(one => one.name === name));
const isGone = (endpoint: Endpoint, name: string) =>
  eventually(async () => !(await listed(endpoint)).some(one => one.name === name));
const replay = <T = Record<string, unknown>>(status: number, id: string, body: object, who = ada): Promise<T> =>
  who.json<T>(status, 'POST', `/api/events/${id}/replay`, body);
const replaysOf = async (id: string): Promise<ReplayAttempt[]> =>
  (await ada.json<EventDetail>(200, 'GET', `/api/events/${id}`)).replays;

describe('a replay to a listener', () => {
  test('arrives as captured, and the answer comes back and is kept', async () => {
    const endpoint = await ada.createEndpoint();
    const body = Uint8Array.from({ length: 256 }, (_, n) => n);
    const id = await server.deliver(endpoint, body, {
      suffix: '/orders?a=%zz&b=1',
      headers: { 'X-Case': 'Kept', authorization: 'Bearer secret', 'content-type': 'x/y' },
    });
    const { take, answer } = listener(endpoint, 'laptop');
    const taking = take();
    await isListed(endpoint, 'laptop');
    const result = replay(200, id, { listener: 'laptop' });
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
    expect(await result).toEqual({ ok: false, status: 422, durationMs: 7, responsePreview: 'done' });
    expect(await replaysOf(id)).toMatchObject([
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
    const { take, answer } = listener(endpoint, 'laptop');
    const taking = take();
    await isListed(endpoint, 'laptop');
    const sign = { mode: 'fresh', secret: 'whsec_of_the_request' };
    const result = replay(200, id, { listener: 'laptop', edit: { set: { a: 2 } }, sign });
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
    expect(await replaysOf(id)).toMatchObject([{ signed: true, edited: true, response: { body: '[redacted]' } }]);
  });

  test('a dry run sends nothing, and needs no listener', async () => {
    const endpoint = await ada.createEndpoint();
    const id = await server.deliver(endpoint);
    expect(await replay(200, id, { listener: 'nobody', dryRun: true })).toMatchObject({ url: 'listener:nobody' });
    expect(await replaysOf(id)).toEqual([]);
  });

  test('502 when none of that name is connected to this endpoint, and nothing is recorded', async () => {
    const [endpoint, other] = [await ada.createEndpoint(), await ada.createEndpoint()];
    const id = await server.deliver(endpoint);
    const abort = new AbortController();
    const { call } = listener(other, 'laptop');
    const waiting = call({ wait: 25 }, abort.signal).catch(() => {});
    await isListed(other, 'laptop');
    for (const name of ['laptop', '', '__proto__', 'x'.repeat(10_000)])
      expect((await replay<Refusal>(502, id, { listener: name })).error).toContain('no listener of this name');
    expect(await replaysOf(id)).toEqual([]);
    abort.abort();
    await waiting;
  });

  test('502 and a recorded attempt when the listener got no answer', async () => {
    const endpoint = await ada.createEndpoint();
    const id = await server.deliver(endpoint);
    const one = listener(endpoint, 'laptop');
    const [taking] = [one.take(), await isListed(endpoint, 'laptop')];
    const failed = replay<Refusal>(502, id, { listener: 'laptop' });
    await one.answer((await taking).id, { status: null, response: null, error: 'the connection was refused' });
    expect((await failed).error).toBe('the listener got no answer: the connection was refused');

    expect(await replaysOf(id)).toMatchObject([
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
      await replay(400, id, body);
    await replay(400, id, { listener: null });
    expect(await replaysOf(id)).toEqual([]);
  });

  test('of an event of another team is 404, also when the listener is one’s own', async () => {
    const id = await server.deliver(await bob.createEndpoint());
    await replay(404, id, { listener: 'laptop' });
  });

  test('a body of megabytes arrives whole', async () => {
    const endpoint = await ada.createEndpoint();
    const body = Buffer.alloc(5 << 20, 'ä"\u0001');
    const id = await server.deliver(endpoint, body);
    const { take, answer } = listener(endpoint, 'laptop');
    const [taking] = [take(), await isListed(endpoint, 'laptop')];
    const result = replay(200, id, { listener: 'laptop' });
    const taken = await taking;
    expect(Buffer.from(taken.body, taken.bodyEncoding).equals(body)).toBe(true);
    await answer(taken.id);
    await result;
  });
});

describe('listeners', () => {
  test('are listed by name while they are connected, and gone at once when they close the connection', async () => {
    const endpoint = await ada.createEndpoint();
    expect(await listed(endpoint)).toEqual([]);
    const abort = new AbortController();
    const calls = ['b', 'a'].map(name =>
      listener(endpoint, name)
        .call({ wait: 25 }, abort.signal)
        .catch(() => {}),
    );
    await isListed(endpoint, 'a');
    await isListed(endpoint, 'b');
    expect(await listed(endpoint)).toEqual(
      ['a', 'b'].map(name => ({
        name,
        targets: ['http://localhost:3000'],
        connectedBy: 'ada@example.com',
        connectedAt: expect.any(Number),
        connections: 1,
      })),
    );
    await bob.json(404, 'GET', `/api/endpoints/${endpoint.id}/listeners`);
    abort.abort();
    await Promise.all(calls);
    await isGone(endpoint, 'a');
    await isGone(endpoint, 'b');
  });

  test('of two of one name the newest gets the replay, and then the other one', async () => {
    const endpoint = await ada.createEndpoint();
    const id = await server.deliver(endpoint);
    const [first, second] = [listener(endpoint, 'laptop'), listener(endpoint, 'laptop')];
    const abort = new AbortController();
    const firstTakes = first.take();
    await isListed(endpoint, 'laptop');
    const secondTakes = second.call({ wait: 25 }, abort.signal);
    await eventually(async () => (await listed(endpoint))[0]?.connections === 2);
    const result = replay(200, id, { listener: 'laptop' });
    const [taken] = (await secondTakes).body.replays;
    // The other one cannot answer it.
    await first.answer(taken?.id ?? '', { status: 500 });
    await second.answer(taken?.id ?? '', { status: 201 });
    expect(await result).toMatchObject({ status: 201 });
    const waiting = second.call({ wait: 25 }, abort.signal).catch(() => {});
    await eventually(async () => (await listed(endpoint))[0]?.connections === 2);
    abort.abort();
    await waiting;
    await eventually(async () => (await listed(endpoint))[0]?.connections === 1);
    const next = replay(200, id, { listener: 'laptop' });
    await first.answer((await firstTakes).id);
    expect(await next).toMatchObject({ status: 200 });
  });

  test('many replays at once come in few calls, each once', async () => {
    const endpoint = await ada.createEndpoint();
    const ids = await Promise.all(Array.from({ length: 10 }, (_, n) => server.deliver(endpoint, `{"n":${n}}`)));
    const { call } = listener(endpoint, 'laptop');
    const first = call({ wait: 25 });
    await isListed(endpoint, 'laptop');
    const results = ids.map(id => replay(200, id, { listener: 'laptop' }));
    const seen: string[] = [];
    for (let { body } = await first; seen.length < ids.length; ) {
      seen.push(...body.replays.map(({ event }) => event.id));
      const answers = body.replays.map(({ id }) => ({ id, destination: null, status: 200, durationMs: 1 }));
      ({ body } = await call({ answers, wait: seen.length < ids.length ? 25 : 0 }));
    }
    await Promise.all(results);
    expect(seen.toSorted()).toEqual(ids.toSorted());
  });

  test('a newer call of the same run takes over from one that waits', async () => {
    const endpoint = await ada.createEndpoint();
    const { call } = listener(endpoint, 'laptop');
    const old = call({ wait: 25 });
    await isListed(endpoint, 'laptop');
    const abort = new AbortController();
    const newer = call({ wait: 25 }, abort.signal).catch(() => {});
    expect((await old).body.replays).toEqual([]);
    expect(await listed(endpoint)).toMatchObject([{ connections: 1 }]);
    abort.abort();
    await newer;
  });

  test('are no more than 50 of an endpoint, and one that goes makes place', async () => {
    const endpoint = await ada.createEndpoint();
    const team = await Promise.all(
      ['x', 'y'].map(name => server.createAccount(`${name}-many@example.com`, { teamOf: ada.email })),
    );
    const first = listener(endpoint, 'n0');
    const aborts = new AbortController();
    const held = first.call({ wait: 25 }, aborts.signal).catch(() => {});
    for (let n = 1; n < 50; n++)
      expect((await listener(endpoint, `n${n}`, { who: team[n % 2] ?? ada }).call()).status).toBe(200);
    const refused = await listener(endpoint, 'n50', { who: team[0] ?? ada }).call();
    expect([refused.status, refused.body.error]).toEqual([429, 'at most 50 listeners of an endpoint at once']);
    aborts.abort();
    await held;
    await isGone(endpoint, 'n0');
    expect((await listener(endpoint, 'n50', { who: team[0] ?? ada }).call()).status).toBe(200);
  });

  test('are refused with a name, a target or an answer that cannot be', async () => {
    const endpoint = await ada.createEndpoint();
    for (const name of ['A', 'a b', 'a%2fb', 'x'.repeat(65)])
      expect((await listener(endpoint, name).call()).status).toBe(400);
    const { call } = listener(endpoint, 'laptop');
    for (const body of [
      { instance: 'short' },
      { targets: ['\u001b]0;title\u0007'] },
      { targets: ['\u202ereversed'] },
      { targets: Array.from({ length: 21 }, () => 'a') },
      { wait: 26 },
      { wait: 1.5 },
      { answers: [{ id: 'a', destination: null, status: 99, durationMs: 1 }] },
      { answers: [{ id: 'a', destination: null, status: 200, durationMs: 1, more: 1 }] },
    ])
      expect([body, (await call(body)).status]).toEqual([body, 400]);
    expect(await listed(endpoint)).toEqual([]);
  });
});

describe('access that ends', () => {
  test('a revoked key ends the waiting call with 401, and the replay is not given out', async () => {
    const endpoint = await ada.createEndpoint();
    const id = await server.deliver(endpoint);
    const guest = await server.createAccount('guest@example.com', { teamOf: ada.email });
    const { call } = listener(endpoint, 'laptop', { who: guest });
    const waiting = call({ wait: 25 });
    await isListed(endpoint, 'laptop');
    const { keys } = await guest.json<{ keys: { id: string }[] }>(200, 'GET', '/api/keys');
    await guest.json(200, 'DELETE', `/api/keys/${keys[0]?.id}`);
    expect((await waiting).status).toBe(401);
    await isGone(endpoint, 'laptop');
    await replay(502, id, { listener: 'laptop' });
  });

  test('404 when the endpoint is deleted', async () => {
    const endpoint = await ada.createEndpoint();
    const waiting = listener(endpoint, 'laptop').call({ wait: 25 });
    await isListed(endpoint, 'laptop');
    await ada.json(200, 'DELETE', `/api/endpoints/${endpoint.id}`);
    expect((await waiting).status).toBe(404);
  });

  test('a server that shuts down answers waiting calls, and refuses further ones', async () => {
    const own = await openTestServer();
    const eve = await own.createAccount('eve@example.com');
    const endpoint = await eve.createEndpoint();
    const path = `/api/endpoints/${endpoint.id}/listeners/laptop`;
    const body = { instance: 'of-a-test', wait: 25 };
    const waiting = eve.json<ListenerReplays>(200, 'POST', path, body);
    await eventually(async () =>
      JSON.stringify(await eve.json(200, 'GET', `/api/endpoints/${endpoint.id}/listeners`)).includes('laptop'),
    );
    own.services.listeners.shutDown();
    expect(await waiting).toEqual({ replays: [] });
    await eve.json(503, 'POST', path, body);
    await own.close();
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
