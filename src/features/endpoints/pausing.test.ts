/* A paused endpoint refuses deliveries so that senders try again, and stores nothing. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { holdClock } from '../../testing/clock.ts';
import { exchange } from '../../testing/raw-http.ts';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';
import type { Endpoint } from './model.ts';

const clock = holdClock();
let server: TestServer;
let ada: TestAccount;
beforeAll(async () => {
  server = await openTestServer({ clock });
  ada = await server.createAccount('ada@example.com');
});
afterAll(() => server.close());

const pause = (id: string, paused: boolean) => ada.json(200, 'PATCH', `/api/endpoints/${id}`, { paused });
const read = (id: string) => ada.json<Endpoint>(200, 'GET', `/api/endpoints/${id}`);
const send = async (url: string, init: RequestInit = {}) =>
  fetch(`${await server.listen()}${new URL(url).pathname}`, { method: 'POST', body: '{}', ...init });

describe('PATCH /api/endpoints/{id} with paused', () => {
  test('refuses deliveries with 503 and Retry-After, counts them, and takes them again when it ends', async () => {
    const { id, url } = await ada.createEndpoint();
    await server.deliver({ url });
    expect(await pause(id, true)).toEqual({ ok: true, name: 'inbox', paused: true });
    const pausedAt = clock.now();
    for (const suffix of ['', '/deep']) {
      const refused = await send(url + suffix);
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '60']);
      expect(await refused.json()).toEqual({ error: expect.stringContaining('paused') });
    }
    clock.advance(5000);
    await pause(id, true);
    expect(await read(id)).toMatchObject({ eventCount: 1, paused: true, pausedAt, refusedWhilePaused: 2 });
    await pause(id, false);
    await server.deliver({ url });
    expect(await read(id)).toMatchObject({ eventCount: 2, paused: false, pausedAt: null, refusedWhilePaused: null });
    await pause(id, true);
    expect(await read(id)).toMatchObject({ refusedWhilePaused: 0 });
  });

  test('a large, a chunked and a handshake request are refused too, and nothing of them is stored', async () => {
    const { id, url } = await ada.createEndpoint();
    await pause(id, true);
    const path = new URL(url).pathname;
    const origin = await server.listen();
    for (const head of [
      'Content-Length: 300000',
      'Transfer-Encoding: chunked',
      'Expect: 100-continue\r\nContent-Length: 5',
    ])
      expect(await exchange(origin, `POST ${path} HTTP/1.1\r\nHost: x\r\n${head}\r\n\r\n`)).toMatch(
        /^HTTP\/1\.1 503 .*\r\nretry-after: 60\r\n/s,
      );
    // Slack's check of a URL: with an answer, it would believe that deliveries arrive.
    const handshake = await send(url, { body: '{"type":"url_verification","challenge":"c","token":"t"}' });
    expect(handshake.status).toBe(503);
    expect(await read(id)).toMatchObject({ eventCount: 0, refusedWhilePaused: 4 });
  });

  test('other endpoints go on, and the earlier URL of a paused one is refused as well', async () => {
    const [paused, other] = [await ada.createEndpoint(), await ada.createEndpoint()];
    const rotated = await ada.json<Endpoint>(200, 'POST', `/api/endpoints/${paused.id}/rotate`, {});
    await pause(paused.id, true);
    const statuses = await Promise.all([paused, rotated, other].map(async ({ url }) => (await send(url)).status));
    expect(statuses).toEqual([503, 503, 200]);
    await ada.json(200, 'DELETE', `/api/endpoints/${paused.id}`);
    expect((await send(rotated.url)).status).toBe(404);
  });

  test('400 for anything but true and false', async () => {
    const { id } = await ada.createEndpoint();
    for (const paused of ['true', 1, null]) await ada.json(400, 'PATCH', `/api/endpoints/${id}`, { paused });
    expect(await read(id)).toMatchObject({ paused: false });
  });
});
