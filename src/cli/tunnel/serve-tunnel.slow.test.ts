import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hooktape, startServer } from '../../testing/command.ts';
import { freePort } from '../../testing/free-port.ts';
import { eventually } from '../../testing/poll.ts';
import { exchange } from '../../testing/raw-http.ts';
import { startServerProcess } from '../../testing/server-process.ts';

let directory: string;
let env: { HOOKTAPE_DATA_DIR: string; PATH: string };
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'hooktape-test-'));
  mkdirSync(join(directory, 'bin'));
  env = { HOOKTAPE_DATA_DIR: join(directory, 'data'), PATH: `${join(directory, 'bin')}:/usr/bin:/bin` };
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** A shell script that takes the place of a program. It leaves its process id and its arguments in `runs`. */
function install(name: string, ...lines: string[]): void {
  const file = join(directory, 'bin', name);
  writeFileSync(file, ['#!/bin/sh', `echo "$$ $*" >> ${runsFile()}`, ...lines, ''].join('\n'));
  chmodSync(file, 0o755);
}
const runsFile = (): string => join(directory, 'runs');
const runs = (): { pid: number; target: string }[] =>
  (existsSync(runsFile()) ? readFileSync(runsFile(), 'utf8') : '')
    .split('\n')
    .filter(Boolean)
    .map(line => ({ pid: Number(line.split(' ')[0]), target: /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0] ?? '' }));
const isRunning = (pid: number): boolean => {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};

/** The first run announces `one`, the second `two`. */
const box = (host: string): string => `echo "INF |  https://${host}.trycloudflare.com  |" >&2`;
const untilKilled = 'exec sleep 1000';
const readTunnel = async (origin: string) =>
  ((await (await fetch(`${origin}/readyz`)).json()) as { tunnel: { state: string; origin: string; message: string } })
    .tunnel;

const account = { HOOKTAPE_OWNER_EMAIL: 'owner@example.com', HOOKTAPE_OWNER_PASSWORD: 'a good long password' };
async function signIn(origin: string) {
  const { HOOKTAPE_OWNER_EMAIL: email, HOOKTAPE_OWNER_PASSWORD: password } = account;
  const headers = { 'content-type': 'application/json', origin };
  const made = await fetch(`${origin}/api/session`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ email, password }),
  });
  const cookie = made.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  return async <T>(method: string, path: string, body?: object): Promise<T> =>
    (await (
      await fetch(origin + path, {
        method,
        headers: { cookie, ...headers },
        ...(body && { body: JSON.stringify(body) }),
      })
    ).json()) as T;
}
type Made = { id: string; url: string; path: string };

