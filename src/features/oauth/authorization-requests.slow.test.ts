/* How many authorization requests may be open, and how expired ones are deleted. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { isConsent } from '../../testing/oauth-answers.ts';
import {
  type OAuthHarness,
  openOAuthHarness,
  type SignedInAccount,
  type TestClient,
} from '../../testing/oauth-harness.ts';

let harness: OAuthHarness;
let ada: SignedInAccount;
let client: TestClient;
beforeEach(async () => {
  harness = await openOAuthHarness();
  ada = await harness.createAccount('ada@example.com');
  client = await harness.register();
});
afterEach(() => harness.close());

const ask = (who = ada) => harness.visit(harness.request(client), who.cookie);
const database = () => harness.services.database.client;
const pending = async (): Promise<number> =>
  Number((await database().execute('SELECT count(*) AS n FROM authz_requests')).rows[0]?.['n']);
/** Stores requests directly. */
const insert = async (count: number, who: SignedInAccount, expiresAt: number): Promise<void> => {
  await database().execute({
    sql: `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
          INSERT INTO authz_requests
            (hash, account_id, session_id, client_id, redirect_uri, challenge, scope, resource, expires_at)
          SELECT randomblob(32), ?, 'ses_1', 'dcr_1', 'https://c.test/cb', 'x', 'webhooks', 'y', ? FROM n`,
    args: [count, who.accountId, expiresAt],
  });
};

describe('GET /authorize', () => {
  test('the 21st open request of an account replaces its oldest', async () => {
    const oldest = await harness.handleIn(await ask());
    harness.clock.advance(1000);
    const second = await harness.handleIn(await ask());
    for (let i = 0; i < 19; i++) {
      harness.clock.advance(1000);
      await isConsent(await ask());
    }
    expect(await pending()).toBe(20);
    expect((await harness.answer(oldest, ada.cookie)).status).toBe(400);
    expect((await harness.answer(second, ada.cookie)).status).toBe(303);
  });

  test('429 with Retry-After for the 61st request of an address in a minute, until the minute is over', async () => {
    for (let i = 0; i < 60; i++) await isConsent(await ask());
    const refused = await ask();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60']);
    expect(await refused.text()).toContain('Try again in 60 s.');
    harness.clock.advance(60_000);
    await isConsent(await ask());
  });

  test('503 while 5,000 requests are open, without deleting those of other accounts', async () => {
    const bob = await harness.createAccount('bob@example.com');
    await insert(5000, bob, harness.clock.now() + 60_000);
    const refused = await ask();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '60']);
    expect(await pending()).toBe(5000);
    harness.clock.advance(60_000);
    await harness.services.oauth.maintain();
    await isConsent(await ask());
  });
});

test('expired requests are deleted in batches of 500 until none is left', async () => {
  await insert(1700, ada, harness.clock.now());
  await insert(3, ada, harness.clock.now() + 1);
  const sizes: number[] = [];
  const { client: writer } = harness.services.direct;
  const { batch } = writer;
  writer.batch = async (...statements: Parameters<typeof batch>) => {
    const results = await batch.apply(writer, statements);
    sizes.push(results.reduce((sum, { rowsAffected }) => sum + rowsAffected, 0));
    return results;
  };
  await harness.services.oauth.maintain();
  writer.batch = batch;
  expect(sizes.filter(size => size > 0)).toEqual([500, 500, 500, 200]);
  expect(await pending()).toBe(3);
});
