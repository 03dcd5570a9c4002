/* The response when storage cannot take a delivery, and that it recovers by itself. */

import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { openWire } from '../testing/raw-http.ts';
import { isRemote } from '../testing/remote/databases.ts';
import { openTestServer, type TestAccount, type TestServer } from '../testing/test-server.ts';

let server: TestServer;
let ada: TestAccount;
let endpoint: { id: string; url: string };
let address: string;
beforeEach(async () => {
  server = await openTestServer();
  ada = await server.createAccount();
  endpoint = await ada.createEndpoint();
  address = `${await server.listen()}${new URL(endpoint.url).pathname}`;
});
afterEach(() => server.close());

const noise = (bytes: number): Uint8Array<ArrayBuffer> => {
  const body = new Uint8Array(bytes);
  for (let at = 0; at < bytes; at += 65536) crypto.getRandomValues(body.subarray(at, Math.min(bytes, at + 65536)));
  return body;
};
const deliver = (body: Uint8Array<ArrayBuffer> | string) => fetch(address, { method: 'POST', body });
const pragma = async (sql: string): Promise<number> =>
  Number((await server.services.database.client.execute(`PRAGMA ${sql}`)).rows[0]?.[0]);
const count = async () =>
  (await ada.json<{ eventCount: number }>(200, 'GET', `/api/endpoints/${endpoint.id}`)).eventCount;

describe.skipIf(isRemote)('a full disk', () => {
  test('answers 503 with Retry-After, loses no stored event, and recovers when there is space', async () => {
    const kept = ((await (await deliver('kept')).json()) as { id: string }).id;
    await pragma(`max_page_count = ${(await pragma('page_count')) + 2}`);
    const answers = await Promise.all(Array.from({ length: 8 }, () => deliver(noise(200_000))));
    for (const answer of answers) {
      expect(answer.status).toBe(503);
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(await answer.json()).toEqual({ error: expect.any(String) });
    }
    const logged = server.lines.filter(line => line.level === 'error');
    expect(logged.length).toBeGreaterThan(0);
    expect(JSON.stringify(logged.map(line => line.message))).toContain('could not be stored');

    expect((await ada.call('GET', `/api/events/${kept}`)).status).toBe(200);
    expect(await count()).toBe(1);

    await pragma('max_page_count = 1073741823');
    const after = await deliver(noise(200_000));
    expect(after.status).toBe(200);
    const { id } = (await after.json()) as { id: string };
    expect((await ada.json<{ size: number }>(200, 'GET', `/api/events/${id}`)).size).toBe(200_000);
    expect(await count()).toBe(2);
  });
});

describe.skipIf(isRemote)('a row that the database refuses', () => {
  test('fails only its own delivery, whichever deliveries share its batch', async () => {
    await server.services.database.client.execute(
      "CREATE TRIGGER no_bad BEFORE INSERT ON events WHEN NEW.method = 'PURGE' BEGIN SELECT RAISE(ABORT, 'bad'); END",
    );
    for (const size of [2, 17, 64, 200]) {
      const bad = Math.floor(size / 2);
      const deliveries = Array.from({ length: size }, (_, i) =>
        fetch(address, { method: i === bad ? 'PURGE' : 'POST', body: String(i) }),
      );
      const answers = await Promise.all(deliveries);
      expect(answers.flatMap(({ status }, i) => (status === 200 ? [] : [[i, status]]))).toEqual([[bad, 503]]);
    }
    expect(await count()).toBe(1 + 16 + 63 + 199);
  });
});

describe('shutting down', () => {
  test('stores the deliveries accepted before, and refuses later ones with 503', async () => {
    const before = Array.from({ length: 20 }, () => deliver('early'));
    await Promise.all(before);
    await server.services.capture.drain();
    const late = await deliver('late');
    expect([late.status, late.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await count()).toBe(20);
  });
});

describe('Expect: 100-continue', () => {
  const head = (path: string, length: number) =>
    `POST ${path} HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: ${length}\r\n\r\n`;

  test.each([
    ['404 for an unknown address', () => head('/in/unknown', 5), /^HTTP\/1\.1 404 /],
    ['413 for a body that is too large', () => head(new URL(address).pathname, 1e10), /^HTTP\/1\.1 413 /],
    ['401 for the API', () => head('/api/endpoints', 1e10), /^HTTP\/1\.1 401 /],
  ])('%s is sent before 100 Continue', async (_name, request, status) => {
    const wire = await openWire(await server.listen());
    wire.write(request());
    expect(await wire.until(/\}/)).toMatch(status);
    wire.destroy();
  });

  test.each(['ingest', 'API'])('100 Continue is sent once by %s', async where => {
    const body = '{"name":"inbox"}';
    const path = where === 'ingest' ? new URL(address).pathname : '/api/endpoints';
    const wire = await openWire(await server.listen());
    wire.write(head(path, body.length).replace('Expect', `Authorization: Bearer ${ada.key}\r\nExpect`));
    expect(await wire.until(/\r\n\r\n/)).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    wire.write(body);
    const answer = await wire.until(/\}/);
    expect(answer).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 20[01] /);
    wire.destroy();
  });
});
