/* Attempts that a killed server had acknowledged and not filed. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { type HeldFiling, openHeldFiling } from '../../testing/held-filing.ts';
import { isRemote } from '../../testing/remote/databases.ts';
import type { PlacedPage } from '../../testing/retries.ts';
import type { TestServer } from '../../testing/test-server.ts';

describe.skipIf(isRemote)('after kill -9', () => {
  let setting: HeldFiling;
  beforeEach(async () => {
    setting = await openHeldFiling();
  });
  afterEach(() => setting.close());

  const placesIn = async (reader: TestServer): Promise<string[]> => {
    const authorization = `Bearer ${setting.ada.key}`;
    const path = `/api/events?endpointId=${setting.endpoint.id}&limit=100`;
    const { events } = (await (await reader.fetch(path, { headers: { authorization } })).json()) as PlacedPage;
    return events.map(({ delivery: { key, basis, attempt, attempts } }) => `${key} ${basis} ${attempt}/${attempts}`);
  };

  test('each attempt is in its delivery, as if the server had filed it', async () => {
    const deliver = (headers: Record<string, string>, body = '{}') =>
      setting.server.deliver(setting.endpoint, body, { headers: { 'content-type': 'application/json', ...headers } });
    const github = { 'x-github-event': 'push', 'x-github-delivery': 'a' };
    // Recognised before it is stored, because its platform may expect an answer of its own.
    const slack = { 'x-slack-signature': 'v0=0', 'x-slack-request-timestamp': '1' };
    const early = '{"type":"event_callback","challenge":"c","event_id":"Ev1"}';
    await deliver(github);
    await deliver(slack, early);
    await deliver({}, '[1]');
    expect(await placesIn(setting.server)).toHaveLength(3);
    setting.hold();
    await deliver(github, '{"changed":true}');
    await deliver(slack, early);
    await deliver({}, '[1]');
    const directory = setting.killedCopy();
    setting.release();
    const filed = await placesIn(setting.server);
    expect(filed.map(place => place.split(' ')[2])).toEqual(['2/2', '2/2', '2/2', '1/2', '1/2', '1/2']);
    await setting.withNextServer(directory, async next => expect(await placesIn(next)).toEqual(filed));
  });
});
