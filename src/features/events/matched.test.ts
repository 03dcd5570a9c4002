/* A list with a text or a filter shows where each event matches. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { holdClock } from '../../testing/clock.ts';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';
import type { EventPage, EventSummary } from './model.ts';

let server: TestServer;
let ada: TestAccount;
beforeAll(async () => {
  // No time passes, so a page is whole on a busy machine, too.
  server = await openTestServer({ clock: holdClock() });
  ada = await server.createAccount();
});
afterAll(() => server.close());

async function list(endpoint: { id: string }, given: Record<string, string>): Promise<EventSummary[]> {
  const query = new URLSearchParams({ endpointId: endpoint.id, ...given });
  return (await ada.json<EventPage>(200, 'GET', `/api/events?${query}`)).events;
}

test('GET /api/events shows where events match `q`, words and terms about contents, and nothing else does', async () => {
  const endpoint = await ada.createEndpoint();
  const first = await server.deliver(endpoint, '{"items":[{"sku":"A-1"}],"order.id":"1234567"}');
  await server.deliver(endpoint, '{"note":"for a-1, please"}');
  const matched = async (given: Record<string, string>) => (await list(endpoint, given)).map(event => event.matched);

  const both = [[{ field: 'body.note', text: 'for a-1, please' }], [{ field: 'body.items[].sku', text: 'A-1' }]];
  expect(await matched({ q: 'a-1' })).toEqual(both);
  expect(await matched({ where: 'a-1 method:POST' })).toEqual(both);
  expect(await matched({ q: 'a-1', group: 'delivery' })).toEqual(both);
  expect(await matched({ q: 'A-1', where: 'body."order.id":1234567' })).toEqual([
    [
      { field: 'body.items[].sku', text: 'A-1' },
      { field: 'body."order.id"', text: '1234567' },
    ],
  ]);
  expect(await matched({ where: 'method:POST NOT has:body.x' })).toEqual([[], []]);
  expect(await matched({})).toEqual([[], []]);
  expect(await ada.json<EventSummary>(200, 'PUT', `/api/events/${first}/tags`, { tags: ['a-1'] })).toMatchObject({
    matched: [],
  });
});

test('it is found in a large body, but not in more large bodies than a page may read', async () => {
  const endpoint = await ada.createEndpoint();
  for (const value of ['needle 1', 'needle 2'])
    await server.deliver(endpoint, JSON.stringify({ filler: Array(9).fill('filler '.repeat(150_000)), value }));
  const found = (await list(endpoint, { where: 'body.value:needle*' })).map(({ matched }) => matched);
  expect(found).toEqual([[{ field: 'body.value', text: 'needle 2' }], []]);
}, 30_000);
