/* Dialogs that a function opens: what they do when their action fails or is slow, when the page changes, and with the focus. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { browserTitle, hasNoBrowser } from './chromium.ts';
import { callApi, type Dashboard, openDashboard, openEndpoint } from './dashboard.ts';

setDefaultTimeout(120_000);

describe.skipIf(hasNoBrowser)(browserTitle('dialogs'), () => {
  let dashboard: Dashboard;
  let page: Page;

  beforeAll(async () => {
    dashboard = await openDashboard();
    page = await dashboard.open({ reducedMotion: 'reduce' });
    await dashboard.setUp(page);
  });
  afterAll(() => dashboard?.close());

  const dialog = () => page.getByRole('dialog');
  const revoke = (name: string) => page.getByRole('button', { name: `Revoke ${name}` });
  const openKeys = async (name: string): Promise<void> => {
    await callApi(page, 'POST', '/api/keys', { name });
    await page.goto(`${dashboard.origin}/app/settings/keys`);
    await revoke(name).click();
  };
  const isFocused = (name: string) => page.getByRole('button', { name }).and(page.locator(':focus')).waitFor();

  test('a question shows why its action failed, stays open, and gives the focus back', async () => {
    await openKeys('failing');
    await page.route('**/api/keys/*', route => route.fulfill({ status: 409, json: { error: 'the key is in use' } }));
    await dialog().getByRole('button', { name: 'Revoke' }).click();
    await dialog().getByText('the key is in use').waitFor();
    await page.unrouteAll();
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    await dialog().waitFor({ state: 'detached' });
    await isFocused('Revoke failing');
  });

  test('an action that succeeds after its question was closed is still shown', async () => {
    await openKeys('slow');
    const isClosed = Promise.withResolvers<void>();
    await page.route('**/api/keys/*', async route => {
      await isClosed.promise;
      await route.continue();
    });
    await dialog().getByRole('button', { name: 'Revoke' }).click();
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
    isClosed.resolve();
    await page.getByText('slow was revoked.').waitFor();
    await revoke('slow').waitFor({ state: 'detached' });
    await page.unrouteAll();
  });

  test('a question about an event closes when another event or page is shown', async () => {
    const { listUrl } = await openEndpoint(page, 'questions', [{ body: '{"n":1}' }, { body: '{"n":2}' }]);
    await page.locator('.event-row .event-link').nth(1).click();
    const url = page.url();
    await page.locator('.event-row .event-link').nth(0).click();
    await page.waitForURL(one => String(one) !== url);
    await page.getByRole('button', { name: 'Delete event' }).click();
    await dialog().getByText("This can't be undone.").waitFor();
    await page.goBack();
    await page.waitForURL(url);
    expect(await dialog().count()).toBe(0);
    await page.goto(`${listUrl}/settings`);
    await page.getByRole('button', { name: 'Pause endpoint' }).click();
    await dialog().waitFor();
    await page.goBack();
    await dialog().waitFor({ state: 'detached' });
  });

  test('a dialog that replaces another one gives the focus back to where the first one was opened', async () => {
    await openEndpoint(page, 'replaced', [{ body: '{}' }]);
    await page.getByRole('button', { name: 'Connect', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Connect a platform' }).focus();
    await page.keyboard.press('Enter');
    await dialog().getByRole('button', { name: 'Send test event' }).click();
    await page.getByRole('dialog', { name: 'Send a test event' }).waitFor();
    expect(await dialog().count()).toBe(1);
    await page.keyboard.press('Escape');
    await isFocused('Connect');
  });

  test('no policy violation, foreign request or script error occurred', () => {
    expect(dashboard.problems).toEqual({ dialogs: [], violations: [], foreign: [], errors: [] });
  });
});
