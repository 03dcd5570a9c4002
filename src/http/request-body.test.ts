/* Incomplete bodies of requests to the app: other clients are still served, and the connection is closed soon. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { createApp } from '../app.ts';
import { createMemoryBudget, type MemoryBudget } from '../core/concurrency/memory-budget.ts';
import { eventually } from '../testing/poll.ts';
import { exchange, openWire, type Wire } from '../testing/raw-http.ts';
import { openTestServer, type TestServer } from '../testing/test-server.ts';
import { createFetchAdapter } from './fetch-adapter.ts';
import { createListener } from './listener/listener.ts';
import { createBodyBudgets } from './request-body.ts';

const kilobyte = 1 << 10;
const [attacker, other] = ['127.0.0.1', '127.0.0.2'];

let server: TestServer;
beforeAll(async () => {
  server = await openTestServer();
  await server.createAccount('owner@example.com', { password: 'correct horse battery' });
});
afterAll(() => server.close());

const wires: Wire[] = [];
let close = (): Promise<void> => Promise.resolve();
afterEach(async () => {
  for (const wire of wires.splice(0)) wire.destroy();
  await close();
});

async function open({ budgets = createBodyBudgets(), anonymousBodyMs = 10_000 } = {}) {
  const held = { anonymous: 0, authenticated: 0 };
  const count = (name: keyof typeof held, budget: MemoryBudget): MemoryBudget => ({
    take: (bytes, holders) => {
      const isTaken = budget.take(bytes, holders);
      if (isTaken) held[name] += bytes;
      return isTaken;
    },
    give: (bytes, holders) => {
      held[name] -= bytes;
      budget.give(bytes, holders);
    },
  });
  const bridge = createFetchAdapter({
    fetch: createApp(server.services).fetch,
    clientAddress: ({ peer }) => peer,
    budgets: {
      anonymous: count('anonymous', budgets.anonymous),
      authenticated: count('authenticated', budgets.authenticated),
    },
    anonymousBodyTimeoutMs: anonymousBodyMs,
    newRequestId: () => 'test',
    onError: error => {
      throw error;
    },
  });
  const listener = createListener({
    handler: bridge,
    onError: error => {
      throw error;
    },
  });
  close = () => listener.close(0);
  await listener.listen(0, '127.0.0.1');
  const origin = `http://127.0.0.1:${listener.port()}`;
  const head = (path: string, type: string, length: number, fields = ''): string =>
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\n${fields}\r\n`;
  const post = async (from: string, path: string, type: string, body: string): Promise<string> =>
    (await exchange(origin, head(path, type, body.length) + body, from)).slice(9, 12);
  return {
    held,
    /** Announces `declared` bytes, sends `sent` of them, and stops. */
    stall: async (
      from: string,
      [path, type]: readonly [string, string],
      { declared, sent, fields = '' }: { declared: number; sent: number; fields?: string },
    ): Promise<Wire> => {
      const wire = await openWire(origin, from);
      wires.push(wire);
      wire.write(head(path, type, declared, fields) + 'x'.repeat(sent));
      return wire;
    },
    signIn: (from: string): Promise<string> =>
      post(from, ...session, '{"email":"owner@example.com","password":"correct horse battery"}'),
    askForToken: (from: string): Promise<string> => post(from, ...token, 'grant_type=nonsense'),
    register: (from: string): Promise<string> =>
      post(from, ...registration, '{"redirect_uris":["https://example.com/back"]}'),
  };
}

const json = 'application/json';
const session = ['/api/session', json] as const;
const token = ['/token', 'application/x-www-form-urlencoded'] as const;
const registration = ['/register', json] as const;
const anonymous = [session, token, registration];

/** All of it is held although not all of it came. */
const half = { declared: 16 * kilobyte, sent: 9 * kilobyte };

describe('half-sent bodies without credentials', () => {
  test('70 of them from one address do not keep others from signing in or from OAuth', async () => {
    const { held, stall, signIn, askForToken, register } = await open();
    for (let i = 0; i < 70; i++) await stall(attacker, anonymous[i % 3] ?? session, half);
    await eventually(() => held.anonymous === 70 * half.declared);
    for (const from of [other, attacker])
      expect([await signIn(from), await askForToken(from), await register(from)]).toEqual(['201', '400', '201']);
  });

  test('of one address do not use up the share of other addresses', async () => {
    // Half of it is the attacker's: ten bodies.
    const budgets = { ...createBodyBudgets(), anonymous: createMemoryBudget({ totalBytes: 20 * half.declared }) };
    const { held, stall, signIn } = await open({ budgets });
    for (let i = 0; i < 30; i++) await stall(attacker, anonymous[i % 3] ?? session, half);
    await eventually(() => held.anonymous >= 10 * half.declared);
    expect([await signIn(attacker), await signIn(other)]).toEqual(['503', '201']);
  });

  test('get 408 after their time limit, and release their memory', async () => {
    const { held, stall, signIn } = await open({ anonymousBodyMs: 200 });
    for (const to of anonymous) {
      const wire = await stall(attacker, to, half);
      await wire.closed;
      expect(wire.received()).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
      expect(wire.received()).toMatch(/\r\nconnection: close\r\n/i);
      expect(wire.received()).toContain('the request body did not arrive in time');
      expect(wire.received().includes('"error":"invalid_request"')).toBe(to !== session);
    }
    expect([held.anonymous, await signIn(attacker)]).toEqual([0, '201']);
  });

  test('get 413 for more than 16 KiB, before any of it has arrived', async () => {
    const { held, stall } = await open();
    for (const to of anonymous) {
      const wire = await stall(attacker, to, { declared: 16 * kilobyte + 1, sent: 0 });
      await wire.until(/^HTTP\/1\.1 413 /);
    }
    expect(held.anonymous).toBe(0);
  });
});

describe('half-sent bodies with credentials', () => {
  test('of one account keep out neither other accounts nor anonymous requests', async () => {
    const [ada, bob] = [await server.createAccount('ada@example.com'), await server.createAccount('bob@example.com')];
    const budgets = { ...createBodyBudgets(), authenticated: createMemoryBudget({ totalBytes: 1024 * kilobyte }) };
    // Their time is not limited like that of the others.
    const { held, stall, signIn } = await open({ budgets, anonymousBodyMs: 30 });
    const create = (key: string, declared: number, sent: number) =>
      stall(attacker, ['/api/endpoints', json], { declared, sent, fields: `Authorization: Bearer ${key}\r\n` });
    for (let i = 0; i < 8; i++) await create(ada.key, 250 * kilobyte, 200 * kilobyte);
    await eventually(() => held.authenticated === 500 * kilobyte);
    expect(await signIn(attacker)).toBe('201');
    const name = '{"name":"b"}';
    const answer = (wire: Wire) => wire.until(/^HTTP\/1\.1 \d+ /);
    const [hers, his] = [await create(ada.key, 250 * kilobyte, 200 * kilobyte), await create(bob.key, name.length, 0)];
    his.write(name);
    expect([await answer(hers), await answer(his)]).toEqual([
      expect.stringContaining('HTTP/1.1 503 '),
      expect.stringContaining('HTTP/1.1 201 '),
    ]);
    expect(held.authenticated).toBe(500 * kilobyte);
  });
});
