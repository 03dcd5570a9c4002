/*
 * `bun scripts/oidc-proof.ts zitadel|keycloak`: signs in to the built program with a real OpenID Connect provider, signs out, and stops the
 * provider. Zitadel's example provider is installed with go, Keycloak with Maven (160 MB, Java 17). Needs `bun run build`. Loopback only.
 */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../src/testing/free-port.ts';
import { createChecks, ensure } from './lib/checks.ts';
import { install } from './lib/installation.ts';
import { until } from './lib/process.ts';

type RunningProvider = { issuer: string; person: Record<string, string>; email: string; stop: () => Promise<void> };

const clientId = 'web';
const clientSecret = 'secret';
/** Keycloak needs a minute on an idle machine. */
const maxStartMs = 600_000;
const directory = mkdtempSync(join(tmpdir(), 'hooktape-oidc-'));
const providers: Record<string, (redirectUri: string) => Promise<RunningProvider>> = { zitadel, keycloak };
const startProvider = providers[process.argv[2] ?? ''];
if (!startProvider) throw new Error('usage: bun scripts/oidc-proof.ts zitadel|keycloak');

const port = await freePort();
const origin = `http://127.0.0.1:${port}`;
const checks = createChecks();
const installation = install();
const provider = await startProvider(`${origin}/login/oidc/callback`);
try {
  const server = await installation.start(port, {
    HOOKTAPE_BASE_URL: origin,
    HOOKTAPE_OIDC_ISSUER: provider.issuer,
    HOOKTAPE_OIDC_CLIENT_ID: clientId,
    HOOKTAPE_OIDC_CLIENT_SECRET: clientSecret,
  });
  await installation.command(['account', 'create', provider.email, '--plan', 'pro']);
  await checks.check('a person signs in, and comes back to the page', async () => {
    const browser = openBrowser();
    const page = await browser.signIn(`${origin}/login/oidc?return_to=/app/settings/sign-in`, provider.person);
    ensure(page.startsWith(`${origin}/app/settings/sign-in`), `ended at ${page}`);
    const session = (await (await browser.visit(`${origin}/api/session`)).json()) as { account?: { email: string } };
    ensure(session.account?.email === provider.email, JSON.stringify(session));
    const ended = await browser.visit(`${origin}/api/session`, 'DELETE');
    const { endSessionUrl } = (await ended.json()) as { endSessionUrl: string | null };
    ensure(endSessionUrl?.startsWith(provider.issuer) === true, `signs out at ${endSessionUrl}`);
  });
  await checks.check('another browser cannot use the callback', async () => {
    const refused = await openBrowser().visit(`${origin}/login/oidc/callback?code=x&state=y`);
    ensure(refused.status === 400, `status ${refused.status}`);
  });
  await checks.check('a provider that has stopped costs a page', async () => {
    await provider.stop();
    const browser = openBrowser();
    // Its metadata is known, so the sign-in begins; after a restart it does not.
    await server.stop();
    const again = await installation.start(port, {
      HOOKTAPE_BASE_URL: origin,
      HOOKTAPE_OIDC_ISSUER: provider.issuer,
      HOOKTAPE_OIDC_CLIENT_ID: clientId,
    });
    const startedAt = performance.now();
    const page = await browser.visit(`${origin}/login/oidc`);
    ensure(page.status === 503 && performance.now() - startedAt < 10_000, `status ${page.status}`);
    await again.stop();
  });
} finally {
  await provider.stop();
  await installation.remove();
  rmSync(directory, { recursive: true, force: true });
}
process.exit(checks.close());

