/*
 * `bun scripts/header-proof.ts`: tests the proxies of docs/signing-in.md, which sign people in and name them in a header. Runs each
 * installed proxy with its documented configuration between a fake sign-in service and the compiled program. Loopback only.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../src/testing/free-port.ts';
import { firstApi } from './lib/api.ts';
import { type Checks, createChecks, ensure } from './lib/checks.ts';
import { install } from './lib/installation.ts';
import { until } from './lib/process.ts';
import { caddy, codeBlock, configureCaddy, configureNginx, nginx, publicHost, replace } from './proxies/programs.ts';

const ada = 'ada@example.com';
const eve = 'eve@example.com';
type Ports = { port: number; upstream: number; service: number };

const addresses = ({ upstream, service }: Ports): Record<string, string> => ({
  '127.0.0.1:4665': `127.0.0.1:${upstream}`,
  '127.0.0.1:9091': `127.0.0.1:${service}`,
});
const proxies = [
  {
    name: 'nginx',
    program: nginx,
    configure: (directory: string, ports: Ports) =>
      configureNginx(
        directory,
        replace(codeBlock('nginx', 'auth_request', 'signing-in.md'), {
          'listen 80;': `listen 127.0.0.1:${ports.port};`,
          ...addresses(ports),
        }),
      ),
  },
  {
    name: 'Caddy',
    program: caddy,
    configure: (directory: string, ports: Ports) =>
      configureCaddy(
        directory,
        replace(codeBlock('caddyfile', 'forward_auth', 'signing-in.md'), {
          [publicHost]: `http://${publicHost}:${ports.port}`,
          ...addresses(ports),
        }),
      ),
  },
];

/** Lets a request pass if it has the cookie `who`, and names that person unless it is `nobody`. */
const startService = (port: number) =>
  Bun.serve({
    port,
    hostname: '127.0.0.1',
    fetch({ headers }) {
      const who = /(?:^|; )who=([^;]+)/.exec(headers.get('cookie') ?? '')?.[1];
      if (who === undefined) return new Response('sign in', { status: 401 });
      return new Response('ok', { headers: who === 'nobody' ? {} : { 'remote-email': who } });
    },
  });

async function checkSignIn(
  name: string,
  origin: string,
  key: string,
  ingestPath: string,
  checks: Checks,
): Promise<void> {
  const check: Checks['check'] = (what, body) => checks.check(`${name}: ${what}`, body);
  const call = async (path: string, headers: Record<string, string> = {}, init: RequestInit = {}) => {
    const own = { host: publicHost, 'sec-fetch-site': 'same-origin', ...headers };
    const answer = await fetch(`${origin}${path}`, { redirect: 'manual', ...init, headers: own });
    const cookie = answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    return { status: answer.status, cookie, text: await answer.text() };
  };
  const emailOf = (text: string): string | undefined => JSON.parse(text).account?.email;

  await check('the person whom the service names is signed in, whatever header the client sends', async () => {
    for (const path of ['/app', '/api/session']) {
      const { status, cookie } = await call(path, { cookie: `who=${ada}`, 'remote-email': eve });
      ensure(status === 200 && cookie !== '', `${path}: ${status} ${cookie}`);
      const { text } = await call('/api/session', { cookie: `who=${ada}; ${cookie}`, 'remote-email': eve });
      ensure(emailOf(text) === ada, text);
    }
    return undefined;
  });

  await check('without a sign-in at the service nothing of the dashboard is reached', async () => {
    for (const path of ['/', '/app', '/api/session', '/api/me']) {
      const { status, cookie } = await call(path, { 'remote-email': eve });
      ensure((status === 401 || status === 302) && cookie === '', `${path}: ${status} ${cookie}`);
    }
    return undefined;
  });

  await check('a person whom the service does not name is not signed in', async () => {
    const { status, cookie } = await call('/api/session', { cookie: 'who=nobody' });
    ensure(status === 401 && cookie === '', `${status} ${cookie}`);
    return undefined;
  });

  await check('another person ends the session', async () => {
    const { cookie } = await call('/api/session', { cookie: `who=${ada}` });
    const other = await call('/api/session', { cookie: `who=${eve}; ${cookie}` });
    ensure(emailOf(other.text) === eve, other.text);
    const { text } = await call('/api/session', { cookie: `who=nobody; ${cookie}` });
    ensure(emailOf(text) === undefined, text);
    return undefined;
  });

  await check('programs get past the service, and a header of theirs is nobody', async () => {
    const bearer = { authorization: `Bearer ${key}`, 'remote-email': eve, remote_email: eve };
    ensure(emailOf((await call('/api/session', bearer)).text) === ada, 'the key is not accepted');
    for (const path of ['/healthz', '/.well-known/oauth-authorization-server']) {
      const { status, cookie } = await call(path, { 'remote-email': eve });
      ensure(status === 200 && cookie === '', `${path}: ${status} ${cookie}`);
    }
    const body = 'x'.repeat(1 << 20);
    const delivery = await call(ingestPath, { 'remote-email': eve }, { method: 'POST', body });
    ensure(delivery.status === 200, `delivery: ${delivery.status}`);
    const created = await call(
      '/api/endpoints',
      { ...bearer, 'content-type': 'application/json' },
      { method: 'POST', body: '{"name":"made by a program"}' },
    );
    ensure(created.status === 201, `POST with a key: ${created.status} ${created.text}`);
    const stored = await call('/api/endpoints', bearer);
    ensure(stored.text.includes('made by a program'), stored.text);
    const link = await call('/login/link?token=x', { 'remote-email': eve });
    ensure(link.status === 404 && link.cookie === '', `link: ${link.status} ${link.cookie}`);
    return undefined;
  });

  await check('the header is deleted on paths without sign-in and from requests of programs', async () => {
    const { cookie } = await call('/api/session', { cookie: `who=${ada}` });
    const form = { 'content-type': 'application/x-www-form-urlencoded', cookie, 'remote-email': eve };
    // With the header, each of these would end the session.
    await call('/login/link', form, { method: 'POST', body: 'token=x' });
    await call('/app', { authorization: 'Basic YTpi', cookie, 'remote-email': eve });
    const { cookie: another } = await call('/api/session', { cookie: `who=${ada}; ${cookie}` });
    ensure(another === '', 'the session has ended');
    return undefined;
  });
}

