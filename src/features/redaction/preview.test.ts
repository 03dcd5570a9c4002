/* What rules would take out of stored events. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';
import type { EventDetail, EventSummary } from '../events/model.ts';
import type { RedactionPreview } from './model.ts';

let server: TestServer;
let ada: TestAccount;

beforeAll(async () => {
  server = await openTestServer();
  ada = await server.createAccount();
  await server.listen();
});
afterAll(() => server.close());

const mask = { in: 'body', path: 'email', with: 'mask' } as const;
const json = { 'content-type': 'application/json' };

test('each of the newest events has its changes, and none is changed', async () => {
  const endpoint = await ada.createEndpoint();
  const path = `/api/endpoints/${endpoint.id}/redaction/preview`;
  const deliver = (body: string) => server.deliver(endpoint, body, { headers: json });
  await deliver('{"email":"ada@example.com","n":1}');
  await deliver('plain text');
  await deliver('{"email":"ada@example.com","n":2,"note":"call jo@x.de"}');
  const preview = (request: object) => ada.json<RedactionPreview>(200, 'POST', path, request);

  const { events } = await preview({ rules: [mask, { detect: 'email', with: 'remove' }] });
  const changed = { field: 'body.email', before: 'ada@example.com', after: '****.com' };
  expect(events.map(({ changes }) => changes)).toEqual([
    [changed, { field: 'body.note', before: 'jo@x.de', after: '[removed]' }],
    [{ field: 'body', before: 'plain text', after: null }],
    [changed],
  ]);
  const kept = await preview({ rules: [mask], otherBodies: 'keep', where: 'NOT body.n:2', limit: null });
  expect(kept.events.map(({ changes }) => changes)).toEqual([[], [changed]]);
  expect((await preview({ rules: [mask], limit: 1 })).events).toHaveLength(1);

  const { events: stored } = await ada.json<{ events: EventSummary[] }>(
    200,
    'GET',
    `/api/events?endpointId=${endpoint.id}`,
  );
  expect(stored.map(({ redacted }) => redacted)).toEqual([null, null, null]);
  const first = await ada.json<EventDetail>(200, 'GET', `/api/events/${stored.at(-1)?.id}`);
  expect(first.payloadRaw).toBe('{"email":"ada@example.com","n":1}');
});

test('wrong rules, filters and limits are 400, and the endpoint of another team is 404', async () => {
  const { id } = await ada.createEndpoint();
  const path = `/api/endpoints/${id}/redaction/preview`;
  const refused = [
    [{}, 'rules'],
    [{ rules: [{ in: 'body', with: 'mask' }] }, 'rules[0].path'],
    [{ rules: [mask], where: 'size:' }, ''],
    [{ rules: [mask], limit: 101 }, 'limit'],
    [{ rules: [mask], limit: 0 }, 'limit'],
    [{ rules: [mask], originalHash: 'keep' }, 'originalHash'],
  ] as const;
  for (const [request, message] of refused) {
    const { error } = await ada.json<{ error: string }>(400, 'POST', path, request);
    expect([message, error]).toEqual([message, expect.stringContaining(message)]);
  }
  const bob = await server.createAccount('bob@example.com');
  await bob.json(404, 'POST', path, { rules: [mask] });
});
