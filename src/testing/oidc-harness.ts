/* A test server with an OpenID Connect provider, and browsers that sign in with it. */
import { type HeldClock, holdClock } from './clock.ts';
import { openTestIssuer } from './oidc-issuer.ts';
import { openTestServer, type TestServerOptions } from './test-server.ts';

export const base = 'https://hooks.test';
/** The password of every account that `createAccount` creates. */
export const password = 'a good long password';

export type Person = { sub: string; email?: string; email_verified?: unknown; [claim: string]: unknown };

/** A browser with all its cookies, which follows no redirect. */
export type Visitor = Awaited<ReturnType<OidcHarness['visitor']>>;
export type OidcHarness = Awaited<ReturnType<typeof openOidcHarness>>;

export async function openOidcHarness(options: TestServerOptions & { clock?: HeldClock } = {}) {
  const clock = options.clock ?? holdClock();
  const issuer = await openTestIssuer({ now: clock.now });
  const server = await openTestServer({
    ...options,
    clock,
    env: {
      HOOKTAPE_BASE_URL: base,
      HOOKTAPE_OIDC_ISSUER: issuer.issuer,
      HOOKTAPE_OIDC_CLIENT_ID: 'hooktape',
      HOOKTAPE_OIDC_NAME: 'Example ID',
      ...options.env,
    },
    overrides: { oidc: { fetch: issuer.fetch, ...options.overrides?.oidc } },
  });

  const visitor = () => {
    const cookies = new Map<string, string>();
    const call = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
      const response = await server.fetch(path, {
        method,
        headers: {
          host: 'hooks.test',
          'sec-fetch-site': 'same-origin',
          ...(cookies.size > 0 && { cookie: [...cookies].map(pair => pair.join('=')).join('; ') }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      for (const line of response.headers.getSetCookie()) {
        const [name = '', value = ''] = line.split(';')[0]?.split('=') ?? [];
        if (/max-age=0/i.test(line)) cookies.delete(name);
        else cookies.set(name, value);
      }
      return response;
    };
    const json = async <T = Record<string, unknown>>(
      status: number,
      method: string,
      path: string,
      body?: unknown,
    ): Promise<T> => {
      const response = await call(method, path, body);
      const text = await response.text();
      if (response.status !== status) throw new Error(`${method} ${path}: ${response.status} ${text}`);
      return JSON.parse(text) as T;
    };
    /** Begins a sign-in. @returns the address at the provider */
    const start = async (returnTo?: string): Promise<string> => {
      const query = returnTo === undefined ? '' : `?return_to=${encodeURIComponent(returnTo)}`;
      const response = await call('GET', `/login/oidc${query}`);
      if (response.status !== 303) throw new Error(`${response.status} ${await response.text()}`);
      return response.headers.get('location') ?? '';
    };
    /** Follows the provider's redirect, which comes from another site. */
    const comeBack = ({ pathname, search }: URL): Promise<Response> =>
      call('GET', pathname + search, undefined, { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' });
    const signIn = async (person: Person, returnTo?: string): Promise<Response> =>
      comeBack(issuer.authorize(await start(returnTo), person));
    /** The address of who is signed in. */
    const who = async (): Promise<string | undefined> => {
      const response = await call('GET', '/api/session');
      const { account } = (await response.json()) as { account?: { email: string } };
      return account?.email;
    };
    const signInWithPassword = (email: string) => json(201, 'POST', '/api/session', { email, password });
    return { cookies, call, json, start, comeBack, signIn, signInWithPassword, who };
  };

  return {
    server,
    services: server.services,
    issuer,
    clock,
    visitor,
    createAccount: (email: string, teamOf?: string) =>
      server.createAccount(email, { password, ...(teamOf !== undefined && { teamOf }) }),
    close: server.close,
  };
}

type Me = { id: string; email: string; plan: string; signIn: Record<string, unknown> };

/** What people do in browsers of the harness of a test. */
export function peopleOf(harness: () => OidcHarness) {
  const me = (browser: Visitor) => browser.json<Me>(200, 'GET', '/api/me');
  const signIn = async (person: Person, browser = harness().visitor()): Promise<[number, string | undefined]> => {
    const { status } = await browser.signIn(person);
    return [status, await browser.who()];
  };
  const signedIn = async (person: Person): Promise<Visitor> => {
    const browser = harness().visitor();
    const response = await browser.signIn(person);
    if (response.status !== 303) throw new Error(`${response.status} ${await response.text()}`);
    return browser;
  };
  const withPassword = async (email: string): Promise<Visitor> => {
    const browser = harness().visitor();
    await browser.signInWithPassword(email);
    return browser;
  };
  const actionsOf = async (owner: Visitor): Promise<string[]> => {
    const { entries } = await owner.json<{ entries: { action: string; text: string }[] }>(
      200,
      'GET',
      '/api/audit?limit=20',
    );
    return entries.map(({ action, text }) => `${action}: ${text}`).reverse();
  };

  return { me, signIn, signedIn, withPassword, actionsOf };
}
