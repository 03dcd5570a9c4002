/* Redaction rules on a libSQL server that two processes share: the other process follows within 5 seconds. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { eventually } from '../poll.ts';
import { openTestServer, type TestAccount, type TestServer } from '../test-server.ts';
import { type LibsqlServer, noLibsqlServer, startLibsqlServer } from './libsql-server.ts';

const secret = 'the same secret for every process of an installation';
const body = '{"email":"ada.lovelace@example.com","n":1}';

describe.skipIf(noLibsqlServer !== undefined)('redaction on a libSQL server', () => {
  let libsql: LibsqlServer;
  let one: TestServer;
  let two: TestServer;
  let ada: TestAccount;
  const open = () => openTestServer({ env: { HOOKTAPE_DATABASE_URL: libsql.url, HOOKTAPE_SECRET: secret } });
  beforeAll(async () => {
    libsql = await startLibsqlServer();
    one = await open();
    two = await open();
    ada = await one.createAccount('redaction@example.com');
  });
  afterAll(async () => {
    await one?.close();
    await two?.close();
    await libsql?.remove();
  });
  const payloadOf = async (id: string): Promise<string> =>
    (await ada.json<{ payloadRaw: string }>(200, 'GET', `/api/events/${id}`)).payloadRaw;

  test('holds at once on the process that took the change, and within 5 seconds on the other', async () => {
    const endpoint = await ada.createEndpoint();
    expect(await payloadOf(await two.deliver(endpoint, body))).toBe(body);
    const rules = [{ in: 'body', path: 'email', with: 'hash' }];
    await ada.json(200, 'PUT', `/api/endpoints/${endpoint.id}/redaction`, { rules });
    const answeredAt = performance.now();
    const here = await payloadOf(await one.deliver(endpoint, body));
    expect(here).toMatch(/^\{"email":"hash_[\w-]{16}","n":1\}$/);
    let lastUnredactedAt = answeredAt;
    await eventually(async () => {
      const there = await payloadOf(await two.deliver(endpoint, body));
      if (there === body) lastUnredactedAt = performance.now();
      return there === here;
    });
    expect(lastUnredactedAt - answeredAt).toBeLessThan(5000);
    // An endpoint that this process has never seen comes with its rules.
    const fresh = await ada.createEndpoint();
    await ada.json(200, 'PUT', `/api/endpoints/${fresh.id}/redaction`, { rules });
    expect(await payloadOf(await two.deliver(fresh, body))).toBe(here);
  });

  test('a process that cannot read the rules answers 503, stores nothing, and heals', async () => {
    const endpoint = await ada.createEndpoint();
    const rules = [{ in: 'body', path: 'email', with: 'mask' }];
    await ada.json(200, 'PUT', `/api/endpoints/${endpoint.id}/redaction`, { rules });
    await two.services.registry.refresh();
    const { client } = one.services.database;
    const url = `${await two.listen()}${new URL(endpoint.url).pathname}`;
    const status = async (): Promise<number> => (await fetch(url, { method: 'POST', body })).status;
    expect(await status()).toBe(200);
    await client.execute('ALTER TABLE redaction_rules RENAME TO away');
    try {
      await eventually(async () => (await status()) === 503);
      const count = async () =>
        (await ada.json<{ eventCount: number }>(200, 'GET', `/api/endpoints/${endpoint.id}`)).eventCount;
      const before = await count();
      expect([await status(), await status()]).toEqual([503, 503]);
      expect(await count()).toBe(before);
    } finally {
      await client.execute('ALTER TABLE away RENAME TO redaction_rules');
    }
    await eventually(async () => (await status()) === 200);
    const { events } = await ada.json<{ events: { redacted: object | null }[] }>(
      200,
      'GET',
      `/api/events?endpointId=${endpoint.id}&limit=100`,
    );
    expect(events.filter(({ redacted }) => redacted === null)).toEqual([]);
  });
});
