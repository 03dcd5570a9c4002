/* Hooktape on a libSQL server: one process, and two that share it. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { eventually } from '../poll.ts';
import { openTestServer, type TestServer } from '../test-server.ts';
import { thrownBy } from '../thrown-by.ts';
import { type LibsqlServer, noLibsqlServer, startLibsqlServer } from './libsql-server.ts';

const secret = 'the same secret for every process of an installation';
type Event = { id: string; payloadRaw: string; path: string };

describe.skipIf(noLibsqlServer !== undefined)('on a libSQL server', () => {
  let libsql: LibsqlServer;
  let one: TestServer;
  let two: TestServer;
  const open = (env: Record<string, string> = {}) =>
    openTestServer({ env: { HOOKTAPE_DATABASE_URL: libsql.url, HOOKTAPE_SECRET: secret, ...env } });
  beforeAll(async () => {
    libsql = await startLibsqlServer();
    one = await open();
    two = await open();
  });
  afterAll(async () => {
    await one?.close();
    await two?.close();
    await libsql?.remove();
  });
  /** Sends requests of an account to the other process. */
  const callOn =
    (server: TestServer, { key }: { key: string }) =>
    async (method: string, path: string) =>
      server.fetch(path, { method, headers: { authorization: `Bearer ${key}` } });

  test('captures, lists, shows and counts events, byte for byte', async () => {
    const owner = await one.createAccount('core@example.com');
    const endpoint = await owner.createEndpoint();
    const body = new Uint8Array([0xff, 0, 0xfe, 10, ...Buffer.from('{"é":1}')]);
    const id = await one.deliver(endpoint, body, { suffix: '/deep?a=%00' });
    const found = await owner.json<Event & { query: string }>(200, 'GET', `/api/events/${id}`);
    expect(found).toMatchObject({ id, path: '/deep', query: 'a=%00' });
    expect(Buffer.from(found.payloadRaw, 'base64')).toEqual(Buffer.from(body));
    const raw = await owner.call('GET', `/api/events/${id}/raw`);
    expect(new Uint8Array(await raw.arrayBuffer())).toEqual(body);
    for (let i = 0; i < 3; i++) await one.deliver(endpoint, `{"n":${i}}`);
    const page = await owner.json<{ events: Event[]; nextCursor: string }>(
      200,
      'GET',
      `/api/events?endpointId=${endpoint.id}&limit=3`,
    );
    expect(page.events).toHaveLength(3);
    expect(page.nextCursor).toBeString();
    expect(await owner.json(200, 'GET', `/api/endpoints/${endpoint.id}`)).toMatchObject({ eventCount: 4 });
  });

  test('one process captures, the other reads; ids stay unique while both write', async () => {
    const owner = await one.createAccount('both@example.com');
    const endpoint = await owner.createEndpoint();
    const send = (server: TestServer, n: number) => server.deliver(endpoint, `{"n":${n}}`, { suffix: `/${n}` });
    const ids = await Promise.all(Array.from({ length: 200 }, (_, n) => send(n % 2 ? one : two, n)));
    expect(new Set(ids).size).toBe(200);
    const call = callOn(two, owner);
    for (const n of [0, 1, 98, 199]) {
      const event = (await (await call('GET', `/api/events/${ids[n]}`)).json()) as Event;
      expect(event).toMatchObject({ id: ids[n], path: `/${n}`, payloadRaw: `{"n":${n}}` });
    }
    expect(await (await call('GET', `/api/endpoints/${endpoint.id}`)).json()).toMatchObject({ eventCount: 200 });
  });

  test('an email address that the other process has registered is a conflict', async () => {
    await one.createAccount('taken@example.com');
    expect(await thrownBy(two.services.account.create({ email: 'Taken@example.com', plan: 'free' }))).toThrow(
      expect.objectContaining({
        code: 'conflict',
      }),
    );
  });

  test('half a surrogate pair in a request is answered as by an embedded database', async () => {
    const response = await one.fetch('/api/session', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"email":"\\ud800","password":"x"}',
    });
    expect(response.status).toBe(401);
  });

  test('a key revoked on one process is refused on the other at once', async () => {
    const owner = await one.createAccount('keys@example.com');
    const made = await owner.json<{ id: string; key: string }>(201, 'POST', '/api/keys', { name: 'other' });
    expect((await callOn(two, made)('GET', '/api/me')).status).toBe(200);
    await owner.json(200, 'DELETE', `/api/keys/${made.id}`);
    expect((await callOn(two, made)('GET', '/api/me')).status).toBe(401);
  });

  test('an endpoint created on one process receives on the other at once, and stops within seconds after it is deleted', async () => {
    const owner = await one.createAccount('endpoints@example.com');
    const endpoint = await owner.createEndpoint();
    expect(await two.deliver(endpoint)).toStartWith('evt_');
    await owner.json(200, 'DELETE', `/api/endpoints/${endpoint.id}`);
    await eventually(async () => {
      const address = `${await two.listen()}${new URL(endpoint.url).pathname}`;
      return (await fetch(address, { method: 'POST', body: 'late' })).status === 404;
    }, 3000);
  });

  test('a signing secret registered on one process is used by the other within seconds', async () => {
    const owner = await one.createAccount('secrets@example.com');
    const endpoint = await owner.createEndpoint();
    const signature = new Bun.CryptoHasher('sha256', 'It is a secret').update('{}').digest('hex');
    const id = await one.deliver(endpoint, '{}', {
      headers: {
        'content-type': 'application/json',
        'x-github-event': 'ping',
        'x-hub-signature-256': `sha256=${signature}`,
      },
    });
    await owner.json(201, 'POST', `/api/endpoints/${endpoint.id}/secrets`, {
      platform: 'github',
      secret: 'It is a secret',
    });
    const call = callOn(two, owner);
    await eventually(
      async () =>
        ((await (await call('GET', `/api/events/${id}`)).json()) as { signatureValid: boolean }).signatureValid,
      3000,
    );
  });

  test('a live stream on one process shows events that the other captures', async () => {
    const owner = await one.createAccount('live@example.com');
    const endpoint = await owner.createEndpoint();
    const stream = await callOn(two, owner)('GET', `/api/endpoints/${endpoint.id}/stream`);
    const reader = stream.body?.getReader();
    const id = await one.deliver(endpoint);
    let seen = '';
    while (!seen.includes(id)) {
      const { value, done } = (await reader?.read()) ?? { value: undefined, done: true };
      if (done) break;
      seen += new TextDecoder().decode(value);
    }
    await reader?.cancel();
    expect(seen).toContain(id);
  });

  test('a delivery larger than the largest row of the server gets 413, and concurrent ones are stored', async () => {
    const owner = await one.createAccount('big@example.com');
    const endpoint = await owner.createEndpoint();
    const address = `${await one.listen()}${new URL(endpoint.url).pathname}`;
    const noise = Buffer.concat(Array.from({ length: 128 }, () => crypto.getRandomValues(Buffer.alloc(65_536))));
    const statuses = await Promise.all(
      [noise, noise.subarray(0, 3 << 20), Buffer.from('small')].map(
        async body => (await fetch(address, { method: 'POST', body })).status,
      ),
    );
    expect(statuses).toEqual([413, 200, 200]);
  });

  test('a HOOKTAPE_SECRET that differs from the one of the database is refused', async () => {
    expect(await thrownBy(open({ HOOKTAPE_SECRET: 'a wholly different secret' }))).toThrow('HOOKTAPE_SECRET');
  });
});

