/* Which events an export contains: long bodies, many events of one moment, and nothing outside the window. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { holdClock } from '../../testing/clock.ts';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';

const clock = holdClock();
const day = 86_400_000;
let server: TestServer;
let ada: TestAccount;

beforeAll(async () => {
  server = await openTestServer({ clock, env: { HOOKTAPE_PRO_RETENTION: '2d' } });
  ada = await server.createAccount('ada@example.com');
});
afterAll(() => server.close());

type Event = { id: string; payloadRaw: string; payloadEncoding: string };
const eventsOf = async ({ id }: { id: string }) =>
  (await ada.json<{ events: Event[] }>(200, 'GET', `/api/endpoints/${id}/export`)).events;
const random = (bytes: number): Buffer => {
  const all = Buffer.alloc(bytes);
  for (let i = 0; i < bytes; i += 65_536) crypto.getRandomValues(all.subarray(i, i + 65_536));
  return all;
};

describe('long bodies', () => {
  test.each<[string, Buffer]>([
    ['nothing but escapes', Buffer.alloc(1_000_001, 1)],
    ['many-byte characters', Buffer.from(`x${'é😀\u2028"'.repeat(100_000)}`)],
    ['binary', random(700_001)],
  ])('%s is exported unchanged', async (_, body) => {
    const endpoint = await ada.createEndpoint();
    await server.deliver(endpoint, 'before');
    await server.deliver(endpoint, body);
    await server.deliver(endpoint, 'after');
    const [before, event, after] = await eventsOf(endpoint);
    const encoding = event?.payloadEncoding === 'base64' ? 'base64' : 'utf8';
    expect(Buffer.from(event?.payloadRaw ?? '', encoding).equals(body)).toBe(true);
    expect([before?.payloadRaw, after?.payloadRaw]).toEqual(['before', 'after']);
    const { log } = await ada.json<{ log: { entries: { request: { postData: { text: string } } }[] } }>(
      200,
      'GET',
      `/api/endpoints/${endpoint.id}/export?format=har`,
    );
    expect(Buffer.from(log.entries[1]?.request.postData.text ?? '', encoding).equals(body)).toBe(true);
  });
});

describe('the window', () => {
  test('many events of one moment are exported once each, in order of arrival', async () => {
    const endpoint = await ada.createEndpoint();
    const ids: string[] = [];
    for (let i = 0; i < 60; i++) ids.push(await server.deliver(endpoint, random(20_000)));
    expect((await eventsOf(endpoint)).map(({ id }) => id)).toEqual(ids);
  });

  test('events are left out from the millisecond at which they leave the window', async () => {
    const endpoint = await ada.createEndpoint();
    const old = await server.deliver(endpoint);
    clock.advance(1);
    const young = await server.deliver(endpoint);
    clock.advance(2 * day - 1);
    expect((await eventsOf(endpoint)).map(({ id }) => id)).toEqual([old, young]);
    clock.advance(1);
    expect((await eventsOf(endpoint)).map(({ id }) => id)).toEqual([young]);
  });

  test('a clock that went back changes the order, and no event is lost', async () => {
    const endpoint = await ada.createEndpoint();
    const later = await server.deliver(endpoint);
    clock.setNow(clock.now() - 1000);
    const earlier = await server.deliver(endpoint);
    clock.setNow(clock.now() + 1000);
    expect((await eventsOf(endpoint)).map(({ id }) => id)).toEqual([earlier, later]);
  });
});
