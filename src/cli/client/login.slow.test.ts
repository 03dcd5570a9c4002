/* Signing in with a browser, which is played by HTTP, and with a key; several servers; signing out. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ClientHarness, openClientHarness } from '../../testing/client-commands.ts';
import { hooktape, hooktapeAtTerminal, hooktapeWithInput } from '../../testing/command.ts';

let client: ClientHarness;
let saved: string;
beforeAll(async () => {
  client = await openClientHarness();
  saved = join(client.directory, 'config/hooktape/servers.json');
});
afterEach(async () => {
  rmSync(join(client.directory, 'config'), { recursive: true, force: true });
  const made = (await keysOfAda()).filter(({ name }) => name !== 'test');
  for (const { id } of made) await client.ada.json(200, 'DELETE', `/api/keys/${id}`);
});
afterAll(() => client.close());

const readSaved = () => JSON.parse(readFileSync(saved, 'utf8'));
const keysOfAda = async (): Promise<{ id: string; name: string }[]> =>
  (await client.ada.json<{ keys: { id: string; name: string }[] }>(200, 'GET', '/api/keys')).keys;

/** `hooktape login`, with the browser's part up to the callback. @param change what happens to the callback's URL */
async function logIn(decision: 'allow' | 'deny' = 'allow', change: (callback: URL) => URL = url => url) {
  const env = { ...client.anonymous, BROWSER: client.browser };
  const ended = hooktape(env, 'login', client.url, '--json');
  const page = await client.openedPage();
  const { html, location } = await client.decide(page, decision, await client.signIn());
  const answer = await fetch(change(new URL(location)), { redirect: 'manual' });
  return { page, html, location, answer, ended };
}

describe('login with a browser', () => {
  test('saves a key of its own for this machine, readable by its owner only', async () => {
    const { page, html, answer, ended } = await logIn();
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('Signed in')]);
    const { exitCode, stdout, stderr } = await ended;
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toEqual(await client.ada.json(200, 'GET', '/api/me'));
    // The same code in the terminal and on the page, and the URL for those without a browser.
    const [, code = 'none'] = /shows this code: (\S+)$/m.exec(stderr) ?? [];
    expect(html).toContain(code);
    expect(stderr).toContain(page);
    const { current, servers } = readSaved();
    const { key, keyId } = servers[current];
    expect([current, `${stdout}${stderr}`.includes(key)]).toEqual([client.url, false]);
    expect([statSync(saved).mode & 0o777, statSync(join(saved, '..')).mode & 0o777]).toEqual([0o600, 0o700]);
    expect(readdirSync(join(saved, '..'))).toEqual(['servers.json']);
    expect((await keysOfAda()).find(({ id }) => id === keyId)?.name).toStartWith('hooktape on ');
    // A key of a person: it may do what apps may not.
    expect((await fetch(`${client.url}/api/team`, { headers: { authorization: `Bearer ${key}` } })).status).toBe(200);
    expect((await hooktape({ ...client.anonymous, HOOKTAPE_URL: '' }, 'whoami')).stdout).toStartWith(
      'ada@example.com\t',
    );
  });

  test('of a server on this machine asks no proxy that the environment names', async () => {
    const seen: string[] = [];
    using proxy = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch(request) {
        seen.push(request.url);
        return new Response();
      },
    });
    const proxyUrl = `http://127.0.0.1:${proxy.port}`;
    const env = { ...client.anonymous, BROWSER: client.browser, PATH: Bun.env['PATH'] ?? '' };
    // The proxy is the business of the process, not of the command.
    const child = Bun.spawn([process.execPath, join(import.meta.dir, '../../main.ts'), 'login', client.url, '--json'], {
      env: { ...env, HTTP_PROXY: proxyUrl, http_proxy: proxyUrl },
      stdout: 'pipe',
      stderr: 'pipe',
    });
    const page = await Promise.race([client.openedPage(), child.exited]);
    expect([page, seen]).toEqual([expect.any(String), []]);
    const { location } = await client.decide(String(page), 'allow', await client.signIn());
    await fetch(location);
    expect([await child.exited, seen]).toEqual([0, []]);
  });

  test('ends with 1 when the person refuses, and saves nothing', async () => {
    const { ended } = await logIn('deny');
    const { exitCode, stderr } = await ended;
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('denied in the browser')]);
    expect(existsSync(saved)).toBe(false);
    expect(await keysOfAda()).toHaveLength(1);
  });

  test('an answer with another state does not end it, and is not used', async () => {
    const { location, answer, ended } = await logIn('allow', callback => {
      const forged = new URL(callback);
      forged.searchParams.set('state', 'x'.repeat(43));
      forged.searchParams.set('code', 'stolen');
      return forged;
    });
    expect(answer.status).toBe(400);
    expect((await fetch(new URL('/other', location))).status).toBe(404);
    expect((await fetch(location)).status).toBe(200);
    expect((await ended).exitCode).toBe(0);
  });

  test('logging in again revokes the earlier key of this machine', async () => {
    await (await logIn()).ended;
    const before = readSaved().servers[client.url];
    await (await logIn()).ended;
    const { servers } = readSaved();
    expect(servers[client.url].key).not.toBe(before.key);
    expect((await keysOfAda()).map(({ id }) => id)).not.toContain(before.keyId);
    expect(await keysOfAda()).toHaveLength(2);
  });

  test('ends with 4 when the server cannot be reached, before a browser opens', async () => {
    const env = { ...client.anonymous, BROWSER: client.browser };
    expect((await hooktape(env, 'login', 'http://127.0.0.1:1')).exitCode).toBe(4);
    expect(existsSync(join(client.directory, 'opened'))).toBe(false);
  });

  test('ends with 1 at a server that has no such page, before a browser opens', async () => {
    using old = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('', { status: 404 }) });
    const env = { ...client.anonymous, BROWSER: client.browser };
    const { exitCode, stderr } = await hooktape(env, 'login', `http://127.0.0.1:${old.port}`);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('--key')]);
    expect(existsSync(join(client.directory, 'opened'))).toBe(false);
  });

  test('gives up after ten minutes', async () => {
    const { exitCode, stderr } = await hooktapeAtTerminal(
      { sleep: async () => {} },
      client.anonymous,
      'login',
      client.url,
    );
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('within 10 minutes')]);
    expect(stderr).toContain('Could not open a browser');
  });
});

