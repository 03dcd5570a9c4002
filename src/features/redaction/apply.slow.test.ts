/* Rules that are applied to stored events take values out of them, and leave nothing on the disk. */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { describeHits, scanFiles } from '../../testing/disk-scan.ts';
import { rowsOf } from '../../testing/events.ts';
import { isRemote } from '../../testing/remote/databases.ts';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';
import { decodeSchema } from '../schemas/shapes/codec.ts';

const secret = 'ada.lovelace@example.org';
let server: TestServer;
let owner: TestAccount;
beforeEach(async () => {
  server = await openTestServer();
  owner = await server.createAccount();
});
afterEach(() => server.close());

test('applies the present rules to the events that match, and to no other', async () => {
  const endpoint = await owner.createEndpoint();
  const body = (email: string) => JSON.stringify({ type: 'customer.created', data: { email } });
  const ids = [
    await server.deliver(endpoint, body(secret)),
    await server.deliver(endpoint, body(secret.toUpperCase())),
    await server.deliver(endpoint, JSON.stringify({ other: 1 })),
    await server.deliver(endpoint, JSON.stringify({ data: { email: secret }, fill: 'x'.repeat(200_000) })),
  ];
  await owner.json(200, 'PUT', `/api/events/${ids[0]}/pin`, { name: 'golden' });
  const path = `/api/endpoints/${endpoint.id}/redaction`;
  await owner.json(200, 'PUT', path, { rules: [{ in: 'body', path: 'data.email', with: 'mask' }] });
  expect(await owner.json(200, 'POST', `${path}/apply`, { where: '', dryRun: true })).toEqual({
    events: 4,
    changed: 3,
  });
  if (!isRemote) expect(scanFiles(server.directory, [secret])).not.toEqual([]);
  expect(await owner.json(200, 'POST', `${path}/apply`, { where: 'size<1k' })).toMatchObject({ events: 3, changed: 2 });
  expect(await owner.json(200, 'POST', `${path}/apply`, { where: '' })).toMatchObject({ events: 4 });
  if (!isRemote) expect(describeHits(scanFiles(server.directory, [secret]))).toEqual([]);
  const { events } = await owner.json<{ events: { id: string; redacted: unknown }[] }>(
    200,
    'GET',
    `/api/events?endpointId=${endpoint.id}`,
  );
  expect(events.map(({ id }) => id)).toEqual([...ids].reverse());
  expect(events.map(({ redacted }) => redacted === null)).toEqual([false, true, false, false]);
  const event = await owner.json<{ pin: unknown; body: string }>(200, 'GET', `/api/events/${ids[0]}`);
  expect(event.pin).not.toBeNull();
  expect(JSON.stringify(event)).toContain('****.org');
  // Nothing is left to take.
  expect(await owner.json(200, 'POST', `${path}/apply`, { where: '' })).toEqual({ events: 4, changed: 0 });
  expect((await server.services.database.client.execute('PRAGMA integrity_check')).rows[0]?.[0]).toBe('ok');
}, 60_000);

test('leaves no number from which what was taken can be guessed, and equal deliveries stay together', async () => {
  const endpoint = await owner.createEndpoint();
  const body = (pin: string) => JSON.stringify({ type: 'customer.created', pin });
  const ids = [await server.deliver(endpoint, body('1234')), await server.deliver(endpoint, body('9876'))];
  const numbers = async () =>
    (await rowsOf(server, 'SELECT delivery FROM events ORDER BY seq')).map(row => Number(row[0]));
  const before = await numbers();
  const path = `/api/endpoints/${endpoint.id}/redaction`;
  await owner.json(200, 'PUT', path, { rules: [{ in: 'body', path: 'pin', with: 'mask' }] });
  expect(await owner.json(200, 'POST', `${path}/apply`, { where: '' })).toEqual({ events: 2, changed: 2 });
  // A retry after it belongs to the same delivery.
  ids.push(await server.deliver(endpoint, body('1234')));
  const [first, second, third] = await numbers();
  expect(third).toBe(first ?? 0);
  expect(before).not.toContain(first);
  expect(before).not.toContain(second);
  expect(second).not.toBe(first);
  const attempts = await Promise.all(
    ids.map(async id => (await owner.json<{ delivery: object }>(200, 'GET', `/api/events/${id}`)).delivery),
  );
  expect(attempts).toMatchObject([
    { attempt: 1, attempts: 2 },
    { attempt: 1, attempts: 1 },
    { attempt: 2, attempts: 2 },
  ]);
  const registered = await rowsOf(server, 'SELECT delivery FROM delivery_attempts ORDER BY event');
  expect(registered.map(row => Number(row[0]))).toEqual(await numbers());
});

test('schemas lose the values of an enum that are taken out', async () => {
  const endpoint = await owner.createEndpoint();
  const word = 'quintessential';
  for (let i = 0; i < 12; i++)
    await server.deliver(endpoint, JSON.stringify({ type: 'kept', status: i % 2 ? word : 'open', kind: 'small' }));
  const schemas = async () => {
    const { schemas: listed } = await owner.json<{ schemas: { type: string }[] }>(
      200,
      'GET',
      `/api/endpoints/${endpoint.id}/schemas`,
    );
    expect(listed).toHaveLength(1);
    const rows = await rowsOf(server, 'SELECT shape FROM schemas');
    return JSON.stringify(
      [...(decodeSchema(new Uint8Array(rows[0]?.[0] as ArrayBuffer))?.root.object?.properties ?? [])].map(
        ([key, { shape }]) => [key, shape.words && [...shape.words]],
      ),
    );
  };
  expect(await schemas()).toContain(word);
  const path = `/api/endpoints/${endpoint.id}/redaction`;
  await owner.json(200, 'PUT', path, { rules: [{ in: 'body', path: 'status', with: 'mask' }] });
  expect(await owner.json(200, 'POST', `${path}/apply`, { where: '' })).toMatchObject({ changed: 12 });
  const after = await schemas();
  expect(after).not.toContain(word);
  expect(after).toContain('small');
  if (!isRemote) expect(describeHits(scanFiles(server.directory, [word]))).toEqual([]);
}, 60_000);
