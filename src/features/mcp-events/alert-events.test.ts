/* The occurrences of `alert.changed` after a cursor. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type EventsHarness, type EventsRequest, openEventsHarness } from '../../testing/mcp-events.ts';
import { eventually } from '../../testing/poll.ts';
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

const changes = (given: object, request: EventsRequest) => harness.after(ada, 'alert.changed', given, request);
const textsOf = ({ occurrences }: { occurrences: { data: unknown }[] }): string[] =>
  occurrences.map(({ data }) => (data as EventData<'alert.changed'>).text);

test('an alert that fires is one occurrence, although no channel takes its notification', async () => {
  const endpoint = await ada.createEndpoint('types');
  const { cursor } = await changes({ endpoint: 'types' }, {});
  const alert = await ada.json<{ id: string }>(201, 'POST', `/api/endpoints/${endpoint.id}/alerts`, {
    name: 'New types',
    kind: 'new_type',
    channel: { type: 'webhook', url: 'http://127.0.0.1:9/' },
  });
  await ada.call('POST', `/api/endpoints/${endpoint.id}/alerts/${alert.id}/test`);
  await server.deliver(endpoint, '{"type":"order.<b>paid"}', { headers: { 'x-event-type': 'x' } });
  const found = await eventually(async () => {
    server.services.alerts.evaluation.wake();
    const page = await changes({ endpoint: 'types' }, { cursor });
    return page.occurrences.length > 0 ? page : undefined;
  });
  expect(found.occurrences).toHaveLength(1);
  expect(found.occurrences[0]).toMatchObject({
    eventId: expect.stringMatching(/^alc_/),
    name: 'alert.changed',
    data: {
      alert: { id: alert.id, name: 'New types' },
      kind: 'new_type',
      state: 'firing',
      text: expect.stringContaining('1 new event type'),
      endpointId: endpoint.id,
      endpointName: 'types',
    },
  });
  expect((await changes({}, { cursor: null })).occurrences).toEqual([]);
});

test('an alert that fires is resolved when its condition ends, and when a person changes or deletes it', async () => {
  const endpoint = await ada.createEndpoint('firing');
  const path = `/api/endpoints/${endpoint.id}/alerts`;
  const { cursor } = await changes({ endpoint: endpoint.id }, {});
  const statesOf = async () =>
    (await changes({ endpoint: endpoint.id }, { cursor })).occurrences.map(
      ({ data }) => (data as EventData<'alert.changed'>).state,
    );
  const becomes = (states: string[]) =>
    eventually(async () => {
      server.services.alerts.evaluation.wake();
      return (await statesOf()).join() === states.join();
    });
  const { id } = await ada.json<{ id: string }>(201, 'POST', path, {
    name: 'Forged',
    kind: 'bad_signatures',
    minutes: 1,
    count: 1,
    channel: { type: 'webhook', url: 'http://127.0.0.1:9/' },
  });
  await ada.json(201, 'POST', `/api/endpoints/${endpoint.id}/secrets`, { secret: 'abcdefgh', platform: 'github' });
  const forge = (n: number) =>
    server.deliver(endpoint, `{"n":${n}}`, {
      headers: { 'x-github-event': 'push', 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` },
    });
  await forge(1);
  await becomes(['firing']);
  await ada.json(200, 'PATCH', `${path}/${id}`, { name: 'Renamed' });
  await ada.json(200, 'PATCH', `${path}/${id}`, { count: 2 });
  await becomes(['firing', 'resolved']);
  await forge(2);
  await forge(3);
  await becomes(['firing', 'resolved', 'firing']);
  await ada.json(200, 'DELETE', `${path}/${id}`);
  expect(await statesOf()).toEqual(['firing', 'resolved', 'firing', 'resolved']);
});

test('without an endpoint, those of all endpoints of the team, and of no other team', async () => {
  const [one, two] = [await ada.createEndpoint('one'), await ada.createEndpoint('two')];
  const foreign = await bob.createEndpoint('foreign');
  const all = (await changes({}, {})).cursor;
  const ofTwo = (await changes({ endpoint: two.id }, {})).cursor;
  for (const [endpoint, text] of [
    [one, 'a'],
    [foreign, 'b'],
    [two, 'c'],
  ] as const)
    await harness.addAlertChange(endpoint, text);
  expect(textsOf(await changes({}, { cursor: all }))).toEqual(['a', 'c']);
  expect(textsOf(await changes({ endpoint: two.id }, { cursor: ofTwo }))).toEqual(['c']);
  const page = await changes({}, { cursor: all, limit: 1 });
  expect([textsOf(page), page.hasMore]).toEqual([['a'], true]);
  const rest = await changes({}, { cursor: page.cursor, limit: 1 });
  expect([textsOf(rest), rest.hasMore]).toEqual([['c'], false]);
  await ada.json(200, 'DELETE', `/api/endpoints/${two.id}`);
  expect(textsOf(await changes({}, { cursor: all }))).toEqual(['a']);
});

test('changes are kept for 30 days; a reader that missed some learns it, also when they are removed', async () => {
  const [endpoint, other] = [await ada.createEndpoint('kept'), await ada.createEndpoint('kept, too')];
  const { cursor } = await changes({ endpoint: endpoint.id }, {});
  const ofOther = (await changes({ endpoint: other.id }, {})).cursor;
  await harness.addAlertChange(endpoint, 'd');
  await harness.addAlertChange(endpoint, 'e');
  const afterBoth = (await changes({ endpoint: endpoint.id }, { cursor })).cursor;
  harness.advance(30 * 24 * 3_600_000 + 1000);
  await harness.addAlertChange(endpoint, 'f');
  await harness.addAlertChange(other, 'g');
  const check = async (): Promise<void> => {
    const missed = await changes({ endpoint: endpoint.id }, { cursor });
    expect([textsOf(missed), missed.truncated]).toEqual([['f'], true]);
    const complete = await changes({ endpoint: endpoint.id }, { cursor: afterBoth });
    expect([textsOf(complete), complete.truncated]).toEqual([['f'], false]);
    expect((await changes({ endpoint: other.id }, { cursor: ofOther })).truncated).toBe(false);
  };
  await check();
  const { client } = server.services.database;
  const count = async (): Promise<number> =>
    Number((await client.execute('SELECT count(*) FROM alert_changes')).rows[0]?.[0]);
  const before = await count();
  await server.services.alerts.removeOldChanges();
  expect(await count()).toBeLessThan(before);
  await check();
  const young = await changes({ endpoint: endpoint.id }, { cursor: afterBoth, maxAgeMs: 0 });
  expect([textsOf(young), young.truncated]).toEqual([[], true]);
});
