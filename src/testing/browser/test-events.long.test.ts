import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { violations } from './accessibility.ts';
import { browserTitle, hasNoBrowser } from './chromium.ts';
import { callApi, type Dashboard, deliver, openDashboard, openEndpoint } from './dashboard.ts';
import { expectEventually } from './expect-eventually.ts';

setDefaultTimeout(120_000);

describe.skipIf(hasNoBrowser)(browserTitle('test events, guides and the request line'), () => {
  let dashboard: Dashboard;
  let page: Page;
  let id: string;
  let url: string;
  let listUrl: string;

  beforeAll(async () => {
    dashboard = await openDashboard();
    page = await dashboard.open({ permissions: ['clipboard-read', 'clipboard-write'] });
    await dashboard.setUp(page);
  });
  afterAll(() => dashboard?.close());

  beforeEach(async () => {
    ({ id, address: url, listUrl } = await openEndpoint(page, 'Shop'));
  });
  const openTestEvent = async (): Promise<void> => {
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await page.getByRole('button', { name: 'Send a test event…' }).click();
  };

  const dialog = () => page.getByRole('dialog');
  const copied = () => page.evaluate(() => navigator.clipboard.readText());
  const checkAccessibility = async (of: Page = page): Promise<void> => {
    expect(await violations(of)).toEqual([]);
  };

  test('the guide leads to a signed test event, which opens with a valid signature', async () => {
    await page.getByRole('button', { name: 'GitHub' }).click();
    await dialog().getByText('Enter this URL').waitFor();
    await expectEventually(() => dialog().getByText(url).count()).toBe(1);
    await dialog().getByLabel('Platform', { exact: true }).fill('shop');
    await dialog().getByRole('heading', { name: 'Shopify' }).waitFor();
    await checkAccessibility();
    await dialog().getByRole('button', { name: 'Send test event' }).click();
    await dialog().getByRole('heading', { name: 'Send a test event' }).waitFor();
    await dialog().getByRole('radio', { name: 'Order paid' }).check();
    await checkAccessibility();
    await dialog().getByRole('button', { name: 'Send test event' }).click();
    await page.getByRole('heading', { level: 2, name: 'orders/paid' }).waitFor();
    await page.locator('.way').getByText('Signature valid').waitFor();
    await page.locator('.event-row').getByText('orders/paid').waitFor();
    await expectEventually(() => dialog().count()).toBe(0);
  });

  test('by keyboard: search, arrows, Enter; the platform is remembered', async () => {
    await openTestEvent();
    await dialog().getByLabel('Platform', { exact: true }).fill('shop');
    await dialog().getByRole('heading', { name: 'Shopify' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 2, name: 'orders/create' }).waitFor();
    await openTestEvent();
    await dialog().getByRole('heading', { name: 'Shopify' }).waitFor();
    await page.keyboard.type('paypal');
    await dialog().getByText('Sent without a signature').waitFor();
    await dialog().getByLabel('Platform', { exact: true }).fill('sla');
    await dialog().getByRole('heading', { name: 'Slack' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 2, name: 'app_mention' }).waitFor();
  });

  test('a problem with the secret is shown at its field, and ends with the choice of another platform', async () => {
    await openTestEvent();
    await dialog().getByLabel('Platform', { exact: true }).fill('github');
    await dialog().getByRole('heading', { name: 'GitHub' }).waitFor();
    const secret = dialog().getByLabel('Signing secret');
    await secret.fill('of another platform');
    const problems = [{ path: 'secret', message: 'is not a secret of GitHub' }];
    await page.route('**/test-events', route => route.fulfill({ status: 400, json: { error: 'no', problems } }));
    await dialog().getByRole('button', { name: 'Send test event' }).click();
    await dialog().getByText('Is not a secret of GitHub.').waitFor();
    await expectEventually(() => secret.and(page.locator('[aria-invalid]:focus')).count()).toBe(1);
    await dialog().getByLabel('Platform', { exact: true }).fill('shop');
    await dialog().getByRole('heading', { name: 'Shopify' }).waitFor();
    expect([await secret.inputValue(), await dialog().getByText('Is not a secret of GitHub.').count()]).toEqual([
      '',
      0,
    ]);
    await page.unrouteAll();
    await page.keyboard.press('Escape');
  });

  test('y copies the endpoint’s URL, and each part of the request is copied by a click', async () => {
    await deliver(url, '{}');
    await page.locator('.event-title h2').click();
    await page.keyboard.press('y');
    await page.getByText('URL copied').waitFor();
    await expectEventually(copied).toBe(url);
    const id = await deliver(url, '{}', { headers: { 'content-type': 'text/plain' } });
    const eventId = await deliver(`${url}/orders/7?paid=yes&note=${'long'.repeat(100)}`, '{}');
    await page.goto(`${listUrl}/events/${eventId}`);
    const line = page.locator('.request-line');
    await line.getByRole('button', { name: 'Show whole URL' }).click();
    const copy = async (name: string): Promise<string> => {
      await line.getByRole('button', { name }).click();
      return copied();
    };
    expect(await copy('Copy request URL')).toBe(`${url}/orders/7?paid=yes&note=${'long'.repeat(100)}`);
    expect(await copy('Copy method')).toBe('POST');
    expect(await copy('Copy source address')).toBe('127.0.0.1');
    expect(await copy('Copy event id')).toBe(eventId);
    expect(eventId).not.toBe(id);
    const time = line.getByRole('button', { name: 'Copy time in UTC' });
    await time.focus();
    await page.keyboard.press('Enter');
    const utc = await copied();
    expect(Math.abs(Date.parse(utc) - Date.now())).toBeLessThan(600_000);
    await time.getByText(utc.slice(0, 10)).waitFor();
    await checkAccessibility();
  });

  test('at 360 px the tab bar stays one line, and nothing is wider than the page', async () => {
    const eventId = await deliver(`${url}/orders/7?note=${'long'.repeat(100)}`, '{}');
    const phone = await dashboard.open({
      viewport: { width: 360, height: 740 },
      hasTouch: true,
      storageState: await page.context().storageState(),
    });
    await phone.goto(`${listUrl}/events/${eventId}`);
    await phone.locator('.request-line').getByRole('button', { name: 'Copy event id' }).waitFor();
    const bar = await phone.locator('.tabbar').boundingBox();
    expect(bar?.height).toBeLessThanOrEqual(54);
    await expectEventually(() => phone.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
    await checkAccessibility(phone);
    await phone.getByRole('button', { name: 'Connect', exact: true }).click();
    await phone.getByRole('button', { name: 'Connect a platform' }).click();
    await phone.getByText('Enter this URL').waitFor();
    const box = await phone.getByRole('dialog').boundingBox();
    expect((box?.x ?? 0) + (box?.width ?? 361)).toBeLessThanOrEqual(360);
    await checkAccessibility(phone);
    await phone.context().close();
  });

  test('the test secrets stand in the settings, folded into one line', async () => {
    for (const platform of ['shopify', 'slack'])
      await callApi(page, 'POST', `/api/endpoints/${id}/test-events`, { platform });
    await page.goto(`${listUrl}/settings/secrets`);
    const rows = page.locator('#secrets .secret-row:visible');
    await page.locator('#secrets').getByText('2 test secrets, made for test events').waitFor();
    expect(await rows.count()).toBe(0);
    await page.locator('#secrets summary').click();
    await expectEventually(() => rows.count()).toBe(2);
  });

  test('a test event is answered by the rules, and the preview says the same', async () => {
    const rules = [{ name: 'once', first: 1, answer: { status: 500 } }];
    await callApi(page, 'PUT', `/api/endpoints/${id}/answers`, { rules });
    for (const count of [1, 2]) {
      await openTestEvent();
      await dialog().getByRole('button', { name: 'Send test event' }).click();
      await page
        .locator('.event-row')
        .nth(count - 1)
        .waitFor();
      await dialog().waitFor({ state: 'detached' });
    }
    await expectEventually(() => page.locator('.event-row').getByText('Answered 500').count()).toBe(1);
    await page.goto(`${dashboard.origin}/app/endpoints/${id}/answers`);
    const previewed = page.locator('.preview-rows li');
    await expectEventually(() => previewed.getByText('once').count()).toBe(1);
    await expectEventually(() => previewed.getByText('default').count()).toBe(1);
  });

  test('nothing went wrong on the way', () => {
    expect(dashboard.problems).toEqual({ dialogs: [], violations: [], foreign: [], errors: [] });
  });
});
