/* What only a real process can say: its environment, its files, its signals, its exit codes. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { closeSync, existsSync, mkdtempSync, openSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from './testing/poll.ts';
import { openWire } from './testing/raw-http.ts';

let directory: string;
const running = new Set<Bun.Subprocess>();
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'hooktape-test-'));
});
afterEach(async () => {
  for (const child of running) child.kill('SIGKILL');
  await Promise.all([...running].map(child => child.exited));
  running.clear();
  rmSync(directory, { recursive: true, force: true });
});

// What Bun would find by itself in the project's directory.
const projectSettings = `--config=${join(import.meta.dir, '../bunfig.toml')}`;

/** The program, started in the empty directory of this test with this environment alone. */
function start(
  args: string[],
  { env = {}, stdin = '', stdout }: { env?: Record<string, string>; stdin?: string; stdout?: number } = {},
) {
  const child = Bun.spawn([process.execPath, projectSettings, join(import.meta.dir, 'main.ts'), ...args], {
    cwd: directory,
    env: { PATH: Bun.env['PATH'] ?? '', ...env },
    stdin: Buffer.from(stdin),
    stdout: stdout ?? 'pipe',
    stderr: 'pipe',
  });
  running.add(child);
  const said = { stdout: '', stderr: '' };
  const read = async (name: 'stdout' | 'stderr'): Promise<void> => {
    const decoder = new TextDecoder();
    const stream = child[name];
    if (typeof stream === 'number' || stream === undefined) return;
    for await (const chunk of stream) said[name] += decoder.decode(chunk, { stream: true });
  };
  const done = Promise.all([read('stdout'), read('stderr'), child.exited]).then(([, , exitCode]) => {
    running.delete(child);
    return { exitCode, ...said };
  });
  return { child, said, done };
}
const run = (args: string[], options: Parameters<typeof start>[1] = {}) => start(args, options).done;

async function serve(env: Record<string, string> = {}) {
  const server = start(['serve'], { env: { HOOKTAPE_PORT: '0', ...env } });
  await eventually(() => server.said.stdout.includes('Ready.'), 15_000);
  const origin = /at (http:\S+[^/\s])\/?$/m.exec(server.said.stdout)?.[1] ?? '';
  return { ...server, origin: origin.replace('localhost', '127.0.0.1') };
}

const owner = { HOOKTAPE_OWNER_EMAIL: 'owner@example.com', HOOKTAPE_OWNER_PASSWORD: 'a good long password' };

/** A key made through the running server, and a place for deliveries. */
async function inbox(origin: string): Promise<{ headers: Record<string, string>; address: string }> {
  const key = (await run(['key', 'create', 'test', '--account', owner.HOOKTAPE_OWNER_EMAIL])).stdout.trim();
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const made = await fetch(`${origin}/api/endpoints`, { method: 'POST', headers, body: '{"name":"inbox"}' });
  const { url } = (await made.json()) as { url: string };
  return { headers, address: `${origin}${new URL(url).pathname}` };
}