/** A browser that follows redirects and fills in forms. Cookies belong to a host and its port. */
function openBrowser() {
  const cookies = new Map<string, string>();
  const visit = async (address: string, method = 'GET', form?: Record<string, string>): Promise<Response> => {
    const { host } = new URL(address);
    const own = [...cookies].filter(([key]) => key.startsWith(`${host} `));
    const response = await fetch(address, {
      method,
      redirect: 'manual',
      headers: {
        cookie: own.map(([key, value]) => `${key.split(' ')[1]}=${value}`).join('; '),
        'sec-fetch-site': 'same-origin',
      },
      ...(form && { body: new URLSearchParams(form) }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(`${host} ${name}`, value);
    }
    return response;
  };
  const signIn = async (start: string, person: Record<string, string>): Promise<string> => {
    let [address, response] = [start, await visit(start)];
    for (let step = 0; step < 12; step++) {
      const location = response.headers.get('location');
      if (location === null && address.startsWith(origin)) return address;
      if (location === null) {
        const html = await response.text();
        const action = /<form[^>]* action="([^"]+)"/.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? '';
        const hidden = [...html.matchAll(/<input[^>]*type="hidden"[^>]*>/g)].map(([input]) => [
          / name="([^"]*)"/.exec(input)?.[1] ?? '',
          / value="([^"]*)"/.exec(input)?.[1] ?? '',
        ]);
        address = new URL(action, address).href;
        response = await visit(address, 'POST', { ...Object.fromEntries(hidden), ...person });
      } else {
        address = new URL(location, address).href;
        if (address.startsWith(`${origin}/app`)) return address;
        response = await visit(address);
      }
    }
    throw new Error(`the sign-in does not end: ${address}`);
  };
  return { visit, signIn };
}

async function run(command: string[], env: Record<string, string> = {}): Promise<void> {
  const child = Bun.spawn(command, { env: { ...process.env, ...env }, stdout: 'ignore', stderr: 'inherit' });
  if ((await child.exited) !== 0) throw new Error(`failed: ${command.join(' ')}`);
}

async function startProgram(command: string[], env: Record<string, string>, issuer: string) {
  const child = Bun.spawn(command, { env: { ...process.env, ...env }, stdout: 'ignore', stderr: 'ignore' });
  const stop = async (): Promise<void> => {
    child.kill();
    await child.exited;
  };
  const metadata = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  try {
    await until('the provider answers', maxStartMs, () =>
      fetch(metadata).then(
        ({ ok }) => ok,
        () => false,
      ),
    );
  } catch (error) {
    await stop();
    throw error;
  }
  return stop;
}

async function zitadel(redirectUri: string): Promise<RunningProvider> {
  await run(['go', 'install', 'github.com/zitadel/oidc/v3/example/server@v3.52.0'], { GOBIN: directory });
  const ownPort = await freePort();
  const issuer = `http://localhost:${ownPort}/`;
  const env = { PORT: String(ownPort), REDIRECT_URI: redirectUri };
  const stop = await startProgram([join(directory, 'server')], env, issuer);
  const person = { username: 'test-user@localhost', password: 'verysecure' };
  return { issuer, person, email: 'test-user@zitadel.ch', stop };
}

async function keycloak(redirectUri: string): Promise<RunningProvider> {
  const artifact = 'org.keycloak:keycloak-quarkus-dist:26.4.0:zip';
  await run(['mvn', '-q', 'dependency:copy', `-Dartifact=${artifact}`, `-DoutputDirectory=${directory}`]);
  const archive = readdirSync(directory).find(name => name.endsWith('.zip')) ?? '';
  await run(['unzip', '-q', join(directory, archive), '-d', directory]);
  const home = join(directory, 'keycloak-26.4.0');
  const email = 'ada@example.com';
  const person = { username: 'ada', password: 'a good long password' };
  const realm = {
    realm: 'proof',
    enabled: true,
    clients: [{ clientId, secret: clientSecret, redirectUris: [redirectUri], standardFlowEnabled: true }],
    users: [
      {
        username: person.username,
        email,
        emailVerified: true,
        firstName: 'Ada',
        lastName: 'Lovelace',
        enabled: true,
        credentials: [{ type: 'password', value: person.password }],
      },
    ],
  };
  mkdirSync(join(home, 'data/import'), { recursive: true });
  writeFileSync(join(home, 'data/import/proof.json'), JSON.stringify(realm));
  const [ownPort, managementPort] = [await freePort(), await freePort()];
  const issuer = `http://localhost:${ownPort}/realms/proof`;
  const options = [`--http-port=${ownPort}`, `--http-management-port=${managementPort}`, '--http-host=127.0.0.1'];
  const command = [join(home, 'bin/kc.sh'), 'start-dev', ...options, '--import-realm', '--cache=local'];
  return { issuer, person, email, stop: await startProgram(command, {}, issuer) };
}
