import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { releasesUrl } from '../../shared/releases.ts';
import { browserTitle, hasNoBrowser } from './chromium.ts';
import { type Dashboard, openDashboard, owner } from './dashboard.ts';
import { expectEventually } from './expect-eventually.ts';

setDefaultTimeout(120_000);

describe.skipIf(hasNoBrowser)(browserTitle('settings'), () => {
  let dashboard: Dashboard;
  let page: Page;

  beforeAll(async () => {
    dashboard = await openDashboard();
    page = await dashboard.open();
    await dashboard.setUp(page);
  });
  afterAll(() => dashboard?.close());

  const settings = (section: string) => page.goto(`${dashboard.origin}/app/settings/${section}`);

  test('a key is shown once, works, and is refused once revoked', async () => {
    await settings('keys');
    await page.getByLabel('Name').fill('nightly import');
    await page.getByLabel('Expires after').selectOption('1 year');
    await page.getByLabel('Read-only').check();
    await page.getByRole('button', { name: 'Create key' }).click();
    const key = (await page.getByRole('dialog').locator('code').textContent()) ?? '';
    expect(key).toStartWith('htk_');
    const me = () => fetch(`${dashboard.origin}/api/me`, { headers: { authorization: `Bearer ${key}` } });
    expect((await me()).status).toBe(200);
    const change = { method: 'POST', headers: { authorization: `Bearer ${key}` }, body: '{"name":"x"}' };
    expect((await fetch(`${dashboard.origin}/api/endpoints`, change)).status).toBe(403);
    await page.mouse.click(5, 400);
    await page.getByRole('button', { name: "I've saved it" }).click();
    await page.reload();
    await page.getByText(`htk_…${key.slice(-4)}`).waitFor();
    await page.getByText('expires in 365 days').waitFor();
    expect(await page.content()).not.toContain(key);
    await page.getByRole('button', { name: 'Revoke nightly import' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('No keys yet').waitFor();
    expect((await me()).status).toBe(401);
  });

  test('a list that could not be loaded says so in its card, and is loaded again by a button', async () => {
    await page.route('**/api/keys', route => route.fulfill({ status: 500, json: { error: 'the disk is full' } }));
    await page.goto(`${dashboard.origin}/app/settings/keys`);
    const problem = page.getByRole('alert').filter({ hasText: "Couldn't load the keys" });
    await problem.getByText('the disk is full').waitFor();
    await page.unrouteAll();
    await problem.getByRole('button', { name: 'Try again' }).click();
    await problem.waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: 'No keys yet' }).or(page.locator('.rows > li')).first().waitFor();
  });

  test('a newer version stands beside the installed one, with a link that no response chooses', async () => {
    await page.route('**/api/session', async route => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), newestVersion: '9.9.9' } });
    });
    await settings('account');
    const link = page.getByRole('link', { name: '9.9.9 is available' });
    expect(await link.getAttribute('href')).toBe(releasesUrl);
    await page.unrouteAll();
    await settings('account');
    await page.locator('dt', { hasText: 'Hooktape' }).waitFor();
    expect(await link.count()).toBe(0);
  });

  test('an app shows where it is notified, and a subscription of it can be ended', async () => {
    const at = Date.now();
    const one = { id: 'sub_1', name: 'webhook.received', endpointId: 'ep_1', endpointName: 'sh\u202eop', where: '' };
    const ok = { origin: 'https://agent.example', waiting: 0, lastStatus: 204, lastDeliveryAt: at, createdAt: at };
    const subscriptions = [
      { ...one, ...ok, where: 'type:<b>paid</b>', refreshBefore: at + 3 * 86_400_000 + 60_000 },
      { ...one, ...ok, id: 'sub_2', waiting: 1234, lastStatus: 503, refreshBefore: null },
      { ...one, ...ok, id: 'sub_3', name: 'alert.changed', endpointId: null, endpointName: null, refreshBefore: null },
    ];
    const app = { id: 'app_1', name: 'Agent', clientId: 'dcr_1', createdAt: at, lastUsedAt: null, issuer: null };
    const apps = [{ ...app, verifiedHost: null, redirectHost: null, scopes: [], subscriptions }];
    await page.route('**/api/apps', route => route.fulfill({ json: { apps } }));
    await settings('apps');
    const rows = page.getByRole('list', { name: 'Subscriptions of Agent' }).getByRole('listitem');
    await rows.nth(2).waitFor();
    const texts = await rows.allTextContents();
    expect(texts[0]).toContain('new events at sh‹U+202E›op that match type:<b>paid</b>');
    expect(texts[0]).toContain('ends in 3 days');
    expect(texts[1]).toMatch(/Failing.*1,234 events waiting · last response 503/);
    expect(texts[2]).toContain('alerts at all endpoints');
    const ended: string[] = [];
    await page.route('**/api/apps/app_1/subscriptions/*', route => {
      ended.push(`${route.request().method()} ${new URL(route.request().url()).pathname}`);
      apps[0]?.subscriptions.splice(1, 1);
      return route.fulfill({ json: { ok: true } });
    });
    await rows.nth(1).getByRole('button').click();
    await page.getByRole('dialog').getByRole('button', { name: 'End subscription' }).click();
    await page.getByText('Subscription ended.').waitFor();
    await expectEventually(() => rows.count()).toBe(2);
    expect(ended).toEqual(['DELETE /api/apps/app_1/subscriptions/sub_2']);
    await page.unrouteAll();
  });

  test('a key shows the app that created it, its limits, and a warning in the week before it expires', async () => {
    const inDays = (days: number): number => Date.now() + days * 86_400_000 + 60_000;
    const key = { id: 'key_1', name: 'deploy', last4: 'wxyz', createdAt: Date.now(), lastUsedAt: null };
    const none = { app: null, expiresAt: null, readOnly: false };
    const keys = [
      { ...key, ...none, app: { id: 'app_1', name: 'Example\u202e editor' } },
      { ...key, ...none, id: 'key_2', expiresAt: inDays(60) },
      { ...key, ...none, id: 'key_3', name: 'nightly', expiresAt: inDays(3), readOnly: true },
      { ...key, ...none, id: 'key_4', expiresAt: inDays(-2) },
    ];
    await page.route('**/api/keys', route => route.fulfill({ json: { keys } }));
    await settings('keys');
    const rows = page.locator('.rows li');
    await rows.nth(1).waitFor();
    await expectEventually(() => rows.nth(0).textContent()).toContain('created by Example‹U+202E› editor, ');
    expect(await rows.nth(1).textContent()).not.toContain('created by');
    const texts = await rows.allTextContents();
    expect(texts.map(text => /[Ee]xpire[sd]( in \d+ days)?/.exec(text)?.[0])).toEqual([
      undefined,
      'expires in 60 days',
      'Expires in 3 days',
      'Expired',
    ]);
    expect(texts[2]).toContain('Read-only');
    // The warning stands above the list and on the page of all endpoints.
    await page.getByText('The key “nightly” expires in 3 days').waitFor();
    await page.goto(`${dashboard.origin}/app`);
    await page.getByText('The key “nightly” expires in 3 days').waitFor();
    await page.getByRole('link', { name: 'Go to API keys' }).click();
    await rows.nth(1).waitFor();
    await page.unroute('**/api/keys');
  });

  test('an invitation is listed, gets a new link, and is withdrawn', async () => {
    await settings('team');
    await page.getByLabel('Email').fill('noor@example.com');
    await page.getByRole('button', { name: 'Create invite link' }).click();
    const link = async () => (await page.getByRole('dialog').locator('code').textContent()) ?? '';
    const first = await link();
    await page.keyboard.press('Escape');
    await page.reload();
    const row = page.getByRole('list', { name: 'Pending invitations' }).getByRole('listitem');
    await expectEventually(() => row.textContent()).toMatch(
      /noor@example\.com.*invited by mira@example\.com.*expires in 3 days/,
    );
    expect(await page.content()).not.toContain(new URL(first).searchParams.get('invitation') ?? '');
    await page.getByRole('button', { name: 'New link for noor@example.com' }).click();
    const second = await link();
    await page.keyboard.press('Escape');
    const guest = await dashboard.open();
    await guest.goto(first);
    await guest.getByText('This invite link no longer works').waitFor();
    await guest.goto(second);
    await guest.getByText('mira@example.com invited you').waitFor();
    await page.getByRole('button', { name: 'Withdraw the invitation for noor@example.com' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click();
    await row.waitFor({ state: 'detached' });
    await guest.reload();
    await guest.getByText('This invite link no longer works').waitFor();
    await guest.context().close();
  });

  test('the link with which an account sets its first password is no invitation', async () => {
    const guest = await dashboard.open();
    const own = { email: 'noa@example.com', teamOf: 'noa@example.com' };
    await guest.route('**/api/invitations/own', route => route.fulfill({ json: own }));
    await guest.goto(`${dashboard.origin}/login?invitation=own`);
    await guest.getByRole('heading', { name: 'Set your password' }).waitFor();
    await guest.getByRole('button', { name: 'Set password' }).waitFor();
    expect(await guest.content()).not.toContain('invited');
    await guest.context().close();
  });

  test("an endpoint's URL is rotated with an overlap, and the endpoint is paused and resumed", async () => {
    await page.goto(`${dashboard.origin}/app`);
    await page.locator('.endpoint-main a').first().click();
    await page.locator('.tabbar').getByRole('link', { name: 'Settings' }).click();
    const shown = page.locator('#url .address code');
    const before = (await shown.textContent()) ?? '';
    await page.getByRole('button', { name: 'Rotate URL' }).click();
    await page.getByLabel('Keep the old URL working for').selectOption('7 days');
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate URL' }).click();
    const old = page.getByRole('list', { name: 'Old URLs' }).getByRole('listitem');
    await old.filter({ hasText: before }).filter({ hasText: 'stops in 7 days' }).waitFor();
    const after = (await shown.textContent()) ?? '';
    expect(after).not.toBe(before);
    const statuses = async () =>
      (await Promise.all([before, after].map(url => fetch(url, { method: 'POST', body: '{}' })))).map(
        one => one.status,
      );
    expect(await statuses()).toEqual([200, 200]);
    await old.getByRole('button', { name: 'Stop now' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Stop now' }).click();
    await old.waitFor({ state: 'detached' });
    expect(await statuses()).toEqual([404, 200]);
    await page.getByRole('button', { name: 'Pause endpoint' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Pause endpoint' }).click();
    const notice = page.getByText('Paused: deliveries are refused and not stored');
    await notice.waitFor();
    expect(await statuses()).toEqual([404, 503]);
    await page.goto(`${dashboard.origin}/app`);
    await page.locator('.endpoint-card .badge', { hasText: 'Paused' }).waitFor();
    await page.locator('.endpoint-main a').first().click();
    await page.locator('.tabbar').getByRole('link', { name: 'Settings' }).click();
    await page.getByText('1 delivery refused so far').waitFor();
    await page.getByRole('button', { name: 'Resume' }).click();
    await notice.waitFor({ state: 'detached' });
    expect(await statuses()).toEqual([404, 200]);
  });

  test('a colleague joins with an invitation link and is removed', async () => {
    await settings('team');
    await page.getByLabel('Email').fill('jonas@example.com');
    await page.getByRole('button', { name: 'Create invite link' }).click();
    const link = (await page.getByRole('dialog').locator('code').textContent()) ?? '';
    const colleague = await dashboard.open();
    await colleague.goto(link);
    await colleague.getByLabel('Choose a password').fill(owner.password);
    await colleague.getByRole('button', { name: 'Join' }).click();
    await colleague.getByRole('heading', { name: 'Endpoints' }).waitFor();
    await page.keyboard.press('Escape');
    await page.reload();
    await page.getByRole('button', { name: 'Remove jonas@example.com' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('jonas@example.com was removed.').waitFor();
    await colleague.goto(`${dashboard.origin}/app`);
    await colleague.getByRole('heading', { name: 'Sign in' }).waitFor();
    await colleague.context().close();
  });

  test('another session is listed and can be ended', async () => {
    const phone = await dashboard.open({
      userAgent: 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0) Version/18.0 Safari/604.1',
    });
    await phone.goto(`${dashboard.origin}/login`);
    await phone.getByLabel('Email').fill(owner.email);
    await phone.getByLabel('Password').fill(owner.password);
    await phone.getByRole('button', { name: 'Sign in' }).click();
    await phone.getByRole('heading', { name: 'Endpoints' }).waitFor();
    await settings('sign-in');
    const row = page.getByRole('listitem').filter({ hasText: 'Safari on iOS' });
    await row.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('Signed out of that session.').waitFor();
    await phone.reload();
    await phone.getByRole('heading', { name: 'Sign in' }).waitFor();
    await phone.context().close();
  });

  test('an endpoint is created, renamed, given a secret, and deleted by typing its name', async () => {
    await page.goto(`${dashboard.origin}/app`);
    await page.getByRole('button', { name: 'New endpoint' }).click();
    await page.getByLabel('Name').fill('Payments');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'Payments is ready' }).waitFor();
    await page.getByRole('link', { name: 'register the signing secret' }).click();
    await page.getByLabel('Platform').fill('Docker Hub');
    await page.getByText("Docker Hub doesn't sign its deliveries.").waitFor();
    await page.getByLabel('Platform').fill('stripe');
    await page.getByText('Workbench > Webhooks > the destination > Signing secret (whsec_…).').waitFor();
    const link = page.getByRole('link', { name: 'Stripe documentation' });
    await expectEventually(() => link.getAttribute('href')).toBe('https://docs.stripe.com/webhooks');
    await page.getByLabel('Secret').fill('whsec_0123456789');
    await page.getByRole('button', { name: 'Add secret' }).click();
    await page.getByText('Stripe, ending in 6789').waitFor();
    const add = page.getByRole('button', { name: 'Add a secret' });
    await expectEventually(() => add.evaluate(button => button === document.activeElement)).toBe(true);
    expect(await page.getByLabel('Platform').count()).toBe(0);
    await page.keyboard.press('Enter');
    await page.getByLabel('Platform').waitFor();
    await add.click();
    await page.locator('.side-nav').getByRole('link', { name: 'General' }).click();
    await page.getByLabel('Name').fill('Payments, live');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Name saved.').waitFor();
    await page.locator('.side-nav').getByRole('link', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete endpoint' }).click();
    const sure = page.getByRole('button', { name: 'Delete permanently' });
    await expectEventually(() => sure.isDisabled()).toBe(true);
    await page.getByRole('dialog').getByRole('textbox').fill('Payments, live');
    await sure.click();
    await page.getByText('Payments, live was deleted.').waitFor();
  });

  test('a secret from a handshake is confirmed or removed, and the next one is accepted for a limited time', async () => {
    await page.goto(`${dashboard.origin}/app`);
    await page.getByRole('button', { name: 'New endpoint' }).click();
    await page.getByLabel('Name').fill('Tasks');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'Tasks is ready' }).waitFor();
    const address = (await page.getByRole('main').locator('code').first().textContent()) ?? '';
    const handshake = async (secret: string) => {
      const response = await fetch(address, { method: 'POST', headers: { 'x-hook-secret': secret } });
      expect(response.headers.get('x-hook-secret')).toBe(secret);
    };
    await page.getByRole('link', { name: 'register the signing secret' }).click();
    await page.getByRole('button', { name: 'Trust for 10 minutes' }).waitFor();
    await handshake('first-secret-aaaa');
    await handshake('second-secret-bbbb');
    await page.reload();
    await page.getByText('Sent in a handshake, not confirmed').waitFor();
    await page.getByRole('button', { name: 'Confirm the secret Asana, ending in aaaa' }).click();
    await page.getByText('Secret confirmed.').waitFor();
    await page.getByRole('button', { name: 'Remove the secret Asana, ending in bbbb' }).click();
    await page.getByText('ending in bbbb').waitFor({ state: 'detached' });
    await page.getByText('Sent in a handshake, not confirmed').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Trust for 10 minutes' }).click();
    await page.getByRole('button', { name: 'Stop trusting' }).waitFor();
    await handshake('third-secret-cccc');
    await page.reload();
    await page.getByText('ending in cccc').waitFor();
    await page.getByRole('button', { name: 'Trust for 10 minutes' }).waitFor();
    await expectEventually(() => page.getByRole('button', { name: /^Confirm/ }).count()).toBe(0);
  });

  test('the theme can be switched and is kept after a reload', async () => {
    await page.getByRole('button', { name: 'Account menu' }).click();
    await page.getByRole('button', { name: 'Dark' }).click();
    await page.reload();
    await expectEventually(() => page.evaluate(() => getComputedStyle(document.documentElement).colorScheme)).toBe(
      'dark',
    );
  });

  test('the password is changed, and only the new one signs in', async () => {
    const elsewhere = await dashboard.open();
    await elsewhere.goto(`${dashboard.origin}/login`);
    await elsewhere.getByLabel('Email').fill(owner.email);
    await elsewhere.getByLabel('Password').fill(owner.password);
    await elsewhere.getByRole('button', { name: 'Sign in' }).click();
    await elsewhere.getByRole('heading', { name: 'Endpoints' }).waitFor();
    await settings('sign-in');
    const others = page.getByRole('main').getByRole('button', { name: 'Sign out' });
    await others.waitFor();
    await page.getByRole('button', { name: 'Change…' }).click();
    await page.getByLabel('Current password').fill(owner.password);
    await page.getByLabel('New password').fill('another river at midnight');
    await page.getByLabel('Also disconnect all apps').check();
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('all apps are disconnected').waitFor();
    await others.waitFor({ state: 'detached' });
    await elsewhere.locator('.topbar').getByRole('link', { name: 'Settings', exact: true }).click();
    await elsewhere.getByText('Your session has expired.').waitFor();
    await elsewhere.context().close();
    const again = await dashboard.open();
    await again.goto(`${dashboard.origin}/login`);
    await again.getByLabel('Email').fill(owner.email);
    await again.getByLabel('Password').fill('another river at midnight');
    await again.getByRole('button', { name: 'Sign in' }).click();
    await again.getByRole('heading', { name: 'Endpoints' }).waitFor();
    await again.context().close();
  });

  test('no dialog, policy violation, foreign request or script error occurred', () =>
    expect(dashboard.problems).toEqual({ dialogs: [], violations: [], foreign: [], errors: [] }));
});