async function checkProxy({ name, program, configure }: (typeof proxies)[number], checks: Checks): Promise<void> {
  if (program === undefined) return console.log(`skip  ${name} is not installed`);
  const directory = mkdtempSync(join(tmpdir(), 'hooktape-proxy-'));
  const installation = install({
    HOOKTAPE_BASE_URL: `http://${publicHost}`,
    HOOKTAPE_AUTH_HEADER: 'Remote-Email',
    HOOKTAPE_AUTH_HEADER_PROXIES: '127.0.0.1',
    HOOKTAPE_AUTH_HEADER_CREATE_ACCOUNTS: 'on',
    HOOKTAPE_PASSWORD_SIGN_IN: 'off',
    HOOKTAPE_TRUSTED_PROXIES: '127.0.0.1',
  });
  const ports = { port: await freePort(), upstream: await freePort(), service: await freePort() };
  const service = startService(ports.service);
  const running = Bun.spawn([program, ...configure(directory, ports)], {
    cwd: directory,
    // Caddy stores its state in these directories.
    env: { PATH: process.env['PATH'] ?? '', HOME: directory, XDG_DATA_HOME: directory, XDG_CONFIG_HOME: directory },
    stdout: 'ignore',
    stderr: Bun.file(join(directory, 'stderr')),
  });
  try {
    const api = await firstApi(installation, await installation.start(ports.upstream), ada);
    const { url } = await api.createEndpoint('inbox');
    const origin = `http://127.0.0.1:${ports.port}`;
    await until(`${name} forwards requests`, 15_000, () =>
      fetch(`${origin}/healthz`, { headers: { host: publicHost } }).then(
        answer => answer.ok,
        () => false,
      ),
    ).catch(async error => {
      throw new Error(`${error}\n${await Bun.file(join(directory, 'stderr')).text()}`);
    });
    await checkSignIn(name, origin, api.key, new URL(url).pathname, checks);
  } finally {
    running.kill();
    await running.exited;
    await service.stop(true);
    await installation.remove();
    rmSync(directory, { recursive: true, force: true });
  }
}

const checks = createChecks();
for (const proxy of proxies) await checkProxy(proxy, checks);
process.exit(checks.close());
