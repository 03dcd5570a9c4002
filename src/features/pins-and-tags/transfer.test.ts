/* Pins and tags in exports, imports, the event stream and the tools of agents. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { fromHarEntry } from '../../cli/import/har-entry.ts';
import { maxPinsPerTeam } from '../../core/limits.ts';
import { callTool } from '../../testing/mcp.ts';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';
import { thrownBy } from '../../testing/thrown-by.ts';

let server: TestServer;
let ada: TestAccount;
beforeAll(async () => {
  server = await openTestServer({ env: { HOOKTAPE_PRO_RETENTION: '7d' } });
  ada = await server.createAccount();
});
afterAll(() => server.close());

type Exported = Record<string, unknown>;
const exportOf = async (id: string): Promise<Exported[]> =>
  (await ada.json<{ events: Exported[] }>(200, 'GET', `/api/endpoints/${id}/export`)).events;
const marksIn = (events: Exported[]): unknown[] => events.map(({ pin, tags }) => [pin, tags]);
const day = 24 * 60 * 60 * 1000;

/** An endpoint with a pinned and tagged, a pinned, a tagged and a plain event. */
async function createMarked() {
  const endpoint = await ada.createEndpoint();
  const ids: string[] = [];
  for (let n = 0; n < 4; n++) ids.push(await server.deliver(endpoint, `{"n":${n}}`));
  await ada.json(200, 'PUT', `/api/events/${ids[0]}/pin`, { name: 'golden', note: 'the "first"\none' });
  await ada.json(200, 'PUT', `/api/events/${ids[0]}/tags`, { tags: ['b', 'a'] });
  await ada.json(200, 'PUT', `/api/events/${ids[1]}/pin`, {});
  await ada.json(200, 'PUT', `/api/events/${ids[2]}/tags`, { tags: ['日本'] });
  return { endpoint, ids, events: await exportOf(endpoint.id) };
}

const time = expect.any(Number);
const marks = [
  [{ name: 'golden', note: 'the "first"\none', pinnedAt: time }, ['b', 'a']],
  [{ name: null, note: null, pinnedAt: time }, []],
  [null, ['日本']],
  [null, []],
];

describe('an export and its import', () => {
  test('json brings pins, notes and tags back', async () => {
    const { events } = await createMarked();
    expect(marksIn(events)).toEqual(marks);
    const { id } = await ada.createEndpoint();
    expect(await server.services.imports.add(id, events)).toEqual({ imported: 4, alreadyThere: 0, expired: 0 });
    expect(marksIn(await exportOf(id))).toEqual(marksIn(events));
  });

  test('har brings them back as well', async () => {
    const { endpoint, events } = await createMarked();
    const har = await ada.json<{ log: { entries: unknown[] } }>(
      200,
      'GET',
      `/api/endpoints/${endpoint.id}/export?format=har`,
    );
    const { id } = await ada.createEndpoint();
    const entries = har.log.entries.map(entry => fromHarEntry(entry, () => ({ platform: null, eventType: null })));
    expect(await server.services.imports.add(id, entries)).toMatchObject({ imported: 4 });
    expect(marksIn(await exportOf(id))).toEqual(marksIn(events));
  });

  test('an event that is there already gets what it lacks, and keeps what it has', async () => {
    const { endpoint, ids, events } = await createMarked();
    await ada.json(200, 'DELETE', `/api/events/${ids[0]}/pin`);
    await ada.json(200, 'PUT', `/api/events/${ids[1]}/pin`, { note: 'newer' });
    await ada.json(200, 'PUT', `/api/events/${ids[2]}/tags`, { tags: ['newer'] });
    expect(await server.services.imports.add(endpoint.id, events)).toEqual({
      imported: 0,
      alreadyThere: 4,
      expired: 0,
    });
    expect(marksIn(await exportOf(endpoint.id))).toEqual([
      marks[0],
      [{ name: null, note: 'newer', pinnedAt: time }, []],
      [null, ['newer']],
      [null, []],
    ]);
  });

  test('a name that another event of the endpoint has is left out, and the pin stays', async () => {
    const { events } = await createMarked();
    const { id, ...endpoint } = await ada.createEndpoint();
    const other = await server.deliver(endpoint);
    await ada.json(200, 'PUT', `/api/events/${other}/pin`, { name: 'golden' });
    await server.services.imports.add(id, events);
    const imported = (await exportOf(id)).filter(event => event['id'] !== other);
    expect(marksIn(imported)[0]).toEqual([{ name: null, note: 'the "first"\none', pinnedAt: time }, ['b', 'a']]);
  });

  test('a pinned event past the window is imported, others are not', async () => {
    const { events } = await createMarked();
    const { id } = await ada.createEndpoint();
    const old = events.map((event, n) => ({ ...event, receivedAt: Date.now() - 8 * day + n }));
    expect(await server.services.imports.add(id, old)).toEqual({ imported: 2, alreadyThere: 0, expired: 2 });
    expect(await server.services.imports.add(id, old)).toEqual({ imported: 0, alreadyThere: 2, expired: 2 });
    server.services.retention.wake();
    await server.services.background.idle();
    expect(marksIn(await exportOf(id))).toEqual(marks.slice(0, 2));
    expect(await ada.json(200, 'GET', `/api/endpoints/${id}`)).toMatchObject({ eventCount: 2 });
  });

  test('pins for which the team has no place are left out and counted', async () => {
    const dora = await server.createAccount('dora@example.com');
    const { events } = await createMarked();
    const { id } = await dora.createEndpoint();
    await server.services.database.client.execute({
      sql: `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
            INSERT INTO pins (event, endpoint, received_at, pinned_at)
            SELECT 1000000 + i, (SELECT seq FROM endpoints WHERE id = ?), 0, 0 FROM n`,
      args: [maxPinsPerTeam - 1, id],
    });
    expect(await server.services.imports.add(id, events)).toEqual({
      imported: 4,
      alreadyThere: 0,
      expired: 0,
      notPinned: 1,
    });
  });

  test.each([
    { pin: { name: 'Golden', pinnedAt: 1 } },
    { pin: { name: 'golden' } },
    { pin: 'golden' },
    { tags: ['x'.repeat(33)] },
    { tags: 'x' },
  ])('%j is refused, and nothing is imported', async change => {
    const { events } = await createMarked();
    const { id } = await ada.createEndpoint();
    expect(await thrownBy(server.services.imports.add(id, [{ ...events[0], ...change }]))).toThrow();
    expect(await exportOf(id)).toEqual([]);
  });
});

test('the event stream shows pins and tags', async () => {
  const { endpoint, ids } = await createMarked();
  const response = await fetch(`${await server.listen()}/api/endpoints/${endpoint.id}/stream`, {
    headers: { authorization: `Bearer ${ada.key}`, 'last-event-id': '' },
  });
  let text = '';
  for await (const chunk of response.body as ReadableStream<Uint8Array>) {
    text += Buffer.from(chunk).toString();
    if (text.includes(ids[3] ?? '')) break;
  }
  const sent = [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data) as Exported);
  expect(marksIn(sent)).toEqual(marks);
});

test('agents see them in lists and details', async () => {
  const { endpoint, ids } = await createMarked();
  const call = async (name: string, given: Record<string, unknown>) =>
    (await callTool(server.fetch, ada.key, name, given)).structuredContent as Exported & { events: Exported[] };
  expect(marksIn((await call('list_events', { endpointId: endpoint.id })).events).toReversed()).toEqual(marks);
  expect(marksIn([await call('get_event', { eventId: ids[0] })])).toEqual([marks[0]]);
});