describe.skipIf(noLibsqlServer !== undefined)('a libSQL server that is killed', () => {
  test('deliveries get 503 with Retry-After and /readyz fails while it is down; nothing acknowledged is lost or stored twice', async () => {
    const libsql = await startLibsqlServer();
    const server = await openTestServer({ env: { HOOKTAPE_DATABASE_URL: libsql.url, HOOKTAPE_SECRET: secret } });
    try {
      const owner = await server.createAccount();
      const endpoint = await owner.createEndpoint();
      const address = `${await server.listen()}${new URL(endpoint.url).pathname}`;
      const acknowledged = new Map<string, number>();
      const others = new Set<string>();
      let sent = 0;
      let running = true;
      const sender = async () => {
        while (running) {
          const n = sent++;
          const answer = await fetch(`${address}/${n}`, { method: 'POST', body: `{"n":${n}}` });
          const body = (await answer.json()) as { id: string };
          if (answer.status === 200) acknowledged.set(body.id, n);
          else others.add(`${answer.status} ${answer.headers.get('retry-after')}`);
        }
      };
      const senders = Array.from({ length: 8 }, sender);
      for (let round = 0; round < 3; round++) {
        const before = acknowledged.size;
        await eventually(() => acknowledged.size > before + 50);
        await libsql.kill();
        await eventually(() => others.size > 0);
        expect((await fetch(`${await server.listen()}/in/${'0'.repeat(32)}`)).status).toBe(503);
        expect((await owner.call('GET', '/api/me')).status).toBe(503);
        await eventually(async () => (await server.fetch('/readyz')).status === 503);
        await libsql.start();
      }
      const after = acknowledged.size;
      await eventually(() => acknowledged.size > after + 50);
      running = false;
      await Promise.all(senders);
      expect([...others]).toEqual(['503 5']);

      const numberOf = new Map<string, string>();
      let cursor: string | null = '';
      while (cursor !== null) {
        const at: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
        const page: { events: Event[]; nextCursor: string | null } = await owner.json(
          200,
          'GET',
          `/api/events?endpointId=${endpoint.id}&limit=100${at}`,
        );
        for (const { id, path } of page.events) numberOf.set(id, path);
        cursor = page.nextCursor;
      }
      expect(new Set(numberOf.values()).size).toBe(numberOf.size);
      const lost = [...acknowledged].filter(([id, n]) => numberOf.get(id) !== `/${n}`);
      expect(lost).toEqual([]);
      await eventually(async () => (await server.fetch('/readyz')).status === 200);
    } finally {
      await server.close();
      await libsql.remove();
    }
  }, 120_000);
});

describe.skipIf(noLibsqlServer !== undefined)('a libSQL server that requires a token', () => {
  test('accepts only the right HOOKTAPE_DATABASE_AUTH_TOKEN', async () => {
    const libsql = await startLibsqlServer({ auth: true });
    const open = (token?: string) =>
      openTestServer({
        env: {
          HOOKTAPE_DATABASE_URL: libsql.url,
          HOOKTAPE_SECRET: secret,
          ...(token !== undefined && { HOOKTAPE_DATABASE_AUTH_TOKEN: token }),
        },
      });
    try {
      expect(await thrownBy(open())).toThrow('401');
      expect(await thrownBy(open(libsql.tokens.foreign))).toThrow('401');
      const server = await open(libsql.tokens.good);
      const owner = await server.createAccount();
      expect(await server.deliver(await owner.createEndpoint())).toStartWith('evt_');
      await server.close();
    } finally {
      await libsql.remove();
    }
  });
});
