/* POST /api/endpoints/{id}/attempts */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { callTool } from '../../testing/mcp.ts';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';

let server: TestServer;
let ada: TestAccount;
let endpoint: { id: string; url: string };
beforeAll(async () => {
  server = await openTestServer();
  ada = await server.createAccount('ada@example.com');
  endpoint = await ada.createEndpoint();
});
afterAll(() => server.close());

const destination = 'http://localhost:3000/hook';
const response = {
  headers: [['Set-Cookie', 'a=b']] as [string, string][],
  body: 'AP8=',
  bodyEncoding: 'base64',
  truncated: false,
};
const report = (status: number, attempts: object[], where = endpoint.id) =>
  ada.json<{ accepted: number }>(status, 'POST', `/api/endpoints/${where}/attempts`, { attempts });
const replaysOf = async (id: string) =>
  (await ada.json<{ replays: object[] }>(200, 'GET', `/api/events/${id}`)).replays;

test('attempts stand in the replays of their events', async () => {
  const [one, two] = [await server.deliver(endpoint), await server.deliver(endpoint)];
  const attempt = (eventId: string, status: number | null, more: object = {}) => ({
    eventId,
    destination,
    status,
    durationMs: 7,
    ...more,
  });
  expect(
    await report(200, [
      attempt(one, 500),
      attempt(one, 204, { response }),
      attempt(two, null, { response: null, signed: true, edited: true }),
    ]),
  ).toEqual({ accepted: 3 });
  expect(await replaysOf(one)).toMatchObject([
    {
      destination,
      status: 204,
      ok: true,
      durationMs: 7,
      via: 'listen',
      signed: false,
      edited: false,
      replayedBy: 'ada@example.com',
      response: { ...response, headers: [['Set-Cookie', '[redacted]']] },
    },
    { status: 500, ok: false, response: null },
  ]);
  expect(await replaysOf(two)).toMatchObject([{ status: null, ok: false, response: null, signed: true, edited: true }]);
});

test('events of other endpoints and teams, and such that are gone, are not recorded and hold up nothing', async () => {
  const bob = await server.createAccount('bob@example.com');
  const other = await ada.createEndpoint('other');
  const foreign = await bob.createEndpoint();
  const [own, sibling, strange] = [
    await server.deliver(endpoint),
    await server.deliver(other),
    await server.deliver(foreign),
  ];
  const attempts = [sibling, strange, 'evt_0000000000000000000000', '../x', own].map(eventId => ({
    eventId,
    destination,
    status: 200,
    durationMs: 1,
  }));
  expect(await report(200, attempts)).toEqual({ accepted: 1 });
  expect([(await replaysOf(own)).length, (await replaysOf(sibling)).length]).toEqual([1, 0]);
  expect((await bob.json<{ replays: object[] }>(200, 'GET', `/api/events/${strange}`)).replays).toEqual([]);
  await report(404, attempts, foreign.id);
});

test('a hundred at most, well-formed, one request to the rate limit', async () => {
  const limited = await openTestServer({ env: { HOOKTAPE_RATE_LIMIT: '3' } });
  const cleo = await limited.createAccount();
  const own = await cleo.createEndpoint();
  const id = await limited.deliver(own);
  const attempt = { eventId: id, destination, status: 200, durationMs: 1 };
  const path = `/api/endpoints/${own.id}/attempts`;
  expect(await cleo.json(200, 'POST', path, { attempts: Array(100).fill(attempt) })).toEqual({ accepted: 100 });
  await cleo.json(400, 'POST', path, { attempts: Array(101).fill(attempt) });
  await cleo.json(429, 'POST', path, { attempts: [attempt] });
  await limited.close();
  for (const wrong of [
    { destination: 'file:///etc/passwd' },
    { destination: 'x' },
    { status: 1000 },
    { durationMs: -1 },
    { via: 'api' },
    { response: { ...response, body: '€' } },
    { response: {} },
  ])
    await report(400, [{ ...attempt, ...wrong }]);
  await report(400, []);
});

test('what a listener reports does not open the destination to agents', async () => {
  const id = await server.deliver(endpoint);
  expect(await report(200, [{ eventId: id, destination, status: 200, durationMs: 1 }])).toEqual({ accepted: 1 });
  const result = await callTool(server.fetch, ada.key, 'replay_event', { eventId: id, url: destination });
  expect([result.isError, result.content[0]?.text]).toEqual([true, expect.stringContaining('person')]);
});