describe('a server', () => {
  test('runs commands, and after SIGTERM finishes the upload in progress and exits with 0', async () => {
    const server = await serve(owner);
    expect(statSync(join(directory, 'data')).mode & 0o777).toBe(0o700);
    expect(statSync(join(directory, 'data/hooktape.sock')).mode & 0o777).toBe(0o600);
    const { address, headers } = await inbox(server.origin);

    const idle = await openWire(server.origin);
    idle.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
    await idle.until(/\{"ok":true\}/);
    const upload = await openWire(server.origin);
    upload.write(
      `POST ${new URL(address).pathname} HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n`,
    );
    await upload.until(/100 Continue/);
    server.child.kill('SIGTERM');
    await idle.closed;
    upload.write('late');
    const answer = await upload.until(/"id":"evt_\w+"\}/);
    const { exitCode, stderr } = await server.done;
    expect(exitCode).toBe(0);
    expect(existsSync(join(directory, 'data/hooktape.sock'))).toBe(false);
    for (const line of stderr.trim().split('\n')) expect(JSON.parse(line)).toMatchObject({ level: 'info' });

    const again = await serve();
    const event = await fetch(`${again.origin}/api/events/${/evt_\w+/.exec(answer)?.[0]}`, { headers });
    expect(((await event.json()) as { payloadRaw: string }).payloadRaw).toBe('late');
  }, 30_000);

  test.each([
    ['SIGTERM', 'SIGTERM'],
    ['SIGTERM', 'SIGINT'],
    ['SIGINT', 'SIGTERM'],
  ] as const)(
    '%s and then %s ends it at once, even during uploads',
    async (first, second) => {
      const server = await serve(owner);
      const { address } = await inbox(server.origin);
      const [idle, upload] = [await openWire(server.origin), await openWire(server.origin)];
      idle.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
      await idle.until(/\{"ok":true\}/);
      upload.write(
        `POST ${new URL(address).pathname} HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n`,
      );
      await upload.until(/100 Continue/);
      server.child.kill(first);
      await idle.closed;
      // The upload would be waited for twenty seconds.
      await eventually(() => {
        server.child.kill(second);
        return server.child.exitCode !== null;
      });
      expect((await server.done).exitCode).toBe(1);
    },
    20_000,
  );

  test('ends as after one signal when a runner passes on the one that the terminal has sent to both', async () => {
    const server = await serve(owner);
    const { address } = await inbox(server.origin);
    const upload = await openWire(server.origin);
    upload.write(
      `POST ${new URL(address).pathname} HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n`,
    );
    await upload.until(/100 Continue/);
    // Two signals of one kind become one if the first has not been handled yet.
    server.child.kill('SIGINT');
    await eventually(() => server.said.stderr.includes('"stopping"'));
    server.child.kill('SIGINT');
    server.child.kill('SIGTERM');
    upload.write('late');
    await upload.until(/"id":"evt_\w+"\}/);
    const { exitCode, stderr } = await server.done;
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining('"stopped"')]);
    const leftOver = (name: string): number =>
      statSync(join(directory, 'data', name), { throwIfNoEntry: false })?.size ?? 0;
    expect(['hooktape.db-wal', 'hooktape.db.capture', 'hooktape.sock'].map(leftOver)).toEqual([0, 0, 0]);
  }, 20_000);

  test('killed with SIGKILL, keeps every acknowledged delivery, and the next server can start', async () => {
    const server = await serve(owner);
    const { address, headers } = await inbox(server.origin);
    const ids: string[] = [];
    const senders = Array.from({ length: 16 }, async () => {
      for (;;) {
        const response = await fetch(address, { method: 'POST', body: `{"n":${ids.length}}` }).catch(() => undefined);
        if (!response?.ok) return;
        const text = await response.text().catch(() => '');
        const id = /evt_\w+/.exec(text)?.[0];
        if (id) ids.push(id);
      }
    });
    await eventually(() => ids.length > 300);
    server.child.kill('SIGKILL');
    await Promise.all(senders);
    expect(existsSync(join(directory, 'data/hooktape.sock'))).toBe(true);

    const again = await serve();
    const status = async (id: string) => (await fetch(`${again.origin}/api/events/${id}`, { headers })).status;
    const statuses = await Promise.all(ids.slice(-100).map(status));
    expect(new Set(statuses)).toEqual(new Set([200]));
  }, 30_000);

  test('exits with 0 after SIGTERM during its start, and the next server can start', async () => {
    const starting = start(['serve'], { env: { HOOKTAPE_PORT: '0' } });
    await eventually(() => existsSync(join(directory, 'data/hooktape.lock')), 15_000);
    starting.child.kill('SIGTERM');
    expect((await starting.done).exitCode).toBe(0);
    const again = await serve();
    expect((await fetch(`${again.origin}/readyz`)).status).toBe(200);
  }, 30_000);

  test('is asked for its health without the proxy of the environment', async () => {
    const server = await serve();
    const proxy = 'http://127.0.0.1:1';
    const env = { HTTP_PROXY: proxy, http_proxy: proxy, HOOKTAPE_PORT: new URL(server.origin).port };
    expect(await run(['health'], { env })).toEqual({ exitCode: 0, stdout: 'ready\n', stderr: '' });
  }, 30_000);

  test('on a data directory in use exits with 1 and names the other server, which keeps running', async () => {
    const server = await serve();
    const second = await run(['serve'], { env: { HOOKTAPE_PORT: '0' } });
    expect([second.exitCode, second.stdout]).toEqual([1, '']);
    expect(second.stderr).toBe(
      `hooktape: ${join(directory, 'data')} is in use by hooktape serve (pid ${server.child.pid})\n`,
    );
    expect((await fetch(`${server.origin}/readyz`)).status).toBe(200);
  }, 30_000);
});

