import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { holdClock } from '../../testing/clock.ts';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';

const clock = holdClock();
let server: TestServer;
let ada: TestAccount;
let bob: TestAccount;

beforeAll(async () => {
  server = await openTestServer({ clock });
  ada = await server.createAccount('ada@example.com');
  bob = await server.createAccount('bob@example.com');
});
afterAll(() => server.close());

type Key = { id: string; name: string; last4: string; key?: string; lastUsedAt: number | null };
const keysOf = async (caller: TestAccount) => (await caller.json<{ keys: Key[] }>(200, 'GET', '/api/keys')).keys;

describe('POST /api/keys', () => {
  test('201 with the full key, which is shown only once', async () => {
    const created = await ada.json<Key>(201, 'POST', '/api/keys', { name: '  deploy  ' });
    expect(created).toMatchObject({ name: 'deploy', lastUsedAt: null, last4: created.key?.slice(-4) ?? '' });
    expect(created.key).toMatch(/^htk_[0-9a-z]{52}$/);
    const listed = (await keysOf(ada)).find(key => key.id === created.id);
    expect(Object.keys(listed ?? {}).sort()).toEqual([
      'app',
      'createdAt',
      'expiresAt',
      'id',
      'last4',
      'lastUsedAt',
      'name',
      'readOnly',
    ]);
  });

  test.each([
    [''],
    ['   '],
    ['a'.repeat(101)],
    ['😀'.repeat(101)],
    ['a\nb'],
    ['\u0000'],
    ['a\u2028x'],
    [5],
    [null],
    [undefined],
    [['a']],
    ['\ud800'],
  ])('400 for the name %j', async name => {
    const { error } = await ada.json<{ error: string }>(400, 'POST', '/api/keys', { name });
    expect(error).toContain('name');
  });

  test('characters outside the basic plane count as one each', async () => {
    const { id } = await ada.json<Key>(201, 'POST', '/api/keys', { name: '😀'.repeat(100) });
    await ada.json(200, 'DELETE', `/api/keys/${id}`);
  });

  test('403 when the account already has 10 keys, also for concurrent requests', async () => {
    const carol = await server.createAccount('carol@example.com');
    const answers = await Promise.all(
      Array.from({ length: 15 }, (_, i) => carol.call('POST', '/api/keys', { name: `k${i}` })),
    );
    expect(answers.filter(answer => answer.status === 201)).toHaveLength(9);
    expect(answers.filter(answer => answer.status === 403)).toHaveLength(6);
    expect(await keysOf(carol)).toHaveLength(10);
  });

  test('401 when the account is deleted during the request', async () => {
    const dave = await server.createAccount('dave@example.com');
    await server.services.account.remove('dave@example.com');
    const refusals = [
      server.services.keys.create(dave.accountId, 'late'),
      server.services.account.account(dave.accountId),
    ].map(late => late.catch((error: unknown) => error));
    expect(await Promise.all(refusals)).toMatchObject([{ code: 'unauthorized' }, { code: 'unauthorized' }]);
  });
});

describe('DELETE /api/keys/{id}', () => {
  test('revokes the key at once, and a second call is 404', async () => {
    const { id, key } = await ada.json<Key>(201, 'POST', '/api/keys', { name: 'short-lived' });
    const use = () => server.fetch('/api/me', { headers: { authorization: `Bearer ${key}` } });
    expect((await use()).status).toBe(200);
    expect(await ada.json(200, 'DELETE', `/api/keys/${id}`)).toEqual({ ok: true });
    expect((await use()).status).toBe(401);
    await ada.json(404, 'DELETE', `/api/keys/${id}`);
  });

  test("another account's key is answered like one that does not exist", async () => {
    const [theirs] = await keysOf(bob);
    const notOwned = await ada.call('DELETE', `/api/keys/${theirs?.id}`);
    const missing = await ada.call('DELETE', '/api/keys/key_nothing');
    expect([notOwned.status, await notOwned.text()]).toEqual([missing.status, await missing.text()]);
    expect(notOwned.status).toBe(404);
    expect((await bob.call('GET', '/api/me')).status).toBe(200);
  });
});

describe('lastUsedAt', () => {
  test('is shown at once and written by a flush', async () => {
    const dora = await server.createAccount('dora@example.com');
    clock.advance(5000);
    const [own] = await keysOf(dora);
    expect(own?.lastUsedAt).toBe(clock.now());
    const stored = async () =>
      (
        await server.services.database.client.execute({
          sql: 'SELECT last_used_at FROM api_keys WHERE id = ?',
          args: [own?.id ?? ''],
        })
      ).rows[0]?.[0];
    expect(await stored()).toBeNull();
    await server.services.keys.flushUses();
    expect(await stored()).toBe(clock.now());
  });
});
