import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type Caller, type House, openHouse } from '../testing/house.ts';
import { eventually } from '../testing/poll.ts';
import { exchange } from '../testing/wire.ts';
import { createBridge } from './bridge.ts';
import { createListener } from './listener.ts';

let house: House;
let ada: Caller;
let base: string;

beforeAll(async () => {
  house = await openHouse();
  ada = await house.person();
  base = await house.listen();
});
afterAll(() => house.close());

const post = (path: string, body: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(base + path, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body });

// In the JSON's own words, because it has to be parsed somewhere to be found wrong.
const nested = (depth: number, open: string, close: string): string =>
  `{"email":"a@example.com","password":${open.repeat(depth)}1${close.repeat(depth)}}`;

test.each([
  ['objects', 20_000, '{"a":', '}'],
  ['lists', 100_000, '[', ']'],
])(
  'deeply nested %s are refused without being walked through, after the credentials',
  async (_, depth, open, close) => {
    const body = nested(depth, open, close);
    const signIn = await post('/api/session', body);
    expect([signIn.status, await signIn.json()]).toEqual([400, { error: 'the body is nested too deeply' }]);
    expect((await post('/api/endpoints', body)).status).toBe(401);
    expect((await post('/api/endpoints', body, { authorization: `Bearer ${ada.key}` })).status).toBe(400);
    expect((await post('/register', body)).status).toBe(400);
    expect(house.lines).toEqual([]);
  },
);

test('brackets inside texts are no nesting', async () => {
  const response = await post('/api/endpoints', JSON.stringify({ name: '['.repeat(90) }), {
    authorization: `Bearer ${ada.key}`,
  });
  expect(response.status).toBe(201);
});

test('what an account sees is kept by no cache, however the target is spelled', async () => {
  for (const target of ['/api/me', '/style.css/../api/me', '/style.css/%2e%2e/api/me']) {
    const answer = await exchange(
      base,
      `GET ${target} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${ada.key}\r\nConnection: close\r\n\r\n`,
    );
    expect(answer).toContain('200 OK');
    expect(answer.toLowerCase()).toContain('cache-control: no-store');
  }
});

test('503 when the bodies of all requests together take more than there is; what was refused or done makes room', async () => {
  let free = 1000;
  const budget = {
    take: (bytes: number) => {
      if (bytes > free) return false;
      free -= bytes;
      return true;
    },
    give: (bytes: number) => {
      free += bytes;
    },
  };
  const answer = Promise.withResolvers<Response>();
  const handler = createBridge({
    fetch: () => answer.promise,
    clientAddress: () => '',
    budget,
    newRequestId: () => '',
    onError: () => {},
  });
  const listener = createListener({ handler, onError: () => {} });
  await listener.listen(0, '127.0.0.1');
  const send = () => fetch(`http://127.0.0.1:${listener.port()}/`, { method: 'POST', body: 'x'.repeat(600) });
  const first = send();
  await eventually(() => free === 400);
  const second = await send();
  expect([second.status, second.headers.get('retry-after')]).toEqual([503, '1']);
  expect(Object.keys((await second.json()) as object)).toEqual(['error']);
  expect(free).toBe(400);
  answer.resolve(new Response('done'));
  expect(await (await first).text()).toBe('done');
  expect(free).toBe(1000);
  await listener.close(0);
});
