/* Signing in with an OpenID Connect provider: from the sign-in page to the provider's page and back, in Chromium. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { freePort } from '../free-port.ts';
import { openProviderServer, type ProviderServer } from '../oidc-provider-server.ts';
import { violationsInBothThemes } from './accessibility.ts';
import { browserTitle, hasNoBrowser } from './chromium.ts';
import { type Dashboard, openDashboard, owner } from './dashboard.ts';
import { takeShots } from './shots.ts';

setDefaultTimeout(120_000);

const shots = 'HOOKTAPE_OIDC_SHOTS';

describe.skipIf(hasNoBrowser)(browserTitle('signing in with a provider'), () => {
  let dashboard: Dashboard;
  let provider: ProviderServer | undefined;
  let page: Page;

  beforeAll(async () => {
    const port = await freePort();
    dashboard = await openDashboard(
      {
        HOOKTAPE_OIDC_ISSUER: `http://127.0.0.1:${port}`,
        HOOKTAPE_OIDC_CLIENT_ID: 'hooktape',
        HOOKTAPE_OIDC_CLIENT_SECRET: 'a-secret-of-this-client',
        HOOKTAPE_OIDC_NAME: 'Example ID',
      },
      { hostName: 'localhost' },
    );
    const people = {
      mira: { email: owner.email, email_verified: true },
      stranger: { email: 'stranger@example.com', email_verified: true },
    };
    provider = await openProviderServer(`${dashboard.origin}/login/oidc/callback`, people, port);
    page = await dashboard.open();
    await dashboard.setUp(page);
  });
  afterAll(async () => {
    await dashboard?.close();
    provider?.close();
  });

  const heading = (name: string) => page.getByRole('heading', { name, exact: true });
  /** Fills in the provider's pages. */
  const signInAtProvider = async (login: string): Promise<void> => {
    await page.locator('input[name=login]').fill(login);
    await page.locator('input[name=password]').fill('x');
    await page.getByRole('button', { name: /sign-in/i }).click();
    await page.getByRole('button', { name: /continue/i }).click();
  };
  const openAsStranger = async (path: string): Promise<void> => {
    page = await dashboard.open();
    // The provider's own pages ask for a font of another host.
    await page.context().route(
      ({ hostname }) => !['127.0.0.1', 'localhost'].includes(hostname),
      route => route.abort(),
    );
    await page.goto(`${dashboard.origin}${path}`);
    await heading('Sign in').waitFor();
  };

  test('the button leads to the provider, and from there to the page that was asked for', async () => {
    await openAsStranger('/app/settings/sign-in');
    await page.getByRole('link', { name: 'Continue with Example ID' }).click();
    await signInAtProvider('mira');
    await heading('Ways to sign in').waitFor();
    expect(new URL(page.url()).pathname).toBe('/app/settings/sign-in');
    const row = page.getByRole('main').getByRole('listitem').filter({ hasText: 'Example ID' });
    await row.getByRole('button', { name: /disconnect/i }).waitFor();
  });

  test('signing out leaves the provider, too', async () => {
    await page.getByRole('button', { name: 'Account menu' }).click();
    await page.getByRole('banner').getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Yes, sign me out' }).click();
    await heading('Sign in').waitFor();
    await page.getByRole('link', { name: 'Continue with Example ID' }).click();
    await page.locator('input[name=login]').waitFor();
  });

  test('somebody without an account gets a page that says what to do', async () => {
    await openAsStranger('/app');
    await page.getByRole('link', { name: 'Continue with Example ID' }).click();
    await signInAtProvider('stranger');
    await heading("You can't sign in with this Example ID account").waitFor();
    expect(await violationsInBothThemes(page)).toEqual([]);
    await takeShots(page, shots, 'refused');
    await page.getByRole('link', { name: 'Other ways to sign in' }).click();
    await heading('Sign in').waitFor();
  });

  test('an address of the callback that nobody asked for says to start again', async () => {
    await page.goto(`${dashboard.origin}/login/oidc/callback?code=x&state=y`);
    await heading('Start again').waitFor();
    expect(await violationsInBothThemes(page)).toEqual([]);
    await page.getByRole('link', { name: 'Start again' }).click();
    // The provider still knows the stranger.
    await heading("You can't sign in with this Example ID account").waitFor();
  });

  test('no page of this server broke a rule', () => {
    const { dialogs, violations, errors, foreign } = dashboard.problems;
    expect({ dialogs, violations, errors }).toEqual({ dialogs: [], violations: [], errors: [] });
    const others = foreign.filter(url => !url.startsWith(provider?.origin ?? '-') && !url.includes('fonts.g'));
    expect(others).toEqual([]);
  });
});
