/* What stays open while the list beside it is searched, and what is found in it. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { browserTitle, hasNoBrowser } from './chromium.ts';
import { createEndpoint, type Dashboard, deliver, openDashboard, openEndpoint } from './dashboard.ts';
import { expectEventually } from './expect-eventually.ts';

setDefaultTimeout(120_000);

describe.skipIf(hasNoBrowser)(browserTitle('the open event'), () => {
  let dashboard: Dashboard;
  let page: Page;

  beforeAll(async () => {
    dashboard = await openDashboard();
    page = await dashboard.open();
    await dashboard.setUp(page);
  });
  afterAll(() => dashboard?.close());

  test('find in the hex view marks text and bytes, also those far below', async () => {
    const { address, listUrl } = await createEndpoint(page, 'bytes');
    const body = new Uint8Array(3_000_000).fill(0xff);
    body.set(new TextEncoder().encode('needle'), 30);
    body.set(new TextEncoder().encode('Needle'), 2_000_000);
    body.set([0xca, 0xfe, 0xca, 0xfe], 2_999_982);
    const id = await deliver(address, body, { headers: { 'content-type': 'application/octet-stream' } });
    await page.goto(`${listUrl}/events/${id}`);
    await page.locator('.hex-row').first().waitFor();
    await page.keyboard.press('f');
    await page.keyboard.type('NEEDLE');
    const marks = () => page.locator('.hex mark').allTextContents();
    const first = ['6e 65', 'ne', '65 64 6c 65', 'edle'];
    for (const [key, count, found] of [
      [null, '1 of 2', first],
      ['Enter', '2 of 2', ['4e 65 65 64 6c 65', 'Needle']],
      ['Shift+Enter', '1 of 2', first],
    ] as const) {
      if (key) await page.keyboard.press(key);
      await page.locator('.find-count', { hasText: count }).waitFor();
      await expectEventually(marks).toEqual([...found]);
    }
    await page.getByRole('textbox', { name: 'Find in this event' }).fill('cafe ca fe');
    await page.locator('.find-count', { hasText: '1 of 1' }).waitFor();
    await expectEventually(() => page.locator('.hex mark.current-hit').allTextContents()).toEqual([
      'ca fe',
      '··',
      'ca fe',
      '··',
    ]);
    // A narrow view scrolls sideways to the hit, which is at the end of a row.
    await page.setViewportSize({ width: 390, height: 740 });
    await page.getByRole('textbox', { name: 'Find in this event' }).fill('ne');
    await page.waitForFunction(() => {
      const mark = document.querySelector('.hex mark.current-hit')?.getBoundingClientRect();
      return mark !== undefined && mark.left >= 0 && mark.right <= innerWidth;
    });
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole('textbox', { name: 'Find in this event' }).fill('nowhere');
    await page.locator('.find-count', { hasText: 'No hits' }).waitFor();
  });

  const box = () => page.getByRole('combobox', { name: 'Search and filter events' });
  const openId = () => /events\/([^/?]+)/.exec(page.url())?.[1];
  const rowCount = async (count: number): Promise<void> => {
    await page.waitForFunction(wanted => document.querySelectorAll('.event-row').length === wanted, count);
  };

  test('typing in the search box keeps the open event, and Enter opens the newest hit', async () => {
    const bodies = ['{"order":"apple"}', '{"order":"pear"}', '{"order":"apricot"}'];
    await openEndpoint(
      page,
      'searched',
      bodies.map(body => ({ body })),
    );
    await page.locator('.event-row', { hasText: 'pear' }).locator('.event-link').click();
    await page.locator('.event-row.selected', { hasText: 'pear' }).waitFor();
    const opened = openId();
    await box().pressSequentially('ap');
    await rowCount(2);
    expect(openId()).toBe(opened);
    await box().pressSequentially('ple');
    await rowCount(1);
    expect(openId()).toBe(opened);
    await page.locator('.tree-row', { hasText: 'pear' }).waitFor();
    await page.keyboard.press('Enter');
    await page.locator('.event-row.selected', { hasText: 'apple' }).waitFor();
    await page.locator('.tree-row', { hasText: 'apple' }).waitFor();
    // One step in the history, as before.
    await page.goBack();
    await rowCount(3);
  });

  test('a filter in a link that cannot be read says why, and is no matter of the connection', async () => {
    const { listUrl } = await createEndpoint(page, 'linked', [{ body: '{"n":1}' }]);
    await page.goto(`${listUrl}?where=${encodeURIComponent('tpye:push')}`);
    await page.getByRole('alert').getByText('There is no field "tpye"').waitFor();
    expect(await page.locator('.connection').count()).toBe(0);
    await page.getByRole('button', { name: 'Use “type”' }).click();
    await page.getByText('Nothing found').waitFor();
    await page.locator('.connection.live').waitFor();
  });

  test('the state of the connection is shown once, and is true while the server is dead', async () => {
    await openEndpoint(page, 'alive', [{ body: '{"n":1}' }]);
    const live = page.locator('.connection.live', { hasText: 'Live' });
    await live.waitFor();
    expect(await page.getByText(/^(Live|Receiving)$/).count()).toBe(1);
    await dashboard.whileStopped(async () => {
      await page.getByText(/^Reconnecting in \d+ s$/).waitFor();
      await page.getByText('Not connected', { exact: true }).waitFor();
      expect(await page.locator('.connection.live').count()).toBe(0);
    });
    await live.waitFor();
  });

  test('a page without live updates shows the connection, too, and since when it is lost', async () => {
    const { listUrl } = await createEndpoint(page, 'asked', [{ body: '{"n":1}' }]);
    await page.goto(`${listUrl}/settings`);
    const live = page.locator('.connection.live', { hasText: 'Live' });
    await live.waitFor();
    await dashboard.whileStopped(async () => {
      await page.getByText('Not connected', { exact: true }).waitFor();
      const lost = page.getByRole('status').getByText(/^No connection since .*\. What you see is from before\.$/);
      await lost.waitFor();
      await page.locator('.tabbar').getByRole('link', { name: 'Events' }).click();
      await lost.waitFor();
      expect(await live.count()).toBe(0);
    });
    await live.waitFor();
    await page.getByText('No connection since').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Live' }).click();
    await page.getByRole('button', { name: 'Paused', pressed: true }).waitFor();
  });

  test('a server that stays connected and says nothing counts as dead', async () => {
    await openEndpoint(page, 'silent', [{ body: '{"n":1}' }]);
    await page.clock.install();
    await page.reload();
    await page.locator('.connection.live').waitFor();
    await page.route('**/api/**', route => route.abort());
    await page.clock.runFor(21_000);
    await page.getByText(/^(Reconnecting( in \d+ s)?|Not connected)$/).waitFor();
    await page.unrouteAll();
  });

  test('nothing was asked, violated or thrown', () =>
    expect(dashboard.problems).toEqual({ dialogs: [], violations: [], foreign: [], errors: [] }));
});
