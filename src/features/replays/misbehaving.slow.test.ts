/* Destinations and callers that do not behave: whatever happens, the attempt ends in time and is recorded. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { eventually } from '../../testing/poll.ts';
import { closePeers, drip, ok, peer, reply } from '../../testing/raw-destination.ts';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';

let server: TestServer;
let ada: TestAccount;
let endpoint: { id: string; url: string };

beforeAll(async () => {
  server = await openTestServer({ env: { HOOKTAPE_REPLAY_TIMEOUT: '1s' } });
  ada = await server.createAccount('ada@example.com');
  endpoint = await ada.createEndpoint();
});
afterEach(closePeers);
afterAll(() => server.close());

const attemptsOf = async (caller: TestAccount, id: string) =>
  (await caller.json<{ replays: unknown[] }>(200, 'GET', `/api/events/${id}`)).replays;
const replay = (id: string, port: number) =>
  ada.json<{ status: number; durationMs: number; responsePreview: string }>(200, 'POST', `/api/events/${id}/replay`, {
    url: `http://127.0.0.1:${port}/`,
  });
const refusal = (status: number, id: string, url: string) =>
  ada.json<{ error: string }>(status, 'POST', `/api/events/${id}/replay`, { url });

describe('destinations that misbehave', () => {
  const unreachable = async (port: number): Promise<string> => {
    const id = await server.deliver(endpoint);
    const url = `http://127.0.0.1:${port}/`;
    const { error } = await refusal(502, id, url);
    expect(await attemptsOf(ada, id)).toMatchObject([
      { destination: url, status: null, ok: false, replayedBy: 'ada@example.com', formerMember: false },
    ]);
    return error;
  };

  test('a refused, hanging or closed connection is 502, and recorded without a status', async () => {
    const gone = await peer(ok);
    closePeers();
    expect(await unreachable(gone.port)).toContain('refused');
    expect(await unreachable((await peer(() => {})).port)).toContain('within 1 s');
    expect(await unreachable((await peer(socket => socket.destroy())).port)).toContain('closed');
  });

  test('a status is the result although the body is endless, slow or shorter than announced', async () => {
    for (const answer of [
      (socket: Parameters<typeof drip>[0]) => drip(socket, 'HTTP/1.1 200 OK\r\n\r\n', 'x'.repeat(10_000)),
      (socket: Parameters<typeof drip>[0]) => drip(socket, 'HTTP/1.1 200 OK\r\n\r\n', 'x'),
      reply('HTTP/1.1 200 OK\r\nContent-Length: 1000', 'xxx'),
    ]) {
      const result = await replay(await server.deliver(endpoint), (await peer(answer)).port);
      expect(result).toMatchObject({ ok: true, status: 200 });
      expect(result.responsePreview).toStartWith('x');
    }
  });
});

describe('anomalies', () => {
  const askAndLeave = async (id: string, to: { port: number; connects: () => number }): Promise<void> => {
    const gone = new AbortController();
    const request = fetch(`${await server.listen()}/api/events/${id}/replay`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ada.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ url: `http://127.0.0.1:${to.port}/` }),
      signal: gone.signal,
    });
    await eventually(() => to.connects() === 1);
    gone.abort();
    await request.catch(() => {});
  };

  test('a replay whose caller disconnects is completed and recorded', async () => {
    const id = await server.deliver(endpoint);
    const held = Promise.withResolvers<void>();
    const to = await peer(socket => void held.promise.then(() => ok(socket)));
    await askAndLeave(id, to);
    held.resolve();
    const [attempt] = await eventually(async () => {
      const attempts = await attemptsOf(ada, id);
      return attempts.length > 0 ? attempts : undefined;
    });
    expect(attempt).toMatchObject({ status: 200, ok: true, replayedBy: 'ada@example.com' });
  });

  test('429 with Retry-After for the eleventh concurrent replay of an account', async () => {
    const id = await server.deliver(endpoint);
    const to = await peer(() => {});
    const url = `http://127.0.0.1:${to.port}/`;
    const ten = Array.from({ length: 10 }, () => ada.call('POST', `/api/events/${id}/replay`, { url }));
    await eventually(() => to.connects() === 10);
    const refused = await ada.call('POST', `/api/events/${id}/replay`, { url });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
    expect((await Promise.all(ten)).map(({ status }) => status)).toEqual(new Array(10).fill(502));
    await refusal(502, id, url);
  });

  test('a replay that runs when the server stops is recorded', async () => {
    const closing = await openTestServer();
    const eve = await closing.createAccount();
    const id = await closing.deliver(await eve.createEndpoint());
    const to = await peer(() => {});
    const request = eve.call('POST', `/api/events/${id}/replay`, { url: `http://127.0.0.1:${to.port}/` });
    await eventually(() => to.connects() === 1);
    await closing.services.replays.stop();
    expect((await request).status).toBe(502);
    expect(await attemptsOf(eve, id)).toMatchObject([{ status: null, ok: false }]);
    await closing.close();
  });
});
