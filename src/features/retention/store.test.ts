/* Which empty rows are removed. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { endpoints, teams } from '../../db/schema.ts';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';
import { createRetentionStore } from './store.ts';

let server: TestServer;
let ada: TestAccount;
beforeAll(async () => {
  server = await openTestServer();
  ada = await server.createAccount();
});
afterAll(() => server.close());

test('a team with people or endpoints is kept, and so is a deleted endpoint with events', async () => {
  const { database } = server.services;
  const { db } = database;
  const store = createRetentionStore(database);
  const { teamId } = await server.services.account.byEmail(ada.email);
  await db.insert(teams).values(['left', 'abandoned'].map(id => ({ id, plan: 'pro' as const, createdAt: 0 })));
  const row = (id: string, team: string, deletedAt: number | null) => ({
    id,
    teamId: team,
    name: id,
    token: id,
    createdAt: 0,
    deletedAt,
  });
  await db.insert(endpoints).values([row('ep_abandoned', 'abandoned', null), row('ep_empty', teamId, 1)]);
  const { id } = await ada.createEndpoint();
  await server.deliver({ url: (await ada.json<{ url: string }>(200, 'GET', `/api/endpoints/${id}`)).url });
  await db.update(endpoints).set({ deletedAt: 1 }).where(eq(endpoints.id, id));
  await store.removeEmpty(2);
  const names = async (table: typeof teams | typeof endpoints) =>
    (await db.select().from(table)).map(one => one.id).sort();
  expect([await names(teams), await names(endpoints)]).toEqual([
    ['abandoned', teamId].sort(),
    ['ep_abandoned', id].sort(),
  ]);
  // A team with people, without endpoints.
  await db.delete(endpoints).where(eq(endpoints.id, 'ep_abandoned'));
  await server.createAccount('bob@example.com');
  await store.removeEmpty(2);
  expect(await names(teams)).toHaveLength(2);
  expect(await names(teams)).not.toContain('abandoned');
});
