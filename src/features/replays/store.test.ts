/* Attempts are kept and deleted for each event separately. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Client } from '@libsql/client';
import { sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/libsql';
import { parseEventId } from '../../core/ids/ids.ts';
import type { Drizzle } from '../../db/database.ts';
import { replays } from '../../db/schema.ts';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';
import { createReplaysStore } from './store.ts';

let server: TestServer;
let ada: TestAccount;
beforeAll(async () => {
  server = await openTestServer();
  ada = await server.createAccount();
});
afterAll(() => server.close());

test('only the newest hundred attempts of an event are kept, whatever other events have', async () => {
  const { client, db } = server.services.database;
  let statements = 0;
  const countingClient: Client = {
    ...client,
    execute: (...args: Parameters<Client['execute']>) => {
      statements++;
      return client.execute(...args);
    },
  };
  const store = createReplaysStore(drizzle(countingClient) as Drizzle);
  const endpoint = await ada.createEndpoint();
  const seqs: number[] = [];
  for (let i = 0; i < 2; i++) seqs.push(parseEventId(await server.deliver(endpoint))?.seq ?? 0);
  const [busy = 0, quiet = 0] = seqs;
  const attempt = (event: number) =>
    store.insert(event, {
      accountId: ada.accountId,
      destination: '',
      status: 200,
      ok: true,
      durationMs: 0,
      createdAt: 0,
    });
  const kept = async (event: number) =>
    (await db.select({ n: sql<number>`count(*)` }).from(replays).where(sql`event = ${event}`))[0]?.n;
  for (let i = 0; i < 10; i++) await attempt(quiet);
  for (let i = 0; i < 99; i++) await attempt(busy);
  for (let i = 0; i < 40; i++) await attempt(quiet);
  for (let i = 0; i < 6; i++) await attempt(busy);
  expect([await kept(busy), await kept(quiet)]).toEqual([100, 50]);
  statements = 0;
  await attempt(quiet);
  expect(statements).toBe(1);
});
