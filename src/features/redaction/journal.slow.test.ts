/* What rules take out reaches no file, at any moment. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type HeldFiling, openHeldFiling } from '../../testing/held-filing.ts';
import { eventually } from '../../testing/poll.ts';
import { isRemote } from '../../testing/remote/databases.ts';
import type { TestServer } from '../../testing/test-server.ts';
import type { EventDetail } from '../events/model.ts';

const secret = 'lovelace-of-the-analytical-engine';
const body = JSON.stringify({ customer: { email: `${secret}@example.com` }, amount: 12 });
const rules = [
  { in: 'body', path: 'customer.email', with: 'mask' },
  { in: 'header', path: 'X-User', with: 'hash' },
  { in: 'query', path: 'user', with: 'remove' },
  { detect: 'email', with: 'remove' },
];
const headers = { 'content-type': 'application/json', 'X-User': secret };
const suffix = `/of/${secret}@example.com?user=${secret}&n=1`;

let held: HeldFiling;
beforeAll(async () => {
  if (isRemote) return;
  held = await openHeldFiling();
  const { ada, endpoint } = held;
  await ada.json(200, 'PUT', `/api/endpoints/${endpoint.id}/redaction`, { rules });
});
afterAll(() => held?.close());

const filesOf = (directory: string): string[] =>
  readdirSync(directory, { recursive: true })
    .map(name => join(directory, String(name)))
    .filter(path => statSync(path).isFile());
const filesWith = (directory: string, text: string): string[] =>
  filesOf(directory).filter(path => readFileSync(path).includes(text));

const detailIn = async (reader: TestServer, id: string): Promise<EventDetail> => {
  const authorization = `Bearer ${held.ada.key}`;
  return (await (await reader.fetch(`/api/events/${id}`, { headers: { authorization } })).json()) as EventDetail;
};

describe.skipIf(isRemote)('the journal', () => {
  test('has only what is kept, and a kill before filing loses neither that nor what was taken', async () => {
    held.hold();
    const first = await held.server.deliver(held.endpoint, body, { headers, suffix });
    const again = await held.server.deliver(held.endpoint, body, { headers, suffix });
    expect(filesWith(held.server.directory, '"amount":12').length).toBeGreaterThan(0);
    expect(filesWith(held.server.directory, secret)).toEqual([]);
    const directory = held.killedCopy();
    held.release();
    await held.withNextServer(directory, async next => {
      held.release();
      const [one, two] = [await detailIn(next, first), await detailIn(next, again)];
      expect(one).toMatchObject({ redacted: { sha256: null }, delivery: { attempt: 1, attempts: 2 } });
      expect(two).toMatchObject({ delivery: { attempt: 2, key: one.delivery.key } });
      expect(one.redacted?.rules).toBeGreaterThanOrEqual(3);
      expect(one).toEqual(await detailIn(held.server, first));
      expect(JSON.stringify([one, two])).not.toContain(secret);
      // The rules are loaded before the server takes deliveries.
      const later = await next.deliver(held.endpoint, body, { headers, suffix });
      expect((await detailIn(next, later)).redacted).not.toBeNull();
      expect(filesWith(directory, secret)).toEqual([]);
    });
  });

  test('a delivery that the database refuses is set aside without it, and no line of the log has it', async () => {
    const { server } = held;
    const { client } = server.services.database;
    await client.execute(`CREATE TRIGGER refuse BEFORE INSERT ON redactions BEGIN SELECT RAISE(ABORT, 'refused'); END`);
    await server.deliver(held.endpoint, body, { headers, suffix });
    await client.execute('DROP TRIGGER refuse');
    const path = await eventually(() => filesOf(server.directory).find(name => name.includes('refused-')));
    const { delivery, redaction } = JSON.parse(readFileSync(path, 'utf8'));
    expect(redaction.redacted.rules).toBeGreaterThanOrEqual(3);
    const text = Buffer.from(delivery.body, 'base64').toString() + Buffer.from(delivery.fields, 'base64').toString();
    expect(text).toContain('"amount":12');
    expect(text + JSON.stringify(delivery) + JSON.stringify(server.lines)).not.toContain(secret);
    expect(filesWith(server.directory, secret)).toEqual([]);
  });
});

describe.skipIf(isRemote)('rules that cannot be read', () => {
  test('refuse deliveries, test events and imports with 503, and nothing is stored', async () => {
    const { server, ada } = held;
    const endpoint = await ada.createEndpoint();
    await ada.json(200, 'PUT', `/api/endpoints/${endpoint.id}/redaction`, { rules });
    await server.services.database.client.execute({
      sql: `UPDATE redaction_rules SET redaction = ? WHERE endpoint = (SELECT seq FROM endpoints WHERE id = ?)`,
      args: [Buffer.from('{"rules":[{"in":"soul"}]}'), endpoint.id],
    });
    const directory = held.killedCopy();
    await held.withNextServer(directory, async next => {
      held.release();
      const origin = await next.listen();
      const response = await fetch(`${origin}${new URL(endpoint.url).pathname}`, { method: 'POST', body });
      expect([response.status, response.headers.get('retry-after')]).toEqual([503, '60']);
      expect(await response.text()).toContain('redaction');
      const authorization = `Bearer ${ada.key}`;
      const tested = await next.fetch(`/api/endpoints/${endpoint.id}/test-events`, {
        method: 'POST',
        body: '{"platform":"github"}',
        headers: { authorization, 'content-type': 'application/json' },
      });
      expect(tested.status).toBe(503);
      const path = `/api/endpoints/${endpoint.id}`;
      const shown = await (await next.fetch(path, { headers: { authorization } })).json();
      expect(shown).toMatchObject({ eventCount: 0 });
      expect(next.lines.filter(({ message }) => message.includes('redaction rules'))).toHaveLength(1);
      // Other endpoints are not affected.
      await next.deliver(held.endpoint, body, { headers });
    });
  });
});
