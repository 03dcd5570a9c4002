/* MCP Events of connected apps: what they need, and what happens when their access ends. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { systemClock } from '../../core/clock.ts';
import { answerOf, eventsRequest, readStream } from '../../testing/mcp-events.ts';
import { type OAuthHarness, openOAuthHarness, ownPage, type SignedInAccount } from '../../testing/oauth-harness.ts';

let harness: OAuthHarness;
let ada: SignedInAccount;
let aheadMs = 0;
beforeAll(async () => {
  // Time goes on by itself, because streams wait.
  const now = () => systemClock.now() + aheadMs;
  harness = await openOAuthHarness({ clock: { ...systemClock, now, advance: () => {}, setNow: () => {} } });
  ada = await harness.createAccount('ada@example.com');
});
afterAll(() => harness.close());

const request = (token: string, method: string, params: object) =>
  harness.fetch('/mcp', eventsRequest(token, method, params));
const poll = async (token: string, params: object) =>
  (await answerOf(request(token, 'events/poll', params))) as { result?: object; error?: { code: number } };
const connect = async () => {
  const { access_token: token } = await harness.connect(await harness.register(), ada);
  const { apps } = (await (await harness.use(token, '/api/apps')).json()) as { apps: { id: string }[] };
  return { token, id: apps.at(-1)?.id ?? '' };
};
const watching = (endpoint: string) => ({ name: 'webhook.received', arguments: { endpoint } });

test('an app polls and streams both event types', async () => {
  const endpoint = await ada.createEndpoint('of ada');
  const { token } = await connect();
  const cursors: string[] = [];
  for (const params of [watching('of ada'), { name: 'alert.changed' }]) {
    const { result } = await poll(token, params);
    expect(result).toMatchObject({ events: [], truncated: false });
    cursors.push((result as { cursor: string }).cursor);
  }
  const stream = readStream(await request(token, 'events/stream', { ...watching('of ada'), cursor: cursors[0] }));
  expect(await stream.names(1)).toEqual(['active']);
  const id = await harness.server.deliver(endpoint);
  expect((await stream.next())?.params?.eventId).toBe(id);
  await stream.close();
});

test('a stream ends with its result only, when the access token expires', async () => {
  const { token } = await connect();
  const stream = readStream(await request(token, 'events/stream', { name: 'alert.changed' }));
  expect(await stream.names(1)).toEqual(['active']);
  aheadMs += 3_600_000;
  expect(await stream.names(2)).toEqual(['result', 'end']);
});

test('another team’s app finds nothing', async () => {
  await ada.createEndpoint('private');
  const bob = await harness.createAccount('bob@example.com');
  const { access_token: token } = await harness.connect(await harness.register(), bob);
  expect((await poll(token, watching('private'))).error?.code).toBe(-32011);
});

describe('when an app is disconnected', () => {
  test('its streams end at once, its polls are refused, and so are those of its keys', async () => {
    const endpoint = await ada.createEndpoint('ending');
    const { token, id } = await connect();
    const made = await harness.use(token, '/api/keys', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'of the app' }),
    });
    const { key } = (await made.json()) as { key: string };
    const streams = [];
    for (const by of [token, key])
      for (const params of [watching('ending'), { name: 'alert.changed' }])
        streams.push(readStream(await request(by, 'events/stream', params)));
    for (const stream of streams) expect(await stream.names(1)).toEqual(['active']);
    const startedAt = performance.now();
    const headers = { cookie: ada.cookie, 'content-type': 'application/json', ...ownPage };
    expect((await harness.fetch(`/api/apps/${id}`, { method: 'DELETE', headers })).status).toBe(200);
    await harness.server.deliver(endpoint);
    for (const stream of streams) {
      expect(await stream.next()).toMatchObject({
        method: 'notifications/events/terminated',
        params: { error: { code: -32012, data: { reason: expect.any(String) } } },
      });
      expect(await stream.names(2)).toEqual(['result', 'end']);
    }
    expect(performance.now() - startedAt).toBeLessThan(5000);
    for (const by of [token, key]) expect((await request(by, 'events/poll', watching('ending'))).status).toBe(401);
  });
});
