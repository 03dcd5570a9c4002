/*
 * `hooktape listen` behind a proxy that closes silent connections; scripts/idle-proof.ts is the same with nginx and an hour. Here
 * each wait is cut off, so many more are than behind a proxy that waits 60 s.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { startListener } from '../../testing/command.ts';
import { createListenerPlayer } from '../../testing/listener.ts';
import { eventually } from '../../testing/poll.ts';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';

setDefaultTimeout(120_000);

let server: TestServer;
let ada: TestAccount;
beforeAll(async () => {
  server = await openTestServer();
  ada = await server.createAccount('ada@example.com');
});
afterAll(() => server.close());

/**
 * Answers 504 for the server when it says nothing for so long, as nginx does. Only calls that wait are cut off: on a busy machine, others
 * could take as long.
 */
async function openProxy(silentMs: number) {
  const upstream = await server.listen();
  const cut = { feed: 0, listeners: 0 };
  const proxy = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const body = request.method === 'GET' ? null : await request.text();
      const isWaiting = search.includes('wait=25') || body?.includes('"wait":25') === true;
      const timeout = AbortSignal.timeout(isWaiting ? silentMs : 60_000);
      try {
        return await fetch(`${upstream}${pathname}${search}`, {
          method: request.method,
          headers: request.headers,
          body,
          signal: AbortSignal.any([timeout, request.signal]),
          decompress: false,
        });
      } catch {
        if (timeout.aborted) cut[pathname.includes('/listeners/') ? 'listeners' : 'feed']++;
        return new Response('<html>504 Gateway Time-out</html>', { status: 504 });
      }
    },
  });
  return { cut, url: `http://127.0.0.1:${proxy.port}`, close: () => proxy.stop(true) };
}

test('an event and a replay arrive after every wait of both connections was cut off again and again', async () => {
  const endpoint = await ada.createEndpoint();
  const player = await createListenerPlayer(server, ada);
  const seen: string[] = [];
  const handler = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async request => {
      seen.push(await request.text());
      return new Response('handled', { status: 201 });
    },
  });
  const proxy = await openProxy(100);
  const listener = startListener({ HOOKTAPE_URL: proxy.url, HOOKTAPE_KEY: ada.key }, [
    ...[endpoint.id, '--to', `http://127.0.0.1:${handler.port}`, '--as', 'laptop', '--output', 'json'],
  ]);
  await eventually(() => proxy.cut.feed >= 3 && proxy.cut.listeners >= 3, 20_000);
  const id = await server.deliver(endpoint, 'after the silence');
  await eventually(() => seen.length > 0, 20_000);
  const replayed = await eventually(async () => {
    const answer = await ada.call('POST', `/api/events/${id}/replay`, { listener: 'laptop' });
    return answer.status === 200 ? ((await answer.json()) as object) : undefined;
  }, 120_000);
  expect(replayed).toMatchObject({ ok: true, status: 201, responsePreview: 'handled' });
  expect(seen).toEqual(['after the silence', 'after the silence']);
  const { exitCode, stdout } = await listener.stop();
  expect(exitCode).toBe(0);
  const events = stdout
    .split('\n')
    .flatMap(line => (line === '' ? [] : [(JSON.parse(line) as { event: string }).event]));
  expect(events).toContain('disconnected');
  expect(await player.replaysOf(id)).toMatchObject([
    { via: 'listen', status: 201 },
    { via: 'listen', status: 201 },
  ]);
  await player.isGone(endpoint, 'laptop');
  await proxy.close();
  await handler.stop(true);
});
