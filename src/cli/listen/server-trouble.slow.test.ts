/* A server that goes away, refuses, is slow, or has lost something: what listen says, and that it goes on. */
import { describe, expect, test } from 'bun:test';
import { startListener } from '../../testing/command.ts';
import { jsonLines, useListenHarness } from '../../testing/listen-harness.ts';
import { eventually } from '../../testing/poll.ts';

const harness = await useListenHarness();

type Change = (request: Request, next: () => Promise<Response>) => Response | Promise<Response>;

/** A server in front of the real one, which a test may let answer otherwise. */
function openFront() {
  let change: Change = (_, next) => next();
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    fetch: async request => {
      const { pathname, search } = new URL(request.url);
      const body = request.method === 'GET' ? undefined : await request.text();
      const { method, headers, signal } = request;
      // The tests change the answers.
      headers.set('accept-encoding', 'identity');
      const next = () =>
        fetch(harness.client.url + pathname + search, {
          method,
          headers,
          signal,
          ...(body !== undefined && { body }),
        });
      return change(request, next);
    },
  });
  return {
    changeTo: (next: Change): void => {
      change = next;
    },
    env: { ...harness.client.env, HOOKTAPE_URL: `http://127.0.0.1:${server.port}` },
    [Symbol.dispose]: () => void server.stop(true),
  };
}
const isFeed = ({ url }: Request): boolean => new URL(url).pathname.endsWith('/feed');
const listenThrough = async (front: ReturnType<typeof openFront>, ...args: string[]) => {
  const words = [harness.inbox().id, '--as', 'me', '--to', harness.target().origin, ...args];
  const listener = startListener(front.env, words);
  await eventually(() => /Connected|"connected"/.test(listener.said.stderr + listener.said.stdout));
  return listener;
};

describe('a server', () => {
  test('that goes away is tried until it is back, and nothing is lost', async () => {
    using front = openFront();
    let isAway = true;
    front.changeTo((request, next) => (isAway && isFeed(request) ? new Response('down', { status: 502 }) : next()));
    const listener = await listenThrough(front, '--output', 'json');
    await harness.deliver('{"n":1}');
    await eventually(() => listener.said.stdout.includes('disconnected'));
    isAway = false;
    await harness.arrived(1);
    await eventually(() => listener.said.stdout.includes('settled'));
    await listener.stop();
    const events = jsonLines(listener.said.stdout).map(({ event }) => event);
    expect(events).toEqual(['connected', 'disconnected', 'connected', 'received', 'answered', 'settled']);
    expect(listener.said.stderr).toContain('a proxy returned 502');
  });

  test('that asks to wait is left alone, which is said', async () => {
    using front = openFront();
    let refusals = 0;
    front.changeTo((request, next) =>
      isFeed(request) && refusals++ === 0
        ? Response.json({ error: 'rate limit exceeded' }, { status: 429, headers: { 'retry-after': '1' } })
        : next(),
    );
    const listener = await listenThrough(front);
    await harness.deliver('{"n":1}');
    await harness.arrived(1);
    expect(listener.said.stderr).toContain('rate limit of the server reached; continuing in 1 s');
    await listener.stop();
  });

  test('that has removed events says so, and so does listen', async () => {
    using front = openFront();
    front.changeTo(async (request, next) => {
      const response = await next();
      return isFeed(request) ? Response.json({ ...((await response.json()) as object), truncated: true }) : response;
    });
    const listener = await listenThrough(front);
    await harness.deliver('{"n":1}');
    await harness.arrived(1);
    expect(listener.said.stderr).toContain('some events were removed by retention before they were delivered');
    await listener.stop();
  });

  test('that has a damaged event: it is left out, and the others arrive', async () => {
    using front = openFront();
    front.changeTo(async (request, next) => {
      const response = await next();
      if (!isFeed(request)) return response;
      const page = (await response.json()) as { events: { size: number }[] };
      const damaged = { rawHeaders: null, query: null, payloadRaw: null, payloadEncoding: null };
      return Response.json({
        ...page,
        events: page.events.map(one => (one.size === 7 ? { ...one, ...damaged } : one)),
      });
    });
    const listener = await listenThrough(front, '--output', 'json');
    const id = await harness.deliver('{"n":1}');
    await harness.deliver('{"n":22}');
    await harness.arrived(1);
    await listener.stop();
    expect(harness.bodies()).toEqual(['{"n":22}']);
    const events = jsonLines(listener.said.stdout).filter(line => line['id'] === id);
    expect(events.map(({ event }) => event)).toEqual(['received', 'skipped', 'settled']);
    expect(await harness.consumer()).toMatchObject({ behind: 0 });
  });

  test('whose answers to writes are lost is not taken for another listener', async () => {
    using front = openFront();
    let puts = 0;
    front.changeTo(async (request, next) => {
      const response = await next();
      if (request.method !== 'PUT' || ++puts !== 2) return response;
      await response.arrayBuffer();
      return new Response('gone', { status: 504 });
    });
    const listener = await listenThrough(front);
    for (const n of [1, 2]) {
      await harness.deliver(`{"n":${n}}`);
      await harness.arrived(n);
      await eventually(() => puts >= n + 1, 9000);
    }
    const { exitCode, stderr } = await listener.stop();
    expect([exitCode, stderr.includes('another listener')]).toEqual([0, false]);
    expect(await harness.consumer()).toMatchObject({ behind: 0 });
  }, 120_000);
});

describe('permanent errors', () => {
  test('a key that is revoked ends it with 1', async () => {
    const { key, id } = await harness.client.ada.json<{ key: string; id: string }>(201, 'POST', '/api/keys', {
      name: 'short',
    });
    const env = { ...harness.client.env, HOOKTAPE_KEY: key };
    const listener = startListener(env, [harness.inbox().id, '--as', 'me', '--to', harness.target().origin]);
    await eventually(() => listener.said.stderr.includes('Connected'));
    await harness.client.ada.json(200, 'DELETE', `/api/keys/${id}`);
    await harness.deliver('{}');
    const { exitCode, stderr } = await listener.ended;
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('does not accept the key in HOOKTAPE_KEY')]);
  });

  test('an endpoint that is deleted ends it with 1; with another one it goes on', async () => {
    const inbox = harness.inbox();
    const other = await harness.client.json<{ id: string; url: string }>(
      'endpoint',
      'create',
      `stays-${inbox.id.slice(-8)}`,
    );
    const listener = await harness.listen(other.id, '--to', harness.target().origin);
    await harness.client.ada.json(200, 'DELETE', `/api/endpoints/${inbox.id}`);
    // At the latest when a call that had just begun to wait ends, after 25 s.
    await eventually(() => listener.said.stderr.includes('has been deleted'), 40_000);
    await harness.client.server.deliver(other, '{"n":1}');
    await harness.arrived(1);
    await harness.client.ada.json(200, 'DELETE', `/api/endpoints/${other.id}`);
    const { exitCode, stderr } = await listener.ended;
    expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/hooktape: the endpoint stays-\w+ has been deleted/)]);
  }, 120_000);
});

test('a paused endpoint is mentioned', async () => {
  await harness.client.ada.json(200, 'PATCH', `/api/endpoints/${harness.inbox().id}`, { paused: true });
  const listener = await harness.listen('--to', harness.target().origin);
  expect(listener.said.stderr).toContain('is paused and accepts no deliveries');
});
