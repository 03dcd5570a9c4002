/* When a key that an app made holds. */
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
    { ...app, id: 'app_foreign', issuer: 'https://one.test', clientId: 'off', name: 'foreign' },
    { ...app, id: 'app_refused', issuer: 'https://one.test', clientId: 'refused', name: 'refused', revokedAt: 1 },
  ]);
  await db.insert(oauthGrants).values([
    { ...grant, id: 'grt_live', appId: 'app_live' },
    { ...grant, id: 'grt_expired', appId: 'app_live', expiresAt: now },
    { ...grant, id: 'grt_ended', appId: 'app_ended', revokedAt: 1 },
  ]);
  await db.insert(oauthClients).values([
    { ...client, id: 'live', name: 'live' },
    { ...client, id: 'off', name: 'switched off', disabledAt: 1 },
  ]);
});
afterAll(() => server.close());

test.each([
  ['app_live', 'grt_live', true],
  ['app_live', 'grt_expired', false],
  ['app_live', null, false],
  ['app_ended', 'grt_ended', false],
  // A living grant of another app is worth nothing.
  ['app_ended', 'grt_live', false],
  ['app_gone', 'grt_live', false],
  ['app_foreign', null, true],
  ['app_refused', null, false],
])('a key of %s under %p can be made and holds: %p', async (appId, grantId, holds) => {
  const hash = Buffer.from(`${appId} ${grantId}`);
  const row = { accountId: ada.accountId, name: 'k', last4: 'last', createdAt: 0 };
  const made = await store.insertWithin(100, { ...row, id: `made ${hash}`, hash }, { id: appId, grantId }, now);
  expect(made !== 'gone').toBe(holds);
  if (appId === 'app_gone') return;
  const held = Buffer.from(`held ${hash}`);
  await server.services.database.db.insert(apiKeys).values({ ...row, id: `${held}`, hash: held, appId, grantId });
  expect((await store.holderOf(held, now))?.app).toEqual(holds ? { id: appId, grantId } : undefined);
});

test('keys of other apps and of other grants stay when one is revoked', async () => {
  const { db } = server.services.database;
  await db.delete(apiKeys).where(eq(apiKeys.accountId, ada.accountId));
  const makers: [string, string | null][] = [
    ['app_live', 'grt_live'],
    ['app_live', 'grt_expired'],
    ['app_foreign', null],
  ];
  for (const [appId, grantId] of makers) {
    const id = `${appId} ${grantId}`;
    const row = { accountId: ada.accountId, name: 'k', last4: 'last', createdAt: 0 };
    await db.insert(apiKeys).values({ ...row, id, hash: Buffer.from(id), appId, grantId });
  }
  const left = async () => (await store.listOf(ada.accountId)).map(({ id }) => id).sort();
  await db.update(connectedApps).set({ revokedAt: now }).where(eq(connectedApps.id, 'app_foreign'));
  expect(await left()).toEqual(['app_live grt_expired', 'app_live grt_live']);
  await db.update(oauthGrants).set({ revokedAt: now }).where(eq(oauthGrants.id, 'grt_expired'));
  expect(await left()).toEqual(['app_live grt_live']);
});
