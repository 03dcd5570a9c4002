import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  base,
  failure,
  type OAuthHarness,
  openOAuthHarness,
  type SignedInAccount,
  type TestClient,
  type Tokens,
} from '../../testing/oauth-harness.ts';

const dayMs = 24 * 3_600_000;
let harness: OAuthHarness;
let ada: SignedInAccount;
let P: TestClient;
let S: TestClient;

beforeAll(async () => {
  harness = await openOAuthHarness();
  ada = await harness.createAccount('ada@example.com');
  P = await harness.register();
  S = await harness.register({ token_endpoint_auth_method: 'client_secret_post' });
});
afterAll(() => harness.close());

const tokens = async (response: Response): Promise<Tokens> => {
  expect(response.status).toBe(200);
  return (await response.json()) as Tokens;
};
const gone = '400 invalid_grant';

describe('rotation', () => {
  test('a refresh returns a new access token and a new refresh token', async () => {
    const first = await harness.connect(P, ada);
    const second = await tokens(await harness.refresh(P, first.refresh_token));
    expect(second.refresh_token).not.toBe(first.refresh_token);
    expect((await harness.use(second.access_token)).status).toBe(200);
  });
  test('a confidential client must authenticate', async () => {
    const { refresh_token } = await harness.connect(S, ada);
    expect(await failure(await harness.refresh(S, refresh_token, { client_secret: undefined }))).toBe(
      '401 invalid_client',
    );
    await tokens(await harness.refresh(S, refresh_token));
  });
  test("another client's token is refused and stays valid", async () => {
    const other = await harness.register();
    const { refresh_token } = await harness.connect(P, ada);
    expect(await failure(await harness.refresh(other, refresh_token))).toBe(gone);
    await tokens(await harness.refresh(P, refresh_token));
  });
  test('a rotated token works again within the grace window', async () => {
    const first = await harness.connect(P, ada);
    const winner = await tokens(await harness.refresh(P, first.refresh_token));
    harness.clock.advance(119_000);
    const sibling = await tokens(await harness.refresh(P, first.refresh_token));
    expect(sibling.refresh_token).not.toBe(winner.refresh_token);
    expect((await harness.use(winner.access_token)).status).toBe(200);
    await tokens(await harness.refresh(P, winner.refresh_token));
    await tokens(await harness.refresh(P, sibling.refresh_token));
  });
  test('a rotated token that is used after the grace window ends the grant', async () => {
    const first = await harness.connect(P, ada);
    const newest = await tokens(await harness.refresh(P, first.refresh_token));
    harness.clock.advance(120_000);
    expect(await failure(await harness.refresh(P, first.refresh_token))).toBe(gone);
    expect((await harness.use(newest.access_token)).status).toBe(401);
    expect(await failure(await harness.refresh(P, newest.refresh_token))).toBe(gone);
  });
  test('ten concurrent refreshes of one token all succeed', async () => {
    const { refresh_token } = await harness.connect(P, ada);
    const answers = await Promise.all(Array.from({ length: 10 }, () => harness.refresh(P, refresh_token)));
    for (const answer of answers) await harness.use((await tokens(answer)).access_token);
    const { rows } = await harness.services.database.client.execute(
      'SELECT count(DISTINCT parent) AS parents FROM oauth_refresh_tokens GROUP BY grant_id HAVING count(*) = 11',
    );
    expect(rows.map(row => Number(row['parents']))).toEqual([1]);
  });
  test('without a grace window one of ten concurrent refreshes succeeds and the grant ends', async () => {
    const strict = await openOAuthHarness({ overrides: { oauth: { refreshGraceMs: 0 } } });
    const eve = await strict.createAccount('eve@example.com');
    const client = await strict.register();
    const { refresh_token } = await strict.connect(client, eve);
    const answers = await Promise.all(Array.from({ length: 10 }, () => strict.refresh(client, refresh_token)));
    const good = answers.filter(({ status }) => status === 200);
    expect(good).toHaveLength(1);
    const { access_token } = (await (good[0] as Response).json()) as Tokens;
    expect((await strict.use(access_token)).status).toBe(401);
    await strict.close();
  });
});