describe('settings', () => {
  test('come from the environment, then the env file, then the default; ./hooktape.env is read, .env is not', async () => {
    writeFileSync(join(directory, '.env'), 'HOOKTAPE_PORT=1111\nHOOKTAPE_HOST=1.1.1.1\nHOOKTAPE_RATE_LIMIT=11\n');
    writeFileSync(join(directory, 'hooktape.env'), 'HOOKTAPE_PORT=2222\nHOOKTAPE_HOST=0.0.0.0\n');
    writeFileSync(join(directory, 'other.env'), 'HOOKTAPE_PORT=3333\n');
    const config = async (args: string[], env: Record<string, string> = {}) => {
      const { exitCode, stdout, stderr } = await run(['config', ...args], { env });
      expect([exitCode, stderr]).toEqual([0, '']);
      return stdout;
    };
    const [plain, over, given, named] = await Promise.all([
      config([]),
      config([], { HOOKTAPE_HOST: '127.0.0.9' }),
      config(['--env-file', 'other.env'], { HOOKTAPE_ENV_FILE: 'hooktape.env' }),
      config([], { HOOKTAPE_ENV_FILE: 'other.env' }),
    ]);
    expect(plain).toMatch(/HOOKTAPE_PORT\b.*2222/);
    expect(plain).toMatch(/HOOKTAPE_HOST\b.*0\.0\.0\.0/);
    expect(plain).toMatch(/HOOKTAPE_RATE_LIMIT\b.*120/);
    expect(over).toMatch(/HOOKTAPE_HOST\b.*127\.0\.0\.9/);
    for (const one of [given, named]) expect(one).toMatch(/HOOKTAPE_PORT\b.*3333/);
    for (const one of [given, named]) expect(one).toMatch(/HOOKTAPE_HOST\b.*127\.0\.0\.1/);
  }, 30_000);

  test('exit with 78 when invalid; wrong arguments exit with 2', async () => {
    const [usage, configuration] = await Promise.all([
      run(['nonsense']),
      run(['serve'], { env: { HOOKTAPE_PORT: 'none', HOOKTAPE_RATE_LIMIT: '-1' } }),
    ]);
    expect([usage.exitCode, usage.stdout]).toEqual([2, '']);
    expect([configuration.exitCode, configuration.stdout]).toEqual([78, '']);
    expect(configuration.stderr).toMatch(/HOOKTAPE_PORT[\s\S]*HOOKTAPE_RATE_LIMIT/);
  }, 30_000);
});

describe.skipIf(!existsSync('/dev/full'))('a stdout that cannot be written', () => {
  const onFull = (args: string[]) => {
    const full = openSync('/dev/full', 'w');
    const { child, said, done } = start(args, { env: { HOOKTAPE_PORT: '0' }, stdout: full });
    closeSync(full);
    return { child, said, done };
  };

  test('a command fails and reports that its result is lost', async () => {
    const [words, json] = await Promise.all([onFull(['config']).done, onFull(['version', '--json']).done]);
    expect([words.exitCode, words.stderr]).toEqual([1, expect.stringContaining('hooktape: the disk is full: ')]);
    expect([json.exitCode, JSON.parse(json.stderr)]).toEqual([1, expect.objectContaining({ exitCode: 1 })]);
  });

  test('the server runs anyway', async () => {
    const server = onFull(['serve']);
    await eventually(() => server.said.stderr.includes('could not print the startup message'), 15_000);
    server.child.kill('SIGTERM');
    expect((await server.done).exitCode).toBe(0);
  }, 30_000);
});

describe('--password-stdin', () => {
  test('reads all of standard input except the last line break', async () => {
    const create = (email: string, stdin: string) => run(['account', 'create', email, '--password-stdin'], { stdin });
    expect((await create('a@example.com', ' a good long password \r\n')).exitCode).toBe(0);
    const server = await serve();
    const signIn = (password: string) =>
      fetch(`${server.origin}/api/session`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email: 'a@example.com', password }),
      });
    expect((await signIn(' a good long password ')).ok).toBe(true);
    expect((await signIn('a good long password')).status).toBe(401);
  }, 30_000);
});
