/* Filters in the tools that list and search events. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { callTool } from '../../testing/mcp.ts';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';

let server: TestServer;
let ada: TestAccount;
beforeAll(async () => {
  server = await openTestServer();
  ada = await server.createAccount();
});
afterAll(() => server.close());

test('list_events and search_events take a filter, and say where it is wrong', async () => {
  const endpoint = await ada.createEndpoint();
  const ids: string[] = [];
  for (const body of ['{"n":1,"kind":"a"}', '{"n":2,"kind":"a"}', '{"n":2,"kind":"b"}'])
    ids.push(await server.deliver(endpoint, body));
  const call = (name: string, given: Record<string, unknown>) =>
    callTool(server.fetch, ada.key, name, { endpointId: endpoint.id, ...given });
  const found = async (name: string, given: Record<string, unknown>) =>
    ((await call(name, given)).structuredContent as { events: { id: string }[] }).events.map(({ id }) => id);
  expect(await found('list_events', { where: 'body.n:2' })).toEqual([ids[2] ?? '', ids[1] ?? '']);
  expect(await found('search_events', { q: '"KIND":"A"', where: 'body.n:2' })).toEqual([ids[1] ?? '']);
  const wrong = await call('list_events', { where: 'tpye:a' });
  expect(wrong.isError).toBe(true);
  expect(wrong.content[0]?.text).toMatch(/^invalid where: .* \{"position":0,"nearest":"type"\}$/);
});