describe('login --key', () => {
  test('reads the key from standard input or from a question without echo', async () => {
    expect((await hooktapeWithInput(`${client.ada.key}\n`, client.anonymous, 'login', '--key')).exitCode).toBe(0);
    expect(readSaved().servers[client.url]).toEqual({ key: client.ada.key, email: 'ada@example.com', keyId: null });
    const asked: unknown[] = [];
    const ask = async (question: string, isSecret: boolean): Promise<string> => {
      asked.push(question, isSecret);
      return client.ada.key;
    };
    const { exitCode, stdout } = await hooktapeAtTerminal({ ask }, client.anonymous, 'login', '--key');
    expect([exitCode, asked]).toEqual([0, ['API key: ', true]]);
    expect(stdout).toBe(`Signed in to ${client.url} as ada@example.com.\n`);
  });

  test('a key that is not valid is refused and not saved; one in the arguments is wrong usage', async () => {
    const wrong = `htk_${'x'.repeat(52)}`;
    expect((await hooktapeWithInput(wrong, client.anonymous, 'login', '--key')).exitCode).toBe(1);
    expect((await hooktapeWithInput('', client.anonymous, 'login', '--key')).exitCode).toBe(2);
    const { exitCode, stderr } = await hooktape(client.anonymous, 'login', '--key', client.ada.key);
    expect([exitCode, stderr.includes(client.ada.key)]).toEqual([2, false]);
    expect(existsSync(saved)).toBe(false);
  });
});

describe('several servers', () => {
  test('are kept side by side: the last login is the default, the environment wins', async () => {
    const other = await openClientHarness();
    try {
      const grace = await other.server.createAccount('grace@example.com');
      const anywhere = { XDG_CONFIG_HOME: client.anonymous.XDG_CONFIG_HOME };
      await hooktapeWithInput(client.ada.key, anywhere, 'login', client.url, '--key');
      await hooktapeWithInput(grace.key, anywhere, 'login', `${other.url}/app/`, '--key');
      const who = async (env: Record<string, string>) => (await hooktape(env, 'whoami')).stdout.split('\t')[0];
      expect(await who(anywhere)).toBe('grace@example.com');
      expect(await who({ ...anywhere, HOOKTAPE_URL: client.url })).toBe('ada@example.com');
      expect(await who({ ...anywhere, HOOKTAPE_URL: client.url, HOOKTAPE_KEY: grace.key })).toBe('');
      const file = join(client.directory, 'client.env');
      writeFileSync(file, `HOOKTAPE_URL=${client.url}\n`);
      expect((await hooktape(anywhere, 'whoami', '--env-file', file)).stdout).toStartWith('ada@');
      expect((await hooktape(anywhere, 'logout')).exitCode).toBe(0);
      expect(await who(anywhere)).toBe('ada@example.com');
    } finally {
      await other.close();
    }
  });

  test('a damaged file is said to be damaged, and needs not be read when the environment says everything', async () => {
    mkdirSync(join(saved, '..'), { recursive: true });
    writeFileSync(saved, '{');
    const { exitCode, stderr } = await hooktape(client.anonymous, 'whoami');
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('sign in again')]);
    expect((await client.run('whoami')).exitCode).toBe(0);
  });
});

describe('logout', () => {
  test('revokes the key that login made, and only forgets one that was given', async () => {
    await (await logIn()).ended;
    const { key } = readSaved().servers[client.url];
    const { exitCode, stdout } = await hooktape(client.anonymous, 'logout');
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('the key was revoked')]);
    expect((await hooktape({ ...client.env, HOOKTAPE_KEY: key }, 'whoami')).exitCode).toBe(1);
    expect((await hooktape(client.anonymous, 'logout')).exitCode).toBe(1);

    await hooktapeWithInput(client.ada.key, client.anonymous, 'login', '--key');
    expect((await hooktape(client.anonymous, 'logout', client.url)).stdout).toContain('stays valid');
    expect((await client.run('whoami')).exitCode).toBe(0);
    expect(readSaved().servers).toEqual({});
  });

  test('forgets the key also when the server cannot be reached', async () => {
    mkdirSync(join(saved, '..'), { recursive: true });
    const server = { key: 'htk_x', email: 'a@example.com', keyId: 'key_1' };
    writeFileSync(saved, JSON.stringify({ current: 'http://127.0.0.1:1', servers: { 'http://127.0.0.1:1': server } }));
    const { exitCode, stdout, stderr } = await hooktape(
      { XDG_CONFIG_HOME: client.anonymous.XDG_CONFIG_HOME },
      'logout',
    );
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('stays valid')]);
    expect(stderr).toContain('cannot be reached');
    expect(readSaved().servers).toEqual({});
  });
});
