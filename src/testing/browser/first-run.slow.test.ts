import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { Secret, TOTP } from 'otpauth';
import type { Page } from 'playwright-core';
import { violationsInBothThemes } from './accessibility.ts';
import { browserTitle, hasNoBrowser } from './chromium.ts';
import {
  callApi,
  createEndpoint,
  type Dashboard,
  deliver,
  openDashboard,
  openEndpoint,
  owner,
  shownAddress,
} from './dashboard.ts';
import { expectEventually } from './expect-eventually.ts';

setDefaultTimeout(120_000);

describe.skipIf(hasNoBrowser)(browserTitle('first run'), () => {
  let dashboard: Dashboard;
  let page: Page;

  beforeAll(async () => {
    dashboard = await openDashboard({}, { isProcess: true });
    page = await dashboard.open();
  });
  afterAll(() => dashboard?.close());

  let isSetUp = false;
  /** Creates the owner, unless an earlier test has. */
  const setUp = async (): Promise<void> => {
    if (isSetUp) return;
    isSetUp = true;
    await page.goto(dashboard.setupUrl);
    await page.getByLabel('Email').fill(owner.email);
    await page.getByLabel('Password').fill(owner.password);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByText('The first webhook appears here automatically').waitFor();
  };
  const openFirstEvent = async (): Promise<string> => {
    await setUp();
    const { address } = await openEndpoint(page, 'Shop', [{ body: '{"hello":"first"}' }]);
    await page.getByRole('treeitem', { name: 'hello: "first"' }).waitFor();
    return address;
  };

  test('before setup, every page explains how to start', async () => {
    await page.goto(`${dashboard.origin}/app`);
    await page.getByText("Hooktape isn't set up yet").waitFor();
  });

  test('the email has the focus on the setup page', async () => {
    await page.goto(dashboard.setupUrl);
    await page.getByLabel('Email').waitFor();
    expect(await page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('email');
  });

  test('a setup link that is wrong or incomplete reports that before it shows a form', async () => {
    for (const [link, title] of [
      [`${dashboard.setupUrl}x`, "This setup link isn't valid"],
      [dashboard.setupUrl.replace(/=.*/, '='), 'This setup link is incomplete'],
    ] as const) {
      await page.goto(link);
      await page.getByRole('heading', { name: title }).waitFor();
      expect(await page.getByLabel('Email').count()).toBe(0);
      expect(await violationsInBothThemes(page)).toEqual([]);
    }
  });

  test('the setup link creates the owner, and the first webhook appears without a reload', async () => {
    await setUp();
    expect(new URL(page.url()).search).toBe('');
    const address = await shownAddress(page);
    expect(address).toStartWith(`${dashboard.origin}/in/`);
    await expectEventually(() => page.locator('pre.code').textContent()).toContain(`curl ${address}`);
    await page.getByText('No platform can reach this URL').waitFor();
    for (const way of ['hooktape listen', 'tunnel', 'HOOKTAPE_BASE_URL']) await page.getByText(way).first().waitFor();
    await deliver(address, '{"hello":"first"}');
    await page.getByRole('treeitem', { name: 'hello: "first"' }).waitFor();
    expect(page.url()).toMatch(/\/events\/evt_/);
  });

  test('a public URL has no warning that platforms cannot reach it', async () => {
    await setUp();
    const { listUrl } = await createEndpoint(page, 'Public');
    await page.route('**/api/endpoints', async route => {
      const response = await route.fetch();
      await route.fulfill({
        response,
        body: (await response.text()).replaceAll(dashboard.origin, 'https://hooks.example.com'),
      });
    });
    await page.goto(listUrl);
    await page.getByText('https://hooks.example.com/in/').first().waitFor();
    expect(await page.getByText('No platform can reach this URL').count()).toBe(0);
    await page.unrouteAll();
  });

  test('a new event is shown within a second', async () => {
    const address = await openFirstEvent();
    await page.evaluate(() => {
      const seen = window as unknown as { seenAt: number };
      new MutationObserver(() => {
        if (document.querySelectorAll('.event-row').length >= 2) seen.seenAt ||= Date.now();
      }).observe(document.body, { childList: true, subtree: true });
    });
    await deliver(address, '{"hello":"second"}');
    const answeredAt = Date.now();
    await page.waitForFunction(() => (window as unknown as { seenAt?: number }).seenAt);
    const seenAt = await page.evaluate(() => (window as unknown as { seenAt: number }).seenAt);
    // It takes 100 ms on an idle machine; the limit allows for a busy one.
    expect(seenAt - answeredAt).toBeLessThan(1000);
  });

  test('a used setup link reports that before it shows a form', async () => {
    await setUp();
    const other = await dashboard.open();
    await other.goto(dashboard.setupUrl);
    await other.getByRole('heading', { name: 'Hooktape is already set up' }).waitFor();
    await other.getByRole('link', { name: 'Go to the dashboard' }).click();
    await other.getByRole('heading', { name: 'Sign in' }).waitFor();
    await other.context().close();
  });

  test('a reload keeps the selected event, and so does signing in again', async () => {
    await openFirstEvent();
    const at = page.url();
    await page.reload();
    await page.getByRole('treeitem', { name: 'hello: "first"' }).waitFor();
    await page.getByRole('button', { name: 'Account menu' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('email');
    await page.getByLabel('Email').fill(owner.email);
    await page.getByLabel('Password').fill('not the password at all');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Password').fill(owner.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('treeitem', { name: 'hello: "first"' }).waitFor();
    expect(page.url()).toBe(at);
  });

  test('with one-time codes on, a code is asked for after the password, and a recovery code works too', async () => {
    await openFirstEvent();
    const call = <T>(path: string, body: object): Promise<T> => callApi<T>(page, 'POST', path, body);
    const { secret } = await call<{ secret: string }>('/api/me/totp', {});
    const code = (): string => new TOTP({ secret: Secret.fromBase32(secret) }).generate();
    const { recoveryCodes } = await call<{ recoveryCodes: string[] }>('/api/me/totp/confirm', { code: code() });
    for (const typed of [recoveryCodes[0] ?? '', recoveryCodes[1] ?? '']) {
      await page.getByRole('button', { name: 'Account menu' }).click();
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByLabel('Email').fill(owner.email);
      await page.getByLabel('Password').fill(owner.password);
      expect(await page.getByLabel('One-time code').count()).toBe(0);
      await page.keyboard.press('Enter');
      await page.getByLabel('One-time code').fill('000000');
      await page.keyboard.press('Enter');
      await page.getByText('Wrong code.').waitFor();
      expect(await violationsInBothThemes(page)).toEqual([]);
      await page.getByLabel('One-time code').fill(typed);
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Account menu' }).waitFor();
    }
    await callApi(page, 'DELETE', '/api/me/totp', { recoveryCode: recoveryCodes[2] });
  });

  test('the palette opens with Caps Lock, and the focus ring encloses a whole row', async () => {
    await openFirstEvent();
    await page.keyboard.press('Control+K');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    const ringed = (selector: string) =>
      page
        .locator(selector)
        .evaluateAll(rows => rows.filter(row => getComputedStyle(row).outlineStyle === 'solid').length);
    await page.locator('.event-link').first().focus();
    await page.keyboard.press('Shift');
    expect(await ringed('.event-row')).toBe(1);
    await page.goto(`${dashboard.origin}/app`);
    await page.locator('.endpoint-card').first().getByRole('link').first().focus();
    await page.keyboard.press('Shift');
    expect(await ringed('.endpoint-card')).toBe(1);
  });

  test('no dialog, policy violation, foreign request or script error occurred', () =>
    expect(dashboard.problems).toEqual({ dialogs: [], violations: [], foreign: [], errors: [] }));
});
