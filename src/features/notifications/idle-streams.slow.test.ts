/* What open streams ask of the database, counted at its client: nothing while nothing happens, and one read for each event. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { systemClock } from '../../core/clock.ts';
import { eventually } from '../../testing/poll.ts';
import { readSse, type SseReader } from '../../testing/sse.ts';
import { openTestServer, type TestServer } from '../../testing/test-server.ts';

const members = 3;
const streamsPerMember = 20;
const filters = ['', '?where=body.hello:world', '?where=method:POST', '?where=body.hello:nobody'];

let server: TestServer;
let looks = 0;
/** How often each statement about credentials, endpoints and events was executed. */
const executed = new Map<string, number>();
const streams: SseReader[] = [];
let endpoint: { id: string; url: string };

beforeAll(async () => {
  const now = (): number => {
    looks++;
    return systemClock.now();
  };
  server = await openTestServer({ clock: { ...systemClock, now } });
  const ada = await server.createAccount();
  endpoint = await ada.createEndpoint();
  const origin = await server.listen();
  for (let n = 0; n < members; n++) {
    const { key } = await server.createAccount(`member-${n}@example.com`, { teamOf: ada.email });
    const headers = { authorization: `Bearer ${key}` };
    for (let i = 0; i < streamsPerMember; i++) {
      const query = filters[i % filters.length];
      streams.push(await readSse(`${origin}/api/endpoints/${endpoint.id}/stream${query}`, headers));
    }
  }
  for (const client of [server.services.database.client, server.services.database.scanClient]) {
    const execute = client.execute.bind(client) as (statement: unknown, args?: unknown) => Promise<unknown>;
    const counted = (statement: string | { sql: string }, args?: unknown): Promise<unknown> => {
      const sql = typeof statement === 'string' ? statement : statement.sql;
      // Alerts have a clock of their own.
      if (/\b(api_keys|accounts|endpoints|events)\b/.test(sql) && !sql.includes('"alerts"'))
        executed.set(sql, (executed.get(sql) ?? 0) + 1);
      return execute(statement, args);
    };
    Object.assign(client, { execute: counted });
  }
}, 120_000);
afterAll(() => server.close());

const isMatched = (_: SseReader, i: number): boolean => (i % streamsPerMember) % filters.length !== 3;

test('each event is read once for all streams, with filters and without', async () => {
  // The first event makes the first checks of access.
  await server.deliver(endpoint);
  await Promise.all(streams.filter(isMatched).map(stream => stream.count(1)));
  executed.clear();
  for (let n = 2; n <= 4; n++) {
    await server.deliver(endpoint);
    await Promise.all(streams.filter(isMatched).map(stream => stream.count(n)));
  }
  expect(executed.size).toBeGreaterThan(0);
  expect(Math.max(...executed.values())).toBeLessThanOrEqual(3);
  expect(streams.filter(({ messages }) => messages.length > 0)).toHaveLength(streams.filter(isMatched).length);
});

test('streams on which nothing happens run no query', async () => {
  executed.clear();
  const before = looks;
  await eventually(() => looks > before + 3 * streams.length, 20_000);
  expect([...executed]).toEqual([]);
}, 120_000);

test('under concurrent captures each stream gets every event once and in order, also one that catches up', async () => {
  const ids: string[] = [];
  const send = async (): Promise<void> => {
    for (let n = 0; n < 40; n++) ids.push(await server.deliver(endpoint));
  };
  const first = streams[0]?.messages.at(-1)?.id ?? '';
  const senders = [send(), send(), send()];
  const ada = await server.createAccount('late@example.com', { teamOf: 'owner@example.com' });
  const headers = { authorization: `Bearer ${ada.key}`, 'last-event-id': first };
  const url = `${await server.listen()}/api/endpoints/${endpoint.id}/stream`;
  const late: SseReader[] = [];
  for (const count of [10, 40, 70, 100]) {
    await eventually(() => ids.length >= count);
    late.push(await readSse(url, headers));
  }
  await Promise.all(senders);
  const live = streams.filter(isMatched);
  await Promise.all([...live.map(stream => stream.count(4 + 120)), ...late.map(stream => stream.count(120))]);
  const expected = live[0]?.messages.slice(4).map(({ id }) => id) ?? [];
  expect([...expected].sort()).toEqual([...ids].sort());
  expect([...expected].sort()).toEqual(expected);
  for (const stream of live) expect(stream.messages.slice(4).map(({ id }) => id)).toEqual(expected);
  for (const stream of late) expect(stream.messages.map(({ id }) => id)).toEqual(expected);
  for (const stream of late) stream.close();
}, 120_000);
