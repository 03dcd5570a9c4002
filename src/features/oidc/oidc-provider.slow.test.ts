/* Sign-in with oidc-provider over real sockets, from discovery to the provider's sign-out. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { base, type OidcHarness, openOidcHarness, type Visitor } from '../../testing/oidc-harness.ts';
import { openProviderServer, type ProviderServer } from '../../testing/oidc-provider-server.ts';

const ada = 'ada@example.com';
let provider: ProviderServer;
let harness: OidcHarness;

beforeAll(async () => {
  provider = await openProviderServer(`${base}/login/oidc/callback`, {
    ada: { email: ada, email_verified: true, groups: ['staff'] },
    bob: { email: 'bob@example.com', email_verified: true, groups: ['others'] },
  });
  harness = await openOidcHarness({
    env: {
      HOOKTAPE_OIDC_ISSUER: provider.origin,
      HOOKTAPE_OIDC_CLIENT_SECRET: 'a-secret-of-this-client',
      HOOKTAPE_OIDC_ALLOWED_GROUPS: 'staff',
    },
    overrides: { oidc: { fetch: (url, init) => fetch(url, init) } },
  });
  harness.clock.setNow(Date.now());
  await harness.createAccount(ada);
});
afterAll(async () => {
  await harness?.close();
  provider?.close();
});

/** Fills in the provider's pages. @returns the address of the callback */
async function signInAt(url: string, login: string): Promise<URL> {
  const cookies = new Map<string, string>();
  const visit = async (address: string, form?: Record<string, string>): Promise<Response> => {
    const response = await fetch(address, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(pair => pair.join('=')).join('; ') },
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [name = '', value = ''] = line.split(';')[0]?.split('=') ?? [];
      cookies.set(name, value);
    }
    return response;
  };
  let response = await visit(url);
  for (let step = 0; step < 10; step++) {
    const location = response.headers.get('location');
    if (location?.startsWith(base)) return new URL(location);
    if (location) response = await visit(new URL(location, provider.origin).href);
    else {
      const html = await response.text();
      const action = /<form[^>]* action="([^"]+)"/.exec(html)?.[1] ?? '';
      const prompt = html.includes('name="login"') ? { prompt: 'login', login, password: 'x' } : { prompt: 'consent' };
      response = await visit(new URL(action, provider.origin).href, prompt as Record<string, string>);
    }
  }
  throw new Error('the provider did not lead back');
}
const signIn = async (login: string): Promise<[Visitor, number]> => {
  const browser = harness.visitor();
  const response = await browser.comeBack(await signInAt(await browser.start(), login));
  return [browser, response.status];
};

describe('oidc-provider', () => {
  test('signs a person in, with claims of UserInfo, and out of both', async () => {
    const [browser, status] = await signIn('ada');
    expect([status, await browser.who()]).toEqual([303, ada]);
    const { endSessionUrl } = await browser.json<{ endSessionUrl: string }>(200, 'DELETE', '/api/session');
    const page = await fetch(endSessionUrl);
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('/session/end/confirm')]);
  });

  test('signs nobody in from another group', async () => {
    const [browser, status] = await signIn('bob');
    expect([status, await browser.who()]).toEqual([403, undefined]);
  });
});
