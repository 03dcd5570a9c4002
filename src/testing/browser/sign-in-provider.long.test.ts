/* Signing in with an OpenID Connect provider, which runs in the process of the test. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createClient } from '@libsql/client';
import Provider from 'oidc-provider';
import type { Page } from 'playwright-core';
import { freePort } from '../free-port.ts';
import { violations } from './accessibility.ts';
import { browserTitle, hasNoBrowser } from './chromium.ts';
import { type Dashboard, openDashboard, owner } from './dashboard.ts';
import { expectEventually } from './expect-eventually.ts';

setDefaultTimeout(120_000);

/** Everybody may sign in there, with their address as the name, and any password. */
const providerFor = (issuer: string, origin: string): RequestListener =>
  new Provider(issuer, {
    clients: [
      {
        client_id: 'hooktape',
        token_endpoint_auth_method: 'none',
        redirect_uris: [`${origin}/login/oidc/callback`],
        post_logout_redirect_uris: [`${origin}/login`],
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    conformIdTokenClaims: false,
    findAccount: (_: unknown, id: string) => ({
      accountId: id,
      claims: () => ({ sub: id, email: id, email_verified: true }),
    }),
  }).callback();

describe.skipIf(hasNoBrowser)(browserTitle('signing in with a provider'), () => {
  let dashboard: Dashboard;
  let page: Page;
  let server: Server;
  let answer: RequestListener;
  let issuer: string;

  beforeAll(async () => {
    const port = await freePort();
    issuer = `http://localhost:${port}`;
    server = createServer((request, response) => answer(request, response)).listen(port, '127.0.0.1');
    const env = {
      HOOKTAPE_OIDC_ISSUER: issuer,
      HOOKTAPE_OIDC_CLIENT_ID: 'hooktape',
      HOOKTAPE_OIDC_NAME: 'Example ID',
      HOOKTAPE_OIDC_CREATE_ACCOUNTS: 'on',
    };
    dashboard = await openDashboard(env, { hostName: 'localhost' });
    answer = providerFor(issuer, dashboard.origin);
    page = await open();
    await dashboard.setUp(page);
  });
  afterAll(async () => {
    await dashboard?.close();
    server?.close();
  });

  const open = async (): Promise<Page> => {
    const opened = await dashboard.open();
    // The provider's pages ask for a font.
    await opened.context().route('https://fonts.googleapis.com/**', route => route.abort());
    return opened;
  };
  const button = (name: string, on = page) => on.getByRole('button', { name, exact: true });
  const provider = (on = page) => on.getByRole('link', { name: 'Continue with Example ID' });
  const providerRow = (on = page) => on.getByRole('listitem').filter({ hasText: 'Example ID' });
  const signInAtProvider = async (on: Page, email: string): Promise<void> => {
    await provider(on).click();
    await on.locator('input[name=login]').fill(email);
    await on.locator('input[name=password]').fill('any');
    await button('Sign-in', on).click();
    await button('Continue', on).click();
  };
  const signOut = async (): Promise<void> => {
    await button('Account menu').click();
    await page.getByRole('banner').getByRole('button', { name: 'Sign out' }).click();
  };

  test('a link of the dashboard leads over the provider to its page, with one click once signed in there', async () => {
    await signOut();
    await page.goto(`${dashboard.origin}/app/settings/team`);
    await signInAtProvider(page, owner.email);
    await page.getByRole('heading', { name: 'Team' }).waitFor();
    expect(page.url()).toBe(`${dashboard.origin}/app/settings/team`);

    await page.context().clearCookies({ name: /sid/ });
    await page.goto(`${dashboard.origin}/app/settings/keys`);
    await provider().click();
    await page.waitForURL(`${dashboard.origin}/app/settings/keys`);
    await page.getByRole('heading', { name: 'API keys' }).waitFor();
  });

  test('a sign-in that is too old is repeated at the provider, and what was begun continues', async () => {
    await dashboard.whileStopped(async dataDir => {
      const database = createClient({ url: `file:${dataDir}/hooktape.db` });
      await database.execute('UPDATE sessions SET signed_in_at = signed_in_at - 601000');
      database.close();
    });
    await page.goto(`${dashboard.origin}/app/settings/sign-in`);
    await providerRow().getByText('Connected').waitFor();
    await button('Turn on…').click();
    await page.getByRole('dialog', { name: 'Sign in again' }).waitFor();
    await provider().click();
    await page.getByRole('img', { name: 'QR code for an authenticator app' }).waitFor();
    await page.keyboard.press('Escape');
    await expectEventually(async () => page.url()).toBe(`${dashboard.origin}/app/settings/sign-in`);
  });

  test('the account is disconnected, and connected again', async () => {
    await button('Disconnect').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click();
    await providerRow().getByText('Not connected').waitFor();
    await button('Connect').click();
    await providerRow().getByText('Connected', { exact: true }).waitFor();
    expect(page.url()).toBe(`${dashboard.origin}/app/settings/sign-in`);
  });

  test('an account that the provider made sets a first password, and then needs the provider no longer', async () => {
    const noa = await open();
    await noa.goto(`${dashboard.origin}/app/settings/sign-in`);
    await signInAtProvider(noa, 'noa@example.com');
    await providerRow(noa).getByText('It is your only way to sign in').waitFor();
    expect(await button('Disconnect', noa).isDisabled()).toBe(true);
    await button('Set…', noa).click();
    expect(await noa.getByLabel('Current password').count()).toBe(0);
    await noa.getByLabel('New password').fill('a quiet river at noon');
    await noa.keyboard.press('Enter');
    await noa.getByText('Password set.').waitFor();
    await button('Disconnect', noa).click();
    await noa.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click();
    await providerRow(noa).getByText('Not connected').waitFor();
    await noa.context().close();
  });

  test('signing out ends the session at the provider, too', async () => {
    await page.goto(`${dashboard.origin}/login/oidc`);
    await button('Account menu').waitFor();
    await signOut();
    await page.waitForURL(`${issuer}/session/end**`);
    await page.getByRole('button', { name: /^Yes/ }).click();
    await page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor();
    expect(page.url()).toBe(`${dashboard.origin}/login`);
  });

  test('a provider that fails costs a page that says what still works', async () => {
    const stranger = await dashboard.open();
    answer = (_, response) => response.writeHead(503).end();
    await dashboard.whileStopped(async () => {});
    await stranger.goto(`${dashboard.origin}/login`);
    await stranger.getByRole('link', { name: 'Continue with Example ID' }).click();
    await stranger.getByText('your password').waitFor();
    expect(await violations(stranger)).toEqual([]);
    await stranger.getByRole('link', { name: 'Other ways to sign in' }).click();
    await stranger.getByLabel('Password').waitFor();
    await stranger.context().close();
  });

  test('no dialog, policy violation or script error occurred, and only the provider was asked', () => {
    const { foreign, ...problems } = dashboard.problems;
    expect(problems).toEqual({ dialogs: [], violations: [], errors: [] });
    expect(foreign.filter(url => !url.startsWith(`${issuer}/`) && !url.startsWith('https://fonts.'))).toEqual([]);
  });
});
