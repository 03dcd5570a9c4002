/* Server failures, as the caller and the log see them. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { isRemote } from '../testing/remote/databases.ts';
import { openTestServer, type TestAccount, type TestServer } from '../testing/test-server.ts';

let server: TestServer;
let ada: TestAccount;
beforeEach(async () => {
  server = await openTestServer();
  ada = await server.createAccount();
});
afterEach(() => server.close());

const sql = async (text: string) => Number((await server.services.database.client.execute(text)).rows[0]?.[0]);
const send = async (method: string, path: string, body?: unknown): Promise<Response> =>
  fetch((await server.listen()) + path, {
    method,
    headers: { authorization: `Bearer ${ada.key}` },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
/** Without audit entries of what still succeeded: their table may be full first. */
const failures = () =>
  server.lines.filter(({ level, message }) => level === 'error' && !message.startsWith('an entry of the audit log'));

describe.skipIf(isRemote)('a full disk', () => {
  test.each([
    ['/api/endpoints', (n: number) => ({ name: `${n} ${'😀'.repeat(90)}` })],
    ['/api/team/invitations', (n: number) => ({ email: `${n}@${'m'.repeat(180)}.test` })],
  ])(
    'POST %s gets 503 with Retry-After on a full disk, logs the cause once, and works again when there is room',
    async (path, body) => {
      // The empty search index of 1.0 leaves free pages when it is removed.
      await server.services.background.idle();
      while (await sql('PRAGMA freelist_count')) await server.services.database.maintenance?.vacuum(1000);
      await sql(`PRAGMA max_page_count = ${await sql('PRAGMA page_count')}`);
      let n = 0;
      let answer: Response;
      // The last pages still have room for some.
      do answer = await send('POST', path, body(++n));
      while (answer.status === 201);
      expect(answer.status).toBe(503);
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(await answer.json()).toEqual({ error: 'the storage cannot take this now, try again' });
      expect(failures()).toHaveLength(1);
      expect(failures()[0]?.fields).toMatchObject({ requestId: expect.stringMatching(/^[0-9a-z]+$/) });
      expect(String(Bun.inspect(failures()[0]?.fields['cause']))).toContain('SQLITE_FULL');

      expect((await send('GET', '/api/me')).status).toBe(200);
      await sql('PRAGMA max_page_count = 1073741823');
      expect((await send('POST', path, body(++n))).status).toBe(201);
    },
  );
});

describe('a defect', () => {
  test('is answered with 500 without details, and logged once with its cause and the request id', async () => {
    const { id } = await ada.createEndpoint();
    await sql('ALTER TABLE secrets RENAME TO elsewhere');
    const answers = await Promise.all([1, 2].map(() => send('GET', `/api/endpoints/${id}/secrets`)));
    for (const answer of answers)
      expect([answer.status, await answer.json()]).toEqual([500, { error: 'internal error' }]);
    const ids = failures().map(({ fields }) => fields['requestId']);
    expect(ids).toEqual([expect.stringMatching(/^[0-9a-z]+$/), expect.stringMatching(/^[0-9a-z]+$/)]);
    expect(new Set(ids).size).toBe(2);
    expect(String(Bun.inspect(failures()[0]?.fields['cause']))).toContain('no such table');
  });

  test('in receiving a delivery is answered with 503, and logged once with an id of its own', async () => {
    const { url } = await ada.createEndpoint();
    await sql('ALTER TABLE secrets RENAME TO elsewhere');
    const handshakes = ['a-long-secret', 'another-secret'].map(async secret =>
      fetch((await server.listen()) + new URL(url).pathname, { method: 'POST', headers: { 'x-hook-secret': secret } }),
    );
    for (const { status } of await Promise.all(handshakes)) expect(status).toBe(503);
    expect(failures().map(({ fields }) => fields['requestId'])).toEqual(['in-1', 'in-2']);
    expect(String(Bun.inspect(failures()[0]?.fields['cause']))).toContain('no such table');
  });
});
