/* Every request that reads the contents of large events, or searches, waits its turn, and gives it up when its client leaves. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { eventually } from '../testing/poll.ts';
import { openTestServer, type TestAccount, type TestServer } from '../testing/test-server.ts';

const body = JSON.stringify({ a: 'b'.repeat(300_000) });
const where = encodeURIComponent('body.a:*c');
const readsPerAccount = 4;
let server: TestServer;
let base: string;
let ada: TestAccount;
let teamId: string;
let endpoint: { id: string; url: string };
/** With a secret, so that its list has verdicts, which take contents. */
let verified: { id: string; url: string };
let eventId: string;
let key: string;

beforeAll(async () => {
  server = await openTestServer({ env: { HOOKTAPE_REPLAY_ALLOW: '127.0.0.1' } });
  base = await server.listen();
  ada = await server.createAccount('ada@example.com');
  ({ teamId } = await server.services.account.byEmail(ada.email));
  endpoint = await ada.createEndpoint();
  verified = await ada.createEndpoint();
  await ada.json(201, 'POST', `/api/endpoints/${verified.id}/secrets`, { platform: 'github', secret: 'sesame' });
  const headers = {
    'content-type': 'application/json',
    'x-github-event': 'push',
    'x-hub-signature-256': `sha256=${'ab'.repeat(32)}`,
  };
  await server.deliver(verified, body, { headers });
  for (let n = 0; n < 3; n++) eventId = await server.deliver(endpoint, body, { headers });
  const event = await ada.json<{ delivery: { key: string } }>(200, 'GET', `/api/events/${eventId}`);
  key = event.delivery.key;
});
afterAll(() => server.close());

type Request = { method?: string; path: string; body?: object };
const requests: Record<string, () => Request> = {
  'a list with where': () => ({ path: `/api/events?endpointId=${endpoint.id}&where=${where}` }),
  'a list with q': () => ({ path: `/api/events?endpointId=${endpoint.id}&q=bbbc` }),
  'a list with one row per delivery': () => ({
    path: `/api/events?endpointId=${endpoint.id}&group=delivery&where=${where}`,
  }),
  'a list with verdicts': () => ({ path: `/api/events?endpointId=${verified.id}` }),
  'a count': () => ({ path: `/api/endpoints/${endpoint.id}/events/count?where=${where}` }),
  'trying a filter': () => ({
    method: 'POST',
    path: `/api/endpoints/${endpoint.id}/where/test`,
    body: { where: 'body.a:*c' },
  }),
  'deleting what matches': () => ({
    method: 'POST',
    path: `/api/endpoints/${endpoint.id}/events/delete`,
    body: { where: 'body.a:*c' },
  }),
  'a preview of answers': () => ({
    method: 'POST',
    path: `/api/endpoints/${endpoint.id}/answers/preview`,
    body: { rules: [{ when: 'body.a:*c', answer: { status: 500 } }] },
  }),
  'a delivery': () => ({ path: `/api/deliveries/${key}?endpointId=${endpoint.id}` }),
  'an event': () => ({ path: `/api/events/${eventId}` }),
  'a body': () => ({ path: `/api/events/${eventId}/raw` }),
  'an event for an agent': () => ({
    method: 'POST',
    path: '/mcp',
    body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'get_event', arguments: { eventId } } },
  }),
  'a search by an agent': () => ({
    method: 'POST',
    path: '/mcp',
    body: {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'search_events', arguments: { endpointId: endpoint.id, q: 'bbbc' } },
    },
  }),
  'a signature check': () => ({ method: 'POST', path: `/api/events/${eventId}/signature/check`, body: {} }),
  'a feed with where': () => ({ path: `/api/endpoints/${endpoint.id}/feed?where=${where}` }),
  'a feed with contents': () => ({ path: `/api/endpoints/${endpoint.id}/feed?content=full` }),
  'a dry run of a replay': () => ({
    method: 'POST',
    path: `/api/events/${eventId}/replay`,
    body: { url: 'http://127.0.0.1:9/', dryRun: true },
  }),
  'a dry run of a replay job': () => ({
    method: 'POST',
    path: '/api/replay-jobs',
    body: { endpointId: endpoint.id, dest: 'http://127.0.0.1:9/', where: 'body.a:*c', dryRun: true },
  }),
};

const send = ({ method = 'GET', path, body: given }: Request, signal?: AbortSignal): Promise<Response> =>
  fetch(base + path, {
    method,
    headers: {
      authorization: `Bearer ${ada.key}`,
      ...(given && { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }),
    },
    ...(given && { body: JSON.stringify(given) }),
    ...(signal && { signal }),
  });

let giveTurns = async (): Promise<void> => {};
afterEach(() => giveTurns());

/** All turns of ada are taken until `giveTurns` is called. */
function takeTurns(): void {
  let end = (): void => {};
  const ended = new Promise<void>(resolve => {
    end = resolve;
  });
  const { contentReads } = server.services;
  const reader = { accountId: ada.accountId, teamId };
  const all = Promise.all(Array.from({ length: readsPerAccount }, () => contentReads.run(reader, () => ended)));
  giveTurns = async () => {
    end();
    await all;
  };
}

describe.each(Object.entries(requests))('%s', (_, request) => {
  test('waits while the account has four other reads, and leaves the line with its client', async () => {
    const { contentReads } = server.services;
    takeTurns();
    const gone = new AbortController();
    const left = send(request(), gone.signal).then(
      ({ status }) => status,
      () => 'gone',
    );
    await eventually(() => contentReads.waiting(ada.accountId) === 1);
    gone.abort();
    expect(await left).toBe('gone');
    await eventually(() => contentReads.waiting(ada.accountId) === 0);
    expect(server.lines.filter(({ level }) => level === 'error')).toEqual([]);

    const answer = send(request());
    await eventually(() => contentReads.waiting(ada.accountId) === 1);
    await giveTurns();
    const response = await answer;
    expect([response.status, (await response.text()).includes('"isError":true')]).toEqual([200, false]);
    await eventually(() => contentReads.running() === 0 && contentReads.heldBytes() === 0);
  });
});

test('small events are read without waiting', async () => {
  const small = await server.deliver(await ada.createEndpoint(), 'small');
  takeTurns();
  expect((await send({ path: `/api/events/${small}` })).status).toBe(200);
});
