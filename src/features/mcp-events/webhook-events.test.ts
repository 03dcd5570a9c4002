/* The occurrences of `webhook.received` after a cursor. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type EventsHarness, type EventsRequest, errorOf, openEventsHarness } from '../../testing/mcp-events.ts';
import type { TestAccount, TestServer } from '../../testing/test-server.ts';
import type { EventData } from './model.ts';

let harness: EventsHarness;
let server: TestServer;
let ada: TestAccount;
let bob: TestAccount;
beforeAll(async () => {
  harness = await openEventsHarness();
  ({ server, ada, bob } = harness);
});
afterAll(() => harness.close());

type Endpoint = { id: string; url: string };
const webhooks = (endpoint: Endpoint, given: object = {}, request: EventsRequest = {}) =>
  harness.after(ada, 'webhook.received', { endpoint: endpoint.id, ...given }, request);
const idsOf = ({ occurrences }: { occurrences: { eventId: string }[] }): string[] =>
  occurrences.map(({ eventId }) => eventId);

test('begins now, gives each event once and goes on after any of them', async () => {
  const endpoint = await ada.createEndpoint('each once');
  await server.deliver(endpoint, '{"n":0}');
  const start = await webhooks(endpoint);
  expect(start).toMatchObject({ occurrences: [], truncated: false, hasMore: false });
  const ids = [];
  for (const n of [1, 2, 3]) ids.push(await server.deliver(endpoint, `{"n":${n}}`));
  const all = await webhooks(endpoint, {}, { cursor: start.cursor });
  expect(idsOf(all)).toEqual(ids);
  expect(all).toMatchObject({ truncated: false, hasMore: false });
  expect(idsOf(await webhooks(endpoint, {}, { cursor: all.cursor }))).toEqual([]);
  const [first] = all.occurrences;
  expect(idsOf(await webhooks(endpoint, {}, { cursor: first?.cursor ?? '' }))).toEqual(ids.slice(1));
  const page = await webhooks(endpoint, {}, { cursor: start.cursor, limit: 2 });
  expect(idsOf(page)).toEqual(ids.slice(0, 2));
  expect(page).toMatchObject({ hasMore: true, truncated: false });
  expect(idsOf(await webhooks(endpoint, {}, { cursor: page.cursor, limit: 2 }))).toEqual(ids.slice(2));
});

test('an occurrence is the summary of the event, with the name of the endpoint and a link', async () => {
  const endpoint = await ada.createEndpoint('shape');
  const { cursor } = await webhooks(endpoint);
  const id = await server.deliver(endpoint, '{"hello":"world"}');
  const [occurrence] = (await webhooks(endpoint, {}, { cursor })).occurrences;
  const { events } = await ada.json<{ events: object[] }>(200, 'GET', `/api/events?endpointId=${endpoint.id}`);
  expect(occurrence?.name).toBe('webhook.received');
  expect(Date.parse(occurrence?.timestamp ?? '')).toBe((events[0] as { receivedAt: number }).receivedAt);
  expect(occurrence?.data).toEqual({
    ...events[0],
    endpointName: 'shape',
    link: `http://localhost:4665/app/endpoints/${endpoint.id}/events/${id}`,
  } as EventData<'webhook.received'>);
});

test('cursors of another type, endpoint or team are invalid', async () => {
  const [endpoint, other] = [await ada.createEndpoint('bound'), await ada.createEndpoint('bound, too')];
  const { cursor } = await webhooks(endpoint);
  const alerts = (await harness.after(ada, 'alert.changed', {})).cursor;
  const ofEndpoint = (await harness.after(ada, 'alert.changed', { endpoint: endpoint.id })).cursor;
  const bobs = (await harness.after(bob, 'alert.changed', {})).cursor;
  for (const read of [
    () => webhooks(other, {}, { cursor }),
    () => webhooks(endpoint, {}, { cursor: alerts }),
    () => webhooks(endpoint, {}, { cursor: ofEndpoint }),
    () => webhooks(endpoint, {}, { cursor: '' }),
    () => harness.after(ada, 'alert.changed', {}, { cursor }),
    () => harness.after(ada, 'alert.changed', {}, { cursor: ofEndpoint }),
    () => harness.after(ada, 'alert.changed', {}, { cursor: bobs }),
    () => harness.after(ada, 'alert.changed', { endpoint: other.id }, { cursor: ofEndpoint }),
  ])
    expect(await errorOf(read())).toMatchObject({ code: 'invalid' });
});

test('refused events and invalid signatures wake only those who ask for them', async () => {
  const endpoint = await ada.createEndpoint('doors');
  await ada.json(201, 'POST', `/api/endpoints/${endpoint.id}/secrets`, { secret: 'abcdefgh', platform: 'github' });
  const start = (await webhooks(endpoint)).cursor;
  const forged = await server.deliver(endpoint, '{"a":1}', {
    headers: { 'x-github-event': 'push', 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` },
  });
  const plain = await server.deliver(endpoint, '{"b":1}');
  await ada.json(200, 'PATCH', `/api/endpoints/${endpoint.id}`, { guard: { methods: ['PUT'], onRefuse: 'record' } });
  const refusal = await fetch(`${await server.listen()}${new URL(endpoint.url).pathname}`, {
    method: 'POST',
    body: '{"c":1}',
  });
  expect(refusal.ok).toBe(false);
  const { events } = await ada.json<{ events: { id: string; refused: number | null }[] }>(
    200,
    'GET',
    `/api/events?endpointId=${endpoint.id}`,
  );
  const refused = events.find(event => event.refused !== null)?.id ?? '';
  const woken = async (where: string) => idsOf(await webhooks(endpoint, { where }, { cursor: start }));
  expect(await woken('')).toEqual([plain]);
  expect(await woken('method:POST')).toEqual([plain]);
  expect(await woken('is:refused OR NOT is:refused')).toEqual([plain, refused]);
  expect(await woken('is:refused')).toEqual([refused]);
  expect(await woken('verdict:invalid')).toEqual([forged]);
  expect(await woken('verdict:invalid OR method:POST')).toEqual([forged, plain]);
  expect(await woken('verdict:invalid OR is:refused')).toEqual([forged, refused]);
});

test('per delivery, only the first attempt that may wake does, and an invalid one does not use the delivery up', async () => {
  const endpoint = await ada.createEndpoint('attempts');
  await ada.json(201, 'POST', `/api/endpoints/${endpoint.id}/secrets`, { secret: 'abcdefgh', platform: 'github' });
  const body = '{"zen":"once"}';
  const send = (signature: string) =>
    server.deliver(endpoint, body, {
      headers: { 'x-github-event': 'ping', 'x-github-delivery': 'd-1', 'x-hub-signature-256': signature },
    });
  const hmac = new Bun.CryptoHasher('sha256', 'abcdefgh').update(body).digest('hex');
  const start = (await webhooks(endpoint)).cursor;
  const forged = await send(`sha256=${'0'.repeat(64)}`);
  const first = await send(`sha256=${hmac}`);
  const middle = (await webhooks(endpoint, {}, { cursor: start })).cursor;
  const again = await send(`sha256=${hmac}`);
  expect(idsOf(await webhooks(endpoint, {}, { cursor: start }))).toEqual([first]);
  expect(idsOf(await webhooks(endpoint, {}, { cursor: middle }))).toEqual([]);
  expect(idsOf(await webhooks(endpoint, { per: 'event' }, { cursor: start }))).toEqual([first, again]);
  expect(idsOf(await webhooks(endpoint, { where: 'verdict:invalid' }, { cursor: start }))).toEqual([forged]);
  // Earlier attempts did not wake a client that begins now.
  const late = (await webhooks(endpoint)).cursor;
  const last = await send(`sha256=${hmac}`);
  expect(idsOf(await webhooks(endpoint, {}, { cursor: late }))).toEqual([last]);
});

test('maxAgeMs leaves out older events and says so, exactly', async () => {
  const endpoint = await ada.createEndpoint('ages');
  const { cursor } = await webhooks(endpoint);
  await server.deliver(endpoint, '{"old":1}');
  await server.deliver(endpoint, '{"old":2}');
  harness.advance(60_000);
  const fresh = await server.deliver(endpoint, '{"new":1}');
  const recent = await webhooks(endpoint, {}, { cursor, maxAgeMs: 30_000, limit: 1 });
  expect(idsOf(recent)).toEqual([fresh]);
  expect(recent.truncated).toBe(true);
  expect(await webhooks(endpoint, {}, { cursor: recent.cursor, maxAgeMs: 30_000 })).toMatchObject({
    occurrences: [],
    truncated: false,
  });
  // Only events that would have occurred count.
  const filtered = await webhooks(endpoint, { where: 'body.new:1' }, { cursor, maxAgeMs: 30_000 });
  expect([idsOf(filtered), filtered.truncated]).toEqual([[fresh], false]);
  expect((await webhooks(endpoint, {}, { cursor, maxAgeMs: 3_600_000 })).truncated).toBe(false);
  expect((await webhooks(endpoint, {}, { cursor: null, maxAgeMs: 1 })).truncated).toBe(false);
});

test('retention truncates', async () => {
  const endpoint = await ada.createEndpoint('expiring');
  const { cursor } = await webhooks(endpoint);
  await server.deliver(endpoint);
  const later = (await webhooks(endpoint, {}, { cursor })).cursor;
  harness.advance(60_000);
  await ada.json(200, 'PATCH', `/api/endpoints/${endpoint.id}`, { retention: '30s' });
  expect(await webhooks(endpoint, {}, { cursor })).toMatchObject({ occurrences: [], truncated: true });
  expect(await webhooks(endpoint, {}, { cursor: later })).toMatchObject({ occurrences: [], truncated: false });
});

test('content full adds the body when it is short text', async () => {
  const endpoint = await ada.createEndpoint('bodies');
  const { cursor } = await webhooks(endpoint);
  const fits = 'ä'.repeat(100 * 1024);
  const cases: [Uint8Array | string, string | null][] = [
    ['{"a":"<b>"}', '{"a":"<b>"}'],
    ['', ''],
    [fits, fits],
    [`${fits}a`, null],
    // JSON escapes make it longer than an occurrence may be.
    ['\u0001'.repeat(60 * 1024), null],
    [new Uint8Array([0xff, 0xfe, 0]), null],
  ];
  for (const [body] of cases) await server.deliver(endpoint, body);
  const { occurrences, hasMore } = await webhooks(endpoint, { content: 'full' }, { cursor });
  const data = occurrences.map(one => one.data as EventData<'webhook.received'>);
  expect(data.map(({ body, bodyTruncated }) => [body, bodyTruncated])).toEqual(
    cases.map(([, text]) => [text, text === null]),
  );
  expect(hasMore).toBe(false);
  for (const one of occurrences) expect(Buffer.byteLength(JSON.stringify(one))).toBeLessThanOrEqual(256 * 1024);
  const [summary] = (await webhooks(endpoint, {}, { cursor })).occurrences;
  expect(Object.keys(summary?.data ?? {})).not.toContain('body');
});

test('many large bodies come in several answers', async () => {
  const endpoint = await ada.createEndpoint('many bodies');
  const { cursor } = await webhooks(endpoint);
  const ids: string[] = [];
  for (let i = 0; i < 5; i++) ids.push(await server.deliver(endpoint, `${i} ${'a'.repeat(200 * 1024 - 10)}`));
  const found: string[] = [];
  const pages: boolean[] = [];
  for (let [next, hasMore] = [cursor, true]; hasMore; pages.push(hasMore)) {
    const page = await webhooks(endpoint, { content: 'full' }, { cursor: next });
    found.push(...idsOf(page));
    ({ cursor: next, hasMore } = page);
  }
  expect([found, pages]).toEqual([ids, [true, true, false]]);
});

test('a deleted endpoint is not found', async () => {
  const endpoint = await ada.createEndpoint('deleted');
  const principal = await harness.principalOf(ada);
  const { mcpEvents } = server.services;
  const read = await mcpEvents.readWatch(principal, 'webhook.received', { endpoint: endpoint.id });
  await ada.json(200, 'DELETE', `/api/endpoints/${endpoint.id}`);
  const reading = { principal, reader: undefined };
  for (const cursor of [null, mcpEvents.cursorOf(principal, read, { seq: 0, since: 0 })])
    expect(await errorOf(mcpEvents.occurrencesAfter(reading, read, { cursor, limit: 5 }))).toMatchObject({
      code: 'not_found',
    });
});

test('an occurrence is read again by its row number', async () => {
  const endpoint = await ada.createEndpoint('by number');
  const { cursor } = await webhooks(endpoint);
  await server.deliver(endpoint, '{"n":1}');
  const { occurrences } = await webhooks(endpoint, {}, { cursor });
  const principal = await harness.principalOf(ada);
  const { mcpEvents } = server.services;
  const read = await mcpEvents.readWatch(principal, 'webhook.received', { endpoint: endpoint.id });
  const { since } = await mcpEvents.positionOf(principal, read, cursor);
  const { seq } = await mcpEvents.positionOf(principal, read, occurrences[0]?.cursor ?? null);
  const find = (number: number) => mcpEvents.occurrence({ principal, reader: undefined }, read, { seq: number, since });
  expect(await find(seq)).toEqual(occurrences[0]);
  expect(await find(seq + 1000)).toBeUndefined();
});