describe('serve --tunnel', () => {
  test('shows addresses under the public origin, and lets only deliveries through', async () => {
    install('cloudflared', box('calm-river'), untilKilled);
    const server = await startServer({ ...env, ...account }, {}, ['--tunnel', 'cloudflared']);
    const { stdout } = await server.said();
    expect(stdout).toContain('https://calm-river.trycloudflare.com/in/');
    const call = await signIn(server.origin);
    const endpoint = await call<Made>('POST', '/api/endpoints', { name: 'Stripe' });
    expect(endpoint.url).toBe(`https://calm-river.trycloudflare.com${endpoint.path}`);
    expect(await call('GET', '/api/session')).toMatchObject({
      tunnel: { program: 'cloudflared', state: 'up', origin: 'https://calm-river.trycloudflare.com', message: null },
    });

    const target = runs()[0]?.target ?? '';
    expect(target).not.toBe(server.origin);
    const statusOf = async (request: string): Promise<string> =>
      / (\d{3})/.exec(await exchange(target, `${request}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`))?.[1] ??
      '';
    const hosts = [
      'calm-river.trycloudflare.com',
      'localhost',
      new URL(server.origin).host,
      '127.0.0.1',
      'evil.test',
      '',
    ];
    for (const host of hosts) {
      expect([host, await statusOf(`POST ${endpoint.path} HTTP/1.1\r\nHost: ${host}`)]).toEqual([host, '200']);
      for (const path of [
        '/',
        '/app',
        '/api/session',
        '/healthz',
        '/readyz',
        '/metrics',
        '/mcp',
        '/in2',
        '/in/../api/me',
      ])
        for (const method of ['GET', 'POST'])
          expect([host, path, await statusOf(`${method} ${path} HTTP/1.1\r\nHost: ${host}`)]).toEqual([
            host,
            path,
            '404',
          ]);
    }
    // Without a Host, and with a target that names another host.
    expect(await statusOf('GET /api/session HTTP/1.0\r\nX: y')).toMatch(/^4/);
    expect(await statusOf(`GET ${server.origin}/api/session HTTP/1.1\r\nHost: localhost`)).toBe('404');
    expect(await statusOf(`POST ${server.origin}${endpoint.path} HTTP/1.1\r\nHost: localhost`)).toBe('200');

    // The dashboard's port under the name of the tunnel, and its own deliveries.
    const host = { host: 'calm-river.trycloudflare.com' };
    expect((await fetch(`${server.origin}/api/session`, { headers: host })).status).toBe(404);
    expect((await fetch(server.origin + endpoint.path, { method: 'POST' })).status).toBe(200);
    await server.stop();
    expect(isRunning(runs()[0]?.pid ?? 0)).toBe(false);
  });

  test('the address of a sender is the last one in X-Forwarded-For', async () => {
    install('cloudflared', box('calm-river'), untilKilled);
    const server = await startServer({ ...env, ...account, HOOKTAPE_TUNNEL: 'cloudflared' });
    await server.said();
    const call = await signIn(server.origin);
    const endpoint = await call<Made>('POST', '/api/endpoints', { name: 'Stripe' });
    const headers = { 'x-forwarded-for': '10.0.0.1, 203.0.113.7' };
    const target = (runs()[0]?.target ?? '') + endpoint.path;
    await fetch(target, { method: 'POST', headers, body: 'fast' });
    await fetch(`${target}/options`, { method: 'OPTIONS', headers });
    await fetch(server.origin + endpoint.path, { method: 'POST', headers, body: 'direct' });
    const { events } = await call<{ events: { id: string }[] }>('GET', `/api/events?endpointId=${endpoint.id}`);
    const details = events.map(({ id }) => call<{ sourceIp: string }>('GET', `/api/events/${id}`));
    const addresses = (await Promise.all(details)).map(({ sourceIp }) => sourceIp);
    expect(addresses).toEqual(['127.0.0.1', '203.0.113.7', '203.0.113.7']);
    await server.stop();
  });

  test('a program that ends is started again, and a new origin reaches every answer', async () => {
    install(
      'cloudflared',
      `[ $(wc -l < ${runsFile()}) = 1 ] && { ${box('one')}; sleep 1000; }`,
      box('two'),
      untilKilled,
    );
    const server = await startServer({ ...env, ...account }, {}, ['--tunnel', 'auto']);
    await server.said();
    const call = await signIn(server.origin);
    const endpoint = await call<Made>('POST', '/api/endpoints', { name: 'Stripe' });
    expect(endpoint.url).toStartWith('https://one.');
    const list = await fetch(`${server.origin}/readyz`);
    expect(await list.json()).toMatchObject({ ok: true, tunnel: { state: 'up' } });

    process.kill(runs()[0]?.pid ?? 0, 'SIGKILL');
    await eventually(async () => (await readTunnel(server.origin)).state === 'down');
    expect((await readTunnel(server.origin)).message).toContain('the tunnel is down');
    expect((await fetch(`${server.origin}/readyz`)).status).toBe(200);
    await eventually(async () => (await readTunnel(server.origin)).state === 'up');
    expect(await readTunnel(server.origin)).toMatchObject({
      origin: 'https://two.trycloudflare.com',
      previousOrigin: 'https://one.trycloudflare.com',
      message: expect.stringContaining('register the new URLs'),
    });
    expect((await call<{ endpoints: { url: string }[] }>('GET', '/api/endpoints')).endpoints[0]?.url).toStartWith(
      'https://two.trycloudflare.com/in/',
    );
    expect(runs()[1]?.target).toBe(runs()[0]?.target);
    const { stderr } = await server.stop();
    expect(stderr).toContain('the tunnel is down');
    expect(stderr).toContain('register the new URLs with the platforms');

    // A later run of the server, with the origin that it had before.
    const again = await startServer({ ...env, ...account }, {}, ['--tunnel', 'auto']);
    await again.said();
    expect(await readTunnel(again.origin)).toMatchObject({ origin: 'https://two.trycloudflare.com', message: null });
    await again.stop();
  });

  test.each([
    [
      'ngrok',
      `echo '{"lvl":"info","msg":"started tunnel","url":"https://ab12.ngrok-free.app"}'`,
      'https://ab12.ngrok-free.app',
    ],
    [
      'tailscale',
      `printf 'Available on the internet:\\n\\nhttps://studio.tail9f3a.ts.net/\\n|-- proxy %s\\n\\nPress Ctrl+C to exit.\\n' "$2"`,
      'https://studio.tail9f3a.ts.net',
    ],
  ])('%s', async (program, line, origin) => {
    install(program, line, untilKilled);
    const server = await startServer(env, {}, ['--tunnel', program]);
    const { stdout } = await server.said();
    expect(stdout).toContain(`Webhooks arrive through ${program} at ${origin}/in/`);
    await server.stop();
    expect(isRunning(runs()[0]?.pid ?? 0)).toBe(false);
  });

  test('a dashboard under the host name of the tunnel, on another port, stays where it is', async () => {
    install('tailscale', `echo 'Available on the internet:'; echo 'https://studio.tail9f3a.ts.net/'`, untilKilled);
    const port = await freePort();
    const baseUrl = 'https://studio.tail9f3a.ts.net:8443';
    const own = { HOOKTAPE_BASE_URL: baseUrl, HOOKTAPE_PORT: String(port) };
    const server = await startServer({ ...env, ...account, ...own }, {}, ['--tunnel', 'tailscale']);
    await server.said();
    const statusOf = async (url: string): Promise<number> =>
      (await fetch(url, { headers: { host: 'studio.tail9f3a.ts.net:8443' } })).status;
    expect(await statusOf(`http://127.0.0.1:${port}/api/session`)).toBe(401);
    expect(await statusOf(`${runs()[0]?.target}/api/session`)).toBe(404);
    await server.stop();
  });

  test('a hostile address is never used, and the server runs without the tunnel', async () => {
    install('cloudflared', `echo "INF |  http://user:secret@203.0.113.7/x  |"`, untilKilled);
    const server = await startServer({ ...env, ...account }, {}, ['--tunnel', 'cloudflared']);
    expect((await server.said()).stdout).toContain('The tunnel is not up yet.');
    const call = await signIn(server.origin);
    expect((await call<Made>('POST', '/api/endpoints', { name: 'Stripe' })).url).toStartWith(
      server.origin.replace('127.0.0.1', 'localhost'),
    );
    expect((await server.stop()).stderr).toContain('announced an address that cannot be used');
    for (const { pid } of runs()) expect(isRunning(pid)).toBe(false);
  });

  test('a program that ignores SIGTERM does not outlive the server', async () => {
    install('cloudflared', `trap '' TERM`, box('stubborn'), 'while :; do sleep 1; done');
    const server = await startServer(env, {}, ['--tunnel', 'cloudflared']);
    await server.said();
    await server.stop();
    expect(isRunning(runs()[0]?.pid ?? 0)).toBe(false);
  }, 30_000);

  test('the program ends when the server is killed', async () => {
    install('cloudflared', box('calm-river'), untilKilled);
    const command = ['bun', join(import.meta.dir, '../../main.ts')];
    const path = `${env.PATH}:${join(process.execPath, '..')}`;
    const server = await startServerProcess(command, env.HOOKTAPE_DATA_DIR, await freePort(), {
      HOOKTAPE_TUNNEL: 'cloudflared',
      PATH: path,
    });
    await eventually(() => runs().length === 1);
    expect(isRunning(runs()[0]?.pid ?? 0)).toBe(true);
    server.kill('SIGKILL');
    await server.exited;
    await eventually(() => !isRunning(runs()[0]?.pid ?? 0));
  });
});

