/* When a key that an app created is valid. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { apiKeys } from '../../db/schema.ts';
import { connectedApps, oauthClients, oauthGrants } from '../../db/schema-oauth.ts';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';
import { createKeysStore, type KeysStore } from './store.ts';

const now = 1000;
let server: TestServer;
let store: KeysStore;
let ada: TestAccount;
beforeAll(async () => {
  server = await openTestServer();
  const { db } = server.services.database;
  store = createKeysStore(db);
  ada = await server.createAccount('ada@example.com');
  const app = { accountId: ada.accountId, issuer: '', createdAt: 0 };
  const grant = { scope: '', resource: '', redirectHost: '', createdAt: 0, expiresAt: 9999 };
  const client = { kind: 'dcr' as const, redirectUris: [], authMethods: 'none', mayRefresh: true, createdAt: 0 };
  await db.insert(connectedApps).values([
    { ...app, id: 'app_live', clientId: 'live', name: 'live' },
    { ...app, id: 'app_ended', clientId: 'ended', name: 'ended' },
    { ...app, id: 'app_external', issuer: 'https://one.test', clientId: 'off', name: 'external' },
    { ...app, id: 'app_refused', issuer: 'https://one.test', clientId: 'refused', name: 'refused', revokedAt: 1 },
  ]);
  await db.insert(oauthGrants).values([
    { ...grant, id: 'grt_live', appId: 'app_live' },
    { ...grant, id: 'grt_expired', appId: 'app_live', expiresAt: now },
    { ...grant, id: 'grt_ended', appId: 'app_ended', revokedAt: 1 },
  ]);
  await db.insert(oauthClients).values([
    { ...client, id: 'live', name: 'live' },
    { ...client, id: 'off', name: 'disabled', disabledAt: 1 },
  ]);
});
afterAll(() => server.close());

test.each([
  ['app_live', 'grt_live', true],
  ['app_live', 'grt_expired', false],
  ['app_live', null, false],
  ['app_ended', 'grt_ended', false],
  // The active grant of another app does not count.
  ['app_ended', 'grt_live', false],
  ['app_gone', 'grt_live', false],
  ['app_external', null, true],
  ['app_refused', null, false],
])('a key of %s under the grant %p can be created and used: %p', async (appId, grantId, isValid) => {
  const hash = Buffer.from(`${appId} ${grantId}`);
  const row = { accountId: ada.accountId, name: 'k', last4: 'last', createdAt: 0 };
  const inserted = await store.insertWithinLimit(
    100,
    { ...row, id: `inserted ${hash}`, hash },
    { id: appId, grantId },
    now,
  );
  expect(inserted !== 'gone').toBe(isValid);
  if (appId === 'app_gone') return;
  const stored = Buffer.from(`stored ${hash}`);
  await server.services.database.db.insert(apiKeys).values({ ...row, id: `${stored}`, hash: stored, appId, grantId });
  expect((await store.findByHash(stored, now))?.app).toEqual(isValid ? { id: appId, grantId } : undefined);
});

test('revoking a grant keeps the keys of other apps and other grants', async () => {
  const { db } = server.services.database;
  await db.delete(apiKeys).where(eq(apiKeys.accountId, ada.accountId));
  const makers: [string, string | null][] = [
    ['app_live', 'grt_live'],
    ['app_live', 'grt_expired'],
    ['app_external', null],
  ];
  for (const [appId, grantId] of makers) {
    const id = `${appId} ${grantId}`;
    const row = { accountId: ada.accountId, name: 'k', last4: 'last', createdAt: 0 };
    await db.insert(apiKeys).values({ ...row, id, hash: Buffer.from(id), appId, grantId });
  }
  const left = async () => (await store.listOf(ada.accountId)).map(({ id }) => id).sort();
  await db.update(connectedApps).set({ revokedAt: now }).where(eq(connectedApps.id, 'app_external'));
  expect(await left()).toEqual(['app_live grt_expired', 'app_live grt_live']);
  await db.update(oauthGrants).set({ revokedAt: now }).where(eq(oauthGrants.id, 'grt_expired'));
  expect(await left()).toEqual(['app_live grt_live']);
});