describe('scope and resource of a refresh', () => {
  test('the scope may be absent or repeated, but not wider', async () => {
    let { refresh_token } = await harness.connect(P, ada);
    const answered = {
      '': 'webhooks',
      webhooks: 'webhooks',
      'webhooks offline_access': 'webhooks offline_access',
      offline_access: 'webhooks offline_access',
    };
    for (const [requested, granted] of Object.entries(answered)) {
      const next = await tokens(await harness.refresh(P, refresh_token, { scope: requested || undefined }));
      expect(next.scope).toBe(granted);
      expect((await harness.use(next.access_token)).status).toBe(200);
      refresh_token = next.refresh_token;
    }
    expect(await failure(await harness.refresh(P, refresh_token, { scope: 'webhooks admin' }))).toBe(
      '400 invalid_scope',
    );
    await tokens(await harness.refresh(P, refresh_token));
  });
  test('a narrower scope applies to this access token only', async () => {
    const { refresh_token } = await harness.connect(P, ada);
    await harness.services.database.client.execute(
      `UPDATE oauth_grants SET scope = 'webhooks webhooks:replay' WHERE revoked_at IS NULL`,
    );
    const narrow = await tokens(await harness.refresh(P, refresh_token, { scope: 'webhooks' }));
    expect(narrow.scope).toBe('webhooks');
    const whole = await tokens(await harness.refresh(P, narrow.refresh_token));
    expect(whole.scope).toBe('webhooks webhooks:replay');
  });
  test('another resource is refused without rotating the token', async () => {
    const { refresh_token } = await harness.connect(P, ada, { resource: `${base}/mcp` });
    expect(await failure(await harness.refresh(P, refresh_token, { resource: base }))).toBe('400 invalid_target');
    await tokens(await harness.refresh(P, refresh_token, { resource: `${base}/mcp` }));
  });
});

describe('a grant ends', () => {
  test('after thirty days without use', async () => {
    const { refresh_token } = await harness.connect(P, { ...ada, cookie: await harness.signIn('ada@example.com') });
    harness.clock.advance(30 * dayMs);
    expect(await failure(await harness.refresh(P, refresh_token))).toBe(gone);
  });
  test('after a year, however often it was used', async () => {
    let { refresh_token } = await harness.connect(P, { ...ada, cookie: await harness.signIn('ada@example.com') });
    for (let day = 0; day < 364; day += 26) {
      refresh_token = (await tokens(await harness.refresh(P, refresh_token))).refresh_token;
      harness.clock.advance(26 * dayMs);
    }
    harness.clock.advance(dayMs);
    expect(await failure(await harness.refresh(P, refresh_token))).toBe(gone);
  });
  test('when the user signs out everywhere', async () => {
    const eve = await harness.createAccount('eve@example.com');
    const { access_token, refresh_token } = await harness.connect(P, eve);
    await harness.services.oauth.revokeAllGrants(eve.accountId);
    expect((await harness.use(access_token)).status).toBe(401);
    expect(await failure(await harness.refresh(P, refresh_token))).toBe(gone);
  });
  test('when the account is deleted', async () => {
    const mallory = await harness.createAccount('mallory@example.com');
    const { access_token, refresh_token } = await harness.connect(P, mallory);
    await harness.services.account.remove('mallory@example.com');
    expect((await harness.use(access_token)).status).toBe(401);
    expect(await failure(await harness.refresh(P, refresh_token))).toBe(gone);
  });
  test('a refresh that cannot be written leaves the token valid', async () => {
    const { client } = harness.services.database;
    const fresh = { ...ada, cookie: await harness.signIn('ada@example.com') };
    const { refresh_token } = await harness.connect(P, fresh);
    await client.execute(
      `CREATE TRIGGER no_tokens BEFORE INSERT ON oauth_refresh_tokens BEGIN SELECT RAISE(ABORT, 'full'); END`,
    );
    expect((await harness.refresh(P, refresh_token)).status).toBe(500);
    await client.execute('DROP TRIGGER no_tokens');
    await tokens(await harness.refresh(P, refresh_token));
  });
  test('tokens, codes and secrets are stored only as hashes', async () => {
    const fresh = { ...ada, cookie: await harness.signIn('ada@example.com') };
    const code = await harness.codeFor(S, fresh);
    const { access_token, refresh_token } = await tokens(await harness.redeem(S, code));
    expect(refresh_token).toMatch(/^[0-9a-z]{52}$/);
    const handle = await harness.handleIn(await harness.visit(harness.request(P), fresh.cookie));
    const { client } = harness.services.database;
    const { rows } = await client.execute(
      `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'events%'`,
    );
    for (const { name } of rows) {
      const dump = await client.execute(`SELECT * FROM "${name}"`);
      const text = dump.rows
        .flatMap(row => Object.values(row))
        .map(value => (value instanceof ArrayBuffer ? Buffer.from(value).toString('latin1') : String(value)))
        .join('\n');
      for (const secret of [code, access_token, refresh_token, handle, S.secret ?? ''])
        expect(text.includes(secret)).toBe(false);
      expect(text).not.toContain('"d":');
    }
  });
});
