/* Events that were damaged on disk are never shown, exported or replayed as received, and do not affect other events. */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseEventId } from '../../core/ids/ids.ts';
import { readCsv } from '../../testing/csv.ts';
import { callTool } from '../../testing/mcp.ts';
import { eventually } from '../../testing/poll.ts';
import { damageEvent } from '../../testing/stored-events.ts';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';

let server: TestServer;
let ada: TestAccount;
let endpoint: { id: string; url: string };
let ids: string[];
beforeEach(async () => {
  server = await openTestServer();
  ada = await server.createAccount();
  endpoint = await ada.createEndpoint();
  ids = [];
  for (const body of ['{"n":0}', '{"n":1}', '{"n":2}', '{"n":3}']) {
    const signature = `sha256=${createHmac('sha256', 'sesame').update(body).digest('hex')}`;
    ids.push(
      await server.deliver(endpoint, body, { headers: { 'x-hub-signature-256': signature, 'x-github-event': 'push' } }),
    );
    // Each in a block of its own: what is read is filed at once.
    await ada.call('GET', `/api/events?endpointId=${endpoint.id}`);
  }
});
afterEach(() => server.close());

/** The second one has another body, and the third one cannot be read. */
async function damage(): Promise<void> {
  const { client } = server.services.database;
  await damageEvent(client, parseEventId(ids[1] ?? '')?.seq ?? 0, 'another body');
  await damageEvent(client, parseEventId(ids[2] ?? '')?.seq ?? 0, 'unreadable');
}
const errorsLogged = (): string =>
  server.lines
    .filter(({ level }) => level === 'error')
    .map(
      ({ message, fields: { cause, ...fields } }) =>
        `${message} ${JSON.stringify(fields)} ${(cause as Error)?.message}`,
    )
    .join();

test('are refused with the reason wherever their bytes would be sent', async () => {
  let requests = 0;
  const to = createServer((_req, res) => {
    requests++;
    res.end();
  }).listen(0, '127.0.0.1');
  await eventually(() => to.listening);
  await damage();
  const destination = { url: `http://127.0.0.1:${(to.address() as AddressInfo).port}/` };
  for (const [n, why] of [
    [1, 'the stored block does not match its checksum'],
    [2, 'its headers and body cannot be read'],
  ] as const) {
    const id = ids[n] as string;
    const refusal = { error: `event ${id} is damaged on disk: ${why}` };
    expect(await ada.json<unknown>(500, 'GET', `/api/events/${id}`)).toEqual(refusal);
    expect(await ada.json<unknown>(500, 'GET', `/api/events/${id}/raw`)).toEqual(refusal);
    expect(await ada.json<unknown>(500, 'POST', `/api/events/${id}/replay`, destination)).toEqual(refusal);
    expect(errorsLogged()).toContain(id);
  }
  expect(await (await ada.call('GET', `/api/events/${ids[3]}/raw`)).text()).toBe('{"n":3}');
  expect((await ada.call('POST', `/api/events/${ids[3]}/replay`, destination)).status).toBe(200);
  expect(requests).toBe(1);
  to.close();
});

test('are refused to an agent with the same message', async () => {
  await damage();
  const id = ids[1] as string;
  const result = await callTool(server.fetch, ada.key, 'get_event', { eventId: id });
  expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('is damaged on disk') }] });
  expect(errorsLogged()).toContain(id);
});

test('are listed with the others, whose signatures are verified', async () => {
  await damage();
  await ada.json(201, 'POST', `/api/endpoints/${endpoint.id}/secrets`, { platform: 'github', secret: 'sesame' });
  const { events } = await ada.json<{ events: { id: string; signatureValid: boolean | null }[] }>(
    200,
    'GET',
    `/api/events?endpointId=${endpoint.id}`,
  );
  expect(events.map(({ id, signatureValid }) => [id as string | undefined, signatureValid]).reverse()).toEqual([
    [ids[0], true],
    [ids[1], null],
    [ids[2], null],
    [ids[3], true],
  ]);
});

test('are left out of an export, which lists and logs their ids', async () => {
  type Json = { events: { id: string }[]; damaged?: unknown };
  type Har = { log: { entries: { _id: string }[]; _damaged?: unknown } };
  const path = `/api/endpoints/${endpoint.id}/export`;
  const good = await ada.json<Json>(200, 'GET', path);
  const { log: goodLog } = await ada.json<Har>(200, 'GET', `${path}?format=har`);
  expect([good.events.length, 'damaged' in good, '_damaged' in goodLog, errorsLogged()]).toEqual([4, false, false, '']);
  await damage();
  const damaged = { count: 2, ids: [ids[1], ids[2]] };
  const json = await ada.json<Json>(200, 'GET', path);
  expect(json.events.map(({ id }) => id)).toEqual([ids[0], ids[3]] as string[]);
  expect(json.damaged).toEqual(damaged);
  const { log } = await ada.json<Har>(200, 'GET', `${path}?format=har`);
  expect(log.entries.map(({ _id }) => _id)).toEqual([ids[0], ids[3]] as string[]);
  expect(log._damaged).toEqual(damaged);
  expect(errorsLogged()).toContain(ids[1] as string);
  const textOf = async (format: string) => (await ada.call('GET', `${path}?format=${format}`)).text();
  const lines = (await textOf('ndjson')).trimEnd().split('\n');
  expect(lines.map(line => JSON.parse(line))).toEqual([...json.events, { damaged }]);
  const [columns = [], ...cells] = readCsv(await textOf('csv'));
  expect(cells.map(line => line[0] as string | undefined)).toEqual([ids[0], ids[3], ids[1], ids[2]]);
  expect(cells.map(line => line[columns.indexOf('payloadEncoding')])).toEqual(['utf8', 'utf8', 'damaged', 'damaged']);
  for (const line of cells) expect(line).toHaveLength(columns.length);
  const script = await textOf('curl');
  expect(script.match(/^\{ send 'evt_\w+/gm)).toEqual([`{ send '${ids[0]}`, `{ send '${ids[3]}`]);
  expect(script).toEndWith(
    `\ncomplain '2 events are damaged on disk and not in this script, such as ${ids[1]}'\nfinish\n`,
  );

  // An earlier export restores them.
  expect(await server.services.imports.add(endpoint.id, good.events)).toMatchObject({ imported: 2, alreadyThere: 2 });
});
