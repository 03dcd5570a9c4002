import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hooktape, hooktapeWithInput, startServer } from '../testing/command.ts';

let env: { HOOKTAPE_DATA_DIR: string };
let key: string;
beforeEach(async () => {
  env = { HOOKTAPE_DATA_DIR: mkdtempSync(join(tmpdir(), 'hooktape-test-')) };
  await hooktape(env, 'account', 'create', 'ada@example.com');
  key = (await hooktape(env, 'key', 'create', 'ci', '--account', 'ada@example.com')).stdout.trim();
});
afterEach(() => rmSync(env.HOOKTAPE_DATA_DIR, { recursive: true }));

const reset = (...options: string[]) =>
  hooktapeWithInput('a fresh long password\n', env, 'account', 'password', 'ada@example.com', ...options);
const keys = async () =>
  JSON.parse((await hooktape(env, 'key', 'list', '--account', 'ada@example.com', '--json')).stdout);

describe('hooktape account create', () => {
  const create = (...options: string[]) =>
    hooktapeWithInput('a good long password\n', env, 'account', 'create', 'bea@example.com', ...options);

  test('without a password prints to stderr a link that sets one', async () => {
    const server = await startServer(env);
    const { exitCode, stdout, stderr } = await create('--plan', 'pro');
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/^acc_\S+\tbea@example\.com\tpro\n$/)]);
    const [link = '', token = ''] = /http:\/\/localhost:\d+\/login\?invitation=(\S+)/.exec(stderr) ?? [];
    expect(link).toStartWith(server.origin.replace('127.0.0.1', 'localhost'));
    expect(stderr).toContain('hooktape account password bea@example.com --password-stdin --keep-keys');
    const post = (path: string, body: unknown) =>
      fetch(`${server.origin}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const password = 'chosen in the browser';
    expect((await post(`/api/invitations/${token}`, { password })).status).toBe(201);
    expect((await post('/api/session', { email: 'bea@example.com', password })).status).toBe(201);
    await server.stop();
  });

  test.each([['--password-stdin'], ['--json']])('with %s prints no link', async option => {
    const { exitCode, stdout, stderr } = await create(option);
    expect([exitCode, stderr]).toEqual([0, '']);
    if (option === '--json') expect(Object.keys(JSON.parse(stdout))).toEqual(['id', 'email', 'plan', 'createdAt']);
  });
});

describe('hooktape account password', () => {
  test('revokes the API keys and reports what it ended', async () => {
    const { exitCode, stdout, stderr } = await reset('--password-stdin');
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/^acc_\S+\tada@example\.com\tfree\n$/)]);
    expect(stderr).toBe('Ended 0 sessions and 0 app connections. Revoked 1 API key (use --keep-keys to keep them).\n');
    expect(await keys()).toEqual([]);
  });

  test('--keep-keys leaves the API keys valid', async () => {
    const { exitCode, stderr } = await reset('--password-stdin', '--keep-keys');
    expect([exitCode, stderr]).toEqual([
      0,
      'Ended 0 sessions and 0 app connections. API keys stay valid (--keep-keys).\n',
    ]);
    expect(await keys()).toHaveLength(1);
  });

  test('ends keys and sessions of a running server at once; --json has the counts', async () => {
    await reset('--password-stdin', '--keep-keys');
    const server = await startServer(env);
    const signIn = await fetch(`${server.origin}/api/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'ada@example.com', password: 'a fresh long password' }),
    });
    const cookie = signIn.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    const statuses = async () =>
      Promise.all(
        [{ authorization: `Bearer ${key}` }, { cookie }].map(
          async headers => (await fetch(`${server.origin}/api/me`, { headers })).status,
        ),
      );
    expect(await statuses()).toEqual([200, 200]);
    const { exitCode, stdout, stderr } = await reset('--password-stdin', '--json');
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toMatchObject({
      email: 'ada@example.com',
      sessionsEnded: 1,
      grantsRevoked: 0,
      keysRevoked: 1,
    });
    expect(await statuses()).toEqual([401, 401]);
    await server.stop();
  }, 120_000);
});

describe('hooktape account sign-in-link', () => {
  test('prints the link alone on stdout, or with --json its account and its end', async () => {
    const { exitCode, stdout, stderr } = await hooktape(env, 'account', 'sign-in-link', 'ada@example.com');
    expect([exitCode, stderr]).toEqual([
      0,
      expect.stringContaining('signs ada@example.com in once, within 15 minutes'),
    ]);
    expect(stdout).toMatch(/^http:\/\/localhost:\d+\/login\/link\?token=[0-9a-z]{52}\n$/);
    const json = await hooktape(env, 'account', 'sign-in-link', 'ada@example.com', '--json');
    expect(JSON.parse(json.stdout)).toMatchObject({
      email: 'ada@example.com',
      url: expect.stringContaining('/login/link?token='),
      expiresAt: expect.any(Number),
    });
  });

  test('fails for an unknown account', async () => {
    const { exitCode, stdout, stderr } = await hooktape(env, 'account', 'sign-in-link', 'nobody@example.com');
    expect([exitCode, stdout]).toEqual([1, '']);
    expect(stderr).toContain('account nobody@example.com not found');
  });
});

describe('hooktape account two-factor', () => {
  test.each([
    ['off', 'nobody@example.com', 1, 'account nobody@example.com not found'],
    ['off', 'ada@example.com', 1, 'one-time codes of ada@example.com are off already'],
    ['on', 'ada@example.com', 2, 'account two-factor off EMAIL'],
  ])('%s %s: exit code %d, %s', async (verb, email, code, words) => {
    const { exitCode, stdout, stderr } = await hooktape(env, 'account', 'two-factor', verb, email);
    expect([exitCode, stdout]).toEqual([code, '']);
    expect(stderr).toContain(words);
  });
});
