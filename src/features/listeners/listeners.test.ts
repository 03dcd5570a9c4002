/* /api/endpoints/{id}/listeners */
import { afterAll, describe, expect, test } from 'bun:test';
import { openListenerHarness } from '../../testing/listener.ts';
import { eventually } from '../../testing/poll.ts';
import { openTestServer } from '../../testing/test-server.ts';
import type { ListenerReplays } from './model.ts';

const { server, ada, bob, player } = await openListenerHarness();
afterAll(() => server.close());

describe('listeners', () => {
  test('are listed by name while they are connected, and gone at once when they close the connection', async () => {
    const endpoint = await ada.createEndpoint();
    expect(await player.listed(endpoint)).toEqual([]);
    const abort = new AbortController();
    const calls = ['b', 'a'].map(name =>
      player
        .listener(endpoint, name)
        .call({ wait: 25 }, abort.signal)
        .catch(() => {}),
    );
    await player.isListed(endpoint, 'a');
    await player.isListed(endpoint, 'b');
    expect(await player.listed(endpoint)).toEqual(
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
    await player.isGone(endpoint, 'a');
    await player.isGone(endpoint, 'b');
  });

  test('of two of one name the newest gets the replay, and the other one cannot answer it', async () => {
    const endpoint = await ada.createEndpoint();
    const id = await server.deliver(endpoint);
    const [first, second] = [player.listener(endpoint, 'laptop'), player.listener(endpoint, 'laptop')];
    const abort = new AbortController();
    const firstTakes = first.call({ wait: 25 }, abort.signal).catch(() => {});
    await player.isListed(endpoint, 'laptop');
    const secondTakes = second.call({ wait: 25 }, abort.signal);
    await eventually(async () => (await player.listed(endpoint))[0]?.connections === 2);
    const result = player.replay(200, id, { listener: 'laptop' });
    const [taken] = (await secondTakes).body.replays;
    await first.answer(taken?.id ?? '', { status: 500 });
    await second.answer(taken?.id ?? '', { status: 201 });
    expect(await result).toMatchObject({ status: 201 });
    abort.abort();
    await firstTakes;
  });

  test('many replays at once come in few calls, each once', async () => {
    const endpoint = await ada.createEndpoint();
    const ids = await Promise.all(Array.from({ length: 10 }, (_, n) => server.deliver(endpoint, `{"n":${n}}`)));
    const { call } = player.listener(endpoint, 'laptop');
    const first = call({ wait: 25 });
    await player.isListed(endpoint, 'laptop');
    const results = ids.map(id => player.replay(200, id, { listener: 'laptop' }));
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
    const { call } = player.listener(endpoint, 'laptop');
    const old = call({ wait: 25 });
    await player.isListed(endpoint, 'laptop');
    const abort = new AbortController();
    const newer = call({ wait: 25 }, abort.signal).catch(() => {});
    expect((await old).body.replays).toEqual([]);
    expect(await player.listed(endpoint)).toMatchObject([{ connections: 1 }]);
    abort.abort();
    await newer;
  });

  test('are no more than 50 of an endpoint, and one that goes makes place', async () => {
    const endpoint = await ada.createEndpoint();
    const team = await Promise.all(
      ['x', 'y'].map(name => server.createAccount(`${name}-many@example.com`, { teamOf: ada.email })),
    );
    const first = player.listener(endpoint, 'n0');
    const aborts = new AbortController();
    const held = first.call({ wait: 25 }, aborts.signal).catch(() => {});
    for (let n = 1; n < 50; n++)
      expect((await player.listener(endpoint, `n${n}`, { who: team[n % 2] ?? ada }).call()).status).toBe(200);
    const refused = await player.listener(endpoint, 'n50', { who: team[0] ?? ada }).call();
    expect([refused.status, refused.body.error]).toEqual([429, 'at most 50 listeners of an endpoint at once']);
    aborts.abort();
    await held;
    await player.isGone(endpoint, 'n0');
    expect((await player.listener(endpoint, 'n50', { who: team[0] ?? ada }).call()).status).toBe(200);
  });

  test('are refused with a name, a target or an answer that cannot be', async () => {
    const endpoint = await ada.createEndpoint();
    for (const name of ['A', 'a b', 'a%2fb', 'x'.repeat(65)])
      expect((await player.listener(endpoint, name).call()).status).toBe(400);
    const { call } = player.listener(endpoint, 'laptop');
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
    expect(await player.listed(endpoint)).toEqual([]);
  });
});

describe('access that ends', () => {
  test('a revoked key ends the waiting call with 401, and the replay is not given out', async () => {
    const endpoint = await ada.createEndpoint();
    const id = await server.deliver(endpoint);
    const guest = await server.createAccount('guest@example.com', { teamOf: ada.email });
    const { call } = player.listener(endpoint, 'laptop', { who: guest });
    const waiting = call({ wait: 25 });
    await player.isListed(endpoint, 'laptop');
    const { keys } = await guest.json<{ keys: { id: string }[] }>(200, 'GET', '/api/keys');
    await guest.json(200, 'DELETE', `/api/keys/${keys[0]?.id}`);
    expect((await waiting).status).toBe(401);
    await player.isGone(endpoint, 'laptop');
    await player.replay(502, id, { listener: 'laptop' });
  });

  test('404 when the endpoint is deleted', async () => {
    const endpoint = await ada.createEndpoint();
    const waiting = player.listener(endpoint, 'laptop').call({ wait: 25 });
    await player.isListed(endpoint, 'laptop');
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
