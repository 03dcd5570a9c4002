import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { violations } from './accessibility.ts';
import { browserTitle, hasNoBrowser } from './chromium.ts';
import { type Dashboard, deliver, openDashboard, openEndpoint } from './dashboard.ts';
import { expectEventually } from './expect-eventually.ts';

setDefaultTimeout(120_000);

describe.skipIf(hasNoBrowser)(browserTitle('attempts of a delivery'), () => {
  let dashboard: Dashboard;
  let page: Page;
  let address: string;
  const rows = () => page.locator('.event-row:not(.attempt-row)');
  const attempt = (id: string, n: number) =>
    deliver(address, JSON.stringify({ ref: `refs/heads/${id}`, n }), {
      headers: { 'content-type': 'application/json', 'x-github-event': 'push', 'x-github-delivery': id },
    });

  const checkAccessibility = async (name: string): Promise<void> => {
    const folder = Bun.env['ATTEMPTS_SHOTS'];
    if (folder) await page.screenshot({ path: `${folder}/${name}.png` });
    expect(await violations(page)).toEqual([]);
  };

  beforeAll(async () => {
    dashboard = await openDashboard();
    page = await dashboard.open();
    await dashboard.setUp(page);
  });
  afterAll(() => dashboard?.close());

  beforeEach(async () => {
    ({ address } = await openEndpoint(page, 'attempts'));
    await attempt('a', 1);
    await attempt('b', 1);
    await attempt('a', 2);
    await rows().nth(1).waitFor();
  });
  const sendMoreAttempts = async (): Promise<void> => {
    await attempt('b', 2);
    await attempt('a', 3);
    await rows().getByText('3 attempts', { exact: true }).waitFor();
  };
  const selectNewest = async (): Promise<void> => {
    await page.keyboard.press('g');
    await page.locator('.event-row.selected .badge', { hasText: '3 attempts' }).waitFor();
  };

  test('the list has one row per delivery, which says how many attempts it had', async () => {
    await rows().getByText('2 attempts', { exact: true }).waitFor();
    await expectEventually(() => rows().count()).toBe(2);
  });

  test('a new attempt of a shown delivery updates its row and moves it to the top', async () => {
    await attempt('b', 2);
    await page.waitForFunction(() => document.querySelectorAll('.unfold').length === 2);
    await expectEventually(() => rows().count()).toBe(2);
    await attempt('a', 3);
    await rows().getByText('3 attempts', { exact: true }).waitFor();
    await expectEventually(() => rows().count()).toBe(2);
  });

  test('e unfolds the attempts of the selected delivery, and each can be opened', async () => {
    await sendMoreAttempts();
    await selectNewest();
    await page.keyboard.press('e');
    await page.getByRole('link', { name: /^Attempt 1 .*first attempt/ }).click();
    await page.locator('.attempt-row.selected').waitFor();
    await page.getByRole('treeitem').first().waitFor();
    await checkAccessibility('unfolded');
    await page.keyboard.press('e');
    await page.waitForFunction(() => document.querySelectorAll('.attempt-row').length === 0);
    await expectEventually(() => page.locator('.event-row.selected .badge').textContent()).toBe('3 attempts');
  });

  test('the event page lists the attempts with their gaps, and compares two', async () => {
    await sendMoreAttempts();
    await selectNewest();
    await page.keyboard.press('6');
    const panel = page.getByRole('tabpanel');
    await panel.getByText('Recognised by the delivery id in a header. The bodies differ.').waitFor();
    await expectEventually(() => panel.getByRole('listitem').count()).toBe(3);
    await checkAccessibility('event');
    await panel.getByRole('link', { name: 'Compare with attempt 1' }).click();
    await page.getByRole('heading', { name: 'Compare' }).waitFor();
    await page.locator('.changes tr.changed', { hasText: 'n' }).first().waitFor();
    await page.goBack();
    await rows().first().waitFor();
  });

  test('the way of the delivery leads to its parts, and a part without anything in it has no tab', async () => {
    await sendMoreAttempts();
    await selectNewest();
    const way = page.getByRole('list', { name: 'The way of this delivery' });
    const tabs = () => page.getByRole('tab').allTextContents();
    await expectEventually(() => way.getByRole('listitem').count()).toBe(5);
    await way.getByRole('link', { name: /^Answer 200, 200, 200/ }).waitFor();
    await expectEventually(tabs).toEqual([
      'Body',
      expect.stringMatching(/^Headers\d+$/),
      'Signature',
      'Replays',
      'Attempts3',
    ]);
    await way.getByRole('link', { name: /^Attempts 3 in / }).click();
    await page.getByText('Recognised by the delivery id in a header.').waitFor();
    const id = await deliver(`${address}?shop=7`, '{"n":9}');
    await page.goto(page.url().replace(/events\/\w+/, `events/${id}`));
    await page.getByRole('tab', { name: 'Body', selected: true }).waitFor();
    await expectEventually(tabs).toEqual([
      'Body',
      expect.stringMatching(/^Headers\d+$/),
      'Query1',
      'Signature',
      'Replays',
    ]);
    // Nothing is to be seen of one attempt.
    await expectEventually(() => way.getByRole('link').count()).toBe(4);
    await page.keyboard.press('6');
    await page.keyboard.press('3');
    await page.getByRole('tab', { name: /Query/, selected: true }).waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    await way.getByText('No signature').waitFor();
    await expectEventually(() =>
      page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
    ).toBeLessThanOrEqual(0);
    await checkAccessibility('way-phone');
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  test('d shows every attempt as a row, also after a reload', async () => {
    await sendMoreAttempts();
    await page.keyboard.press('d');
    await page.waitForFunction(() => document.querySelectorAll('.event-row').length === 5);
    await page.reload();
    await page.waitForFunction(() => document.querySelectorAll('.event-row').length === 5);
    await page.getByRole('button', { name: 'List menu' }).click();
    await page.getByLabel('One row per delivery').check();
    await page.waitForFunction(() => document.querySelectorAll('.event-row').length === 2);
  });

  test('the endpoint’s activity shows when its senders retried', async () => {
    await sendMoreAttempts();
    await page.locator('.tabbar').getByRole('link', { name: 'Activity' }).click();
    const table = page.locator('.retries');
    await table.waitFor();
    await expectEventually(() => table.getByRole('row').count()).toBe(3);
    await checkAccessibility('activity');
    await page.getByRole('heading', { name: 'GitHub, 2 deliveries' }).waitFor();
  });

  test('no dialog, policy violation, foreign request or script error occurred', () =>
    expect(dashboard.problems).toEqual({ dialogs: [], violations: [], foreign: [], errors: [] }));
});
