/* The response when storage cannot take a delivery, and that it recovers by itself. */

import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { eventually } from '../testing/poll.ts';
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

describe.skipIf(isRemote)('a full database', () => {
  test('gets 503 with Retry-After, loses nothing that was acknowledged, and works again when there is room', async () => {
    const kept = ((await (await deliver('kept')).json()) as { id: string }).id;
    expect(await count()).toBe(1);
    await pragma(`max_page_count = ${(await pragma('page_count')) + 2}`);
    const acknowledged: string[] = [];
    // A few are acknowledged from the journal before it is known that they cannot become rows.
    const refused = await eventually(async () => {
      const answer = await deliver(noise(200_000));
      if (answer.status !== 200) return answer;
      acknowledged.push(((await answer.json()) as { id: string }).id);
      return undefined;
    });
    expect(refused.status).toBe(503);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await refused.json()).toEqual({ error: expect.any(String) });
    expect(acknowledged.length).toBeGreaterThan(0);
    const logged = server.lines.filter(line => line.level === 'error').map(line => line.message);
    expect(logged.join()).toContain('no more are accepted until it works');
    expect(await server.services.readiness.problem()).toBeString();

    // History stays readable meanwhile, and what is not yet says so.
    expect((await ada.call('GET', `/api/events/${kept}`)).status).toBe(200);
    expect(await count()).toBe(1);
    expect((await ada.call('GET', `/api/events/${acknowledged[0]}`)).status).toBe(503);

    await pragma('max_page_count = 1073741823');
    await eventually(async () => (await deliver('after')).status === 200);
    for (const id of acknowledged)
      expect((await ada.json<{ size: number }>(200, 'GET', `/api/events/${id}`)).size).toBe(200_000);
    expect(await count()).toBe(2 + acknowledged.length);
  });
});

describe.skipIf(isRemote)('a row that the database does not take', () => {
  test('holds up no other delivery and is kept in a file', async () => {
    await server.services.database.client.execute(
      "CREATE TRIGGER no_bad BEFORE INSERT ON events WHEN NEW.method = 'PURGE' BEGIN SELECT RAISE(ABORT, 'bad'); END",
    );
    let total = 0;
    for (const size of [2, 17, 64, 200]) {
      const bad = Math.floor(size / 2);
      const deliveries = Array.from({ length: size }, (_, i) =>
        fetch(address, { method: i === bad ? 'PURGE' : 'POST', body: String(i) }),
      );
      for (const answer of await Promise.all(deliveries)) expect(answer.status).toBe(200);
      total += size - 1;
      expect(await count()).toBe(total);
    }
    const line = server.lines.find(({ message }) => message.includes('kept in a file'));
    const refused = line?.fields['deliveries'] as { path: string }[] | undefined;
    const path = refused?.[0]?.path ?? '';
    const { delivery } = await Bun.file(path).json();
    expect([delivery.method, atob(delivery.body)]).toEqual(['PURGE', '1']);
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
