import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import { connect } from 'node:net';
import { openBrowser } from '../../testing/browser.ts';
import { eventually } from '../../testing/poll.ts';
import { readSse, type SseReader } from '../../testing/sse.ts';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';

let server: TestServer;
let ada: TestAccount;
let bob: TestAccount;
let origin: string;
beforeAll(async () => {
  server = await openTestServer();
  origin = await server.listen();
  ada = await server.createAccount('ada@example.com');
  bob = await server.createAccount('bob@example.com');
});
afterAll(() => server.close());

const follow = (endpoint: { id: string }, headers: Record<string, string> = {}, query = ''): Promise<SseReader> =>
  readSse(`${origin}/api/endpoints/${endpoint.id}/stream${query}`, { authorization: `Bearer ${ada.key}`, ...headers });
const openStreams = () => server.services.notifications.openStreams();
const idsOf = ({ messages }: SseReader) => messages.map(message => message.id);
const deliverMany = async (endpoint: { url: string }, count: number) => {
  const ids: string[] = [];
  for (let i = 0; i < count; i++) ids.push(await server.deliver(endpoint, `{"n":${i}}`));
  return ids;
};

describe('GET /api/endpoints/{id}/stream', () => {
  test('a signature that covers the URL is verified with the new URL at once after a rotation', async () => {
    const endpoint = await ada.createEndpoint();
    const secret = 'a secret of Twilio with 32 bytes';
    await ada.json(201, 'POST', `/api/endpoints/${endpoint.id}/secrets`, { platform: 'twilio', secret });
    const stream = await follow(endpoint);
    const deliver = (url: string) =>
      server.deliver({ url }, '', {
        headers: {
          'x-twilio-signature': createHmac('sha1', secret).update(url).digest('base64'),
          'content-type': 'application/x-www-form-urlencoded',
        },
      });
    await deliver(endpoint.url);
    await stream.count(1);
    const rotated = await ada.json<{ url: string }>(200, 'POST', `/api/endpoints/${endpoint.id}/rotate`, {});
    await deliver(rotated.url);
    await stream.count(2);
    expect(stream.messages.map(({ data }) => (data as { signatureValid: boolean }).signatureValid)).toEqual([
      true,
      true,
    ]);
    stream.close();
    await eventually(() => openStreams() === 0);
  });

  test('a delivery is sent as an `event` message with its summary, and deliveries of other endpoints are not', async () => {
    const endpoint = await ada.createEndpoint();
    const other = await ada.createEndpoint();
    await server.deliver(endpoint);
    const stream = await follow(endpoint);
    expect(stream.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    await server.deliver(other);
    const id = await server.deliver(endpoint, '{"n":1}', { suffix: '/sub' });
    const [message] = await stream.count(1);
    const { events } = await ada.json<{ events: Record<string, unknown>[] }>(
      200,
      'GET',
      `/api/events?endpointId=${endpoint.id}&limit=1`,
    );
    expect(message).toEqual({ id, event: 'event', data: events[0] ?? {} });
    expect(stream.messages).toHaveLength(1);
    stream.close();
  });

  test('the response headers are sent before any delivery arrives', async () => {
    const stream = await follow(await ada.createEndpoint());
    expect(stream.status).toBe(200);
    await eventually(() => stream.text().startsWith(': connected\nretry: 1000\n'));
    stream.close();
  });

  test('Last-Event-ID resumes without a gap or a repeat while deliveries arrive', async () => {
    const endpoint = await ada.createEndpoint();
    const noise = await ada.createEndpoint();
    const ids = await deliverMany(endpoint, 130);
    await deliverMany(noise, 5);
    const delivering = (async () => {
      for (let i = 0; i < 60; i++) ids.push(...(await Promise.all([0, 1, 2].map(() => server.deliver(endpoint)))));
    })();
    const seen: string[] = [];
    let last = ids[4] ?? '';
    // Disconnected and resumed again and again, wherever it happens to be.
    while (seen.length < 305) {
      const stream = await follow(endpoint, { 'last-event-id': last });
      await stream.count(Math.min(40, 305 - seen.length));
      stream.close();
      seen.push(...idsOf(stream));
      last = seen.at(-1) ?? last;
    }
    await delivering;
    expect(seen).toEqual([...ids.slice(5)].sort());
  }, 120_000);

  test('the header takes precedence over the query, and an empty id starts with the first event', async () => {
    const endpoint = await ada.createEndpoint();
    const ids = await deliverMany(endpoint, 4);
    const resumed = await follow(endpoint, { 'last-event-id': ids[2] ?? '' }, `?lastEventId=${ids[0]}`);
    expect((await resumed.count(1)).map(({ id }) => id)).toEqual([ids[3] ?? '']);
    const byQuery = await follow(endpoint, {}, `?lastEventId=${ids[1]}`);
    expect((await byQuery.count(2)).map(({ id }) => id)).toEqual(ids.slice(2));
    const whole = await follow(endpoint, {}, '?lastEventId=');
    expect((await whole.count(4)).map(({ id }) => id)).toEqual(ids);
    for (const stream of [resumed, byQuery, whole]) stream.close();
  });

  test('400 for an invalid Last-Event-ID, 404 for an endpoint of another team or a missing one, 401 without credentials', async () => {
    const endpoint = await ada.createEndpoint();
    const theirs = await bob.createEndpoint();
    expect((await ada.call('GET', `/api/endpoints/${endpoint.id}/stream?lastEventId=evt_x`)).status).toBe(400);
    const foreign = await ada.call('GET', `/api/endpoints/${theirs.id}/stream`);
    const missing = await ada.call('GET', '/api/endpoints/ep_nothing/stream');
    expect([foreign.status, await foreign.text()]).toEqual([missing.status, await missing.text()]);
    expect(foreign.status).toBe(404);
    expect((await server.fetch(`/api/endpoints/${endpoint.id}/stream`)).status).toBe(401);
  });

  test('a client that disconnects frees its place', async () => {
    await eventually(() => openStreams() === 0);
    const stream = await follow(await ada.createEndpoint());
    expect(openStreams()).toBe(1);
    stream.close();
    await eventually(() => openStreams() === 0);
  });

  test('a client that closes its half of the connection frees its place at once', async () => {
    const { id } = await ada.createEndpoint();
    const request = `GET /api/endpoints/${id}/stream HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${ada.key}\r\n\r\n`;
    for (const behind of ['', 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n']) {
      const socket = connect({ port: Number(new URL(origin).port), host: '127.0.0.1', allowHalfOpen: true });
      socket
        .on('error', () => {})
        .resume()
        .write(request + behind);
      await eventually(() => openStreams() === 1);
      socket.end();
      await eventually(() => openStreams() === 0);
      await eventually(() => socket.destroyed);
    }
  });

  test('429 for the 21st stream of an account; another account can still open one', async () => {
    const endpoint = await ada.createEndpoint();
    const streams = await Promise.all(Array.from({ length: 20 }, () => follow(endpoint)));
    const refused = await ada.call('GET', `/api/endpoints/${endpoint.id}/stream`);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5']);
    const theirs = await readSse(`${origin}/api/endpoints/${(await bob.createEndpoint()).id}/stream`, {
      authorization: `Bearer ${bob.key}`,
    });
    expect(theirs.status).toBe(200);
    for (const stream of [theirs, ...streams]) stream.close();
    await eventually(() => openStreams() === 0);
    const again = await follow(endpoint);
    expect(again.status).toBe(200);
    again.close();
  });

  test('ends when the endpoint is deleted', async () => {
    const endpoint = await ada.createEndpoint();
    const stream = await follow(endpoint);
    await ada.json(200, 'DELETE', `/api/endpoints/${endpoint.id}`);
    await eventually(() => stream.ended() === 'ended');
  });

  test('ends when the key is revoked', async () => {
    const endpoint = await ada.createEndpoint();
    const { id, key } = await ada.json<{ id: string; key: string }>(201, 'POST', '/api/keys', { name: 'viewer' });
    const stream = await follow(endpoint, { authorization: `Bearer ${key}` });
    expect(stream.status).toBe(200);
    await ada.json(200, 'DELETE', `/api/keys/${id}`);
    await eventually(() => stream.ended() === 'ended');
  });

  test('ends when the session is signed out', async () => {
    const password = 'a good long password';
    const cleo = await server.createAccount('cleo@example.com', { password });
    const endpoint = await cleo.createEndpoint();
    const browser = openBrowser(server);
    await browser.json(201, 'POST', '/api/session', { email: cleo.email, password });
    const stream = await readSse(`${origin}/api/endpoints/${endpoint.id}/stream`, { cookie: browser.cookie });
    const id = await server.deliver(endpoint);
    expect((await stream.count(1))[0]?.id).toBe(id);
    await browser.json(200, 'DELETE', '/api/session');
    await eventually(() => stream.ended() === 'ended');
  });

  test('ends when the server shuts down, and no other stream opens after that', async () => {
    const other = await openTestServer();
    const dora = await other.createAccount('dora@example.com');
    const endpoint = await dora.createEndpoint();
    const address = `${await other.listen()}/api/endpoints/${endpoint.id}/stream`;
    const stream = await readSse(address, { authorization: `Bearer ${dora.key}` });
    other.services.notifications.shutDown();
    await eventually(() => stream.ended() === 'ended');
    expect((await dora.call('GET', new URL(address).pathname)).status).toBe(503);
    await other.close();
  });
});