describe('a tunnel that cannot start', () => {
  test('exits with 78 and the line that installs a missing program', async () => {
    for (const program of ['cloudflared', 'ngrok', 'tailscale', 'auto']) {
      const { exitCode, stderr } = await hooktape(
        { ...env, PATH: join(directory, 'bin') },
        'serve',
        '--tunnel',
        program,
      );
      expect([program, exitCode]).toEqual([program, 78]);
      expect(stderr).toMatch(/installed.*(curl|brew|winget)/);
    }
    expect(existsSync(env.HOOKTAPE_DATA_DIR)).toBe(false);
  });

  test('exits with 78 together with HOOKTAPE_INGEST_URL', async () => {
    install('cloudflared', untilKilled);
    const ingest = { HOOKTAPE_INGEST_URL: 'https://in.example.com' };
    const ended = await hooktape({ ...env, ...ingest }, 'serve', '--tunnel', 'cloudflared');
    expect([ended.exitCode, runs()]).toEqual([78, []]);
    expect(ended.stderr).toContain('HOOKTAPE_TUNNEL: must be off when HOOKTAPE_INGEST_URL is set');
    expect((await hooktape({ ...env, ...ingest, HOOKTAPE_TUNNEL: 'auto' }, 'serve')).exitCode).toBe(78);
  });

  test('exits with 2 for another program', async () => {
    const { exitCode, stderr } = await hooktape(env, 'serve', '--tunnel', 'localtunnel');
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('off, auto, cloudflared, ngrok, tailscale')]);
    expect((await hooktape({ ...env, HOOKTAPE_TUNNEL: 'localtunnel' }, 'serve')).exitCode).toBe(78);
  });
});
