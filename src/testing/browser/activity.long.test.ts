import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { isRemote } from '../remote/databases.ts';
import { violationsInBothThemes } from './accessibility.ts';
import { browserTitle, hasNoBrowser } from './chromium.ts';
import { callApi, deliver } from './dashboard.ts';
import { expectEventually } from './expect-eventually.ts';
import { openTimelinePage, type TimelinePage } from './timeline-page.ts';

setDefaultTimeout(120_000);

// The copies of its events are inserted into the file.
describe.skipIf(hasNoBrowser || isRemote)(browserTitle('the page Activity'), () => {
  let on: TimelinePage;
  let page: Page;

  beforeAll(async () => {
    on = await openTimelinePage();
    page = on.page;
  });
  afterAll(() => on?.dashboard.close());

  const activity = (query = '') => `${on.list}/activity${query}`;
  const openActivity = async (query = ''): Promise<void> => {
    await page.goto(activity(query));
    await on.axis().waitFor();
  };

  test('shows 24 hours, and other periods by their address', async () => {
    await openActivity();
    await page.getByText(/^\d+ events in the last 24 hours\. Each bar is 10 minutes\.$/).waitFor();
    await page.getByRole('button', { name: '7 d', exact: true }).click();
    await expectEventually(async () => new URL(page.url()).searchParams.get('from')).toBe('7d');
    await page.getByText(/in the last 7 days\. Each bar is 1 hour\./).waitFor();
    await page.getByRole('button', { name: 'All', exact: true }).click();
    await page.getByText(/ since .*Each bar is /).waitFor();
    await page.goBack();
    await page.getByText(/in the last 7 days/).waitFor();
  });

  test('a range leads to its events, can be zoomed into, replayed, exported and cleared', async () => {
    await openActivity();
    await on.drag(0.9, 0.97);
    await expectEventually(async () => on.where()).toMatch(/^received:/);
    await on.rangeBar().getByRole('button', { name: 'Replay these…' }).click();
    await page
      .getByRole('dialog')
      .getByText(/\d+ events, /)
      .waitFor();
    await page.keyboard.press('Escape');
    await on.rangeBar().getByRole('button', { name: 'Export these…' }).click();
    await page.getByRole('dialog').getByText(on.where()).waitFor();
    await page.keyboard.press('Escape');
    const chosen = on.where();
    await on.rangeBar().getByRole('button', { name: 'Zoom in' }).click();
    await expectEventually(async () => new URL(page.url()).searchParams.get('from')).toMatch(/Z$/);
    await page.goBack();
    await on.rangeBar().getByRole('button', { name: 'Show events' }).click();
    await page.locator('.event-row').first().waitFor();
    expect(on.where()).toBe(chosen);
    await expectEventually(on.matching).toBe(await on.countOf());
    await page.goBack();
    await on.rangeBar().getByRole('button', { name: 'Clear the range (Esc)' }).click();
    await expectEventually(async () => on.where()).toBe('');
  });

  test('with the keys: Enter shows the events of a bar', async () => {
    await openActivity();
    await on.axis().focus();
    await page.keyboard.press('PageUp');
    const sentence = (await on.axis().getAttribute('aria-valuetext')) ?? '';
    await page.keyboard.press('Enter');
    await expectEventually(async () => page.url()).toContain('?where=received');
    const count = Number(/: (\d+) event/.exec(sentence)?.[1]);
    await expectEventually(on.countOf).toBe(count);
  });

  test('has the same numbers as a table', async () => {
    await openActivity();
    const head = (await page.locator('.axis-head').textContent()) ?? '';
    await page.getByRole('button', { name: 'Show as table' }).click();
    const cells = await page.locator('.bucket-table tbody td:nth-child(2)').allTextContents();
    expect(cells.length).toBeWithin(145, 149);
    expect(cells.reduce((sum, cell) => sum + Number(cell), 0)).toBe(Number(/^\d+/.exec(head)?.[0]));
    await page.getByRole('button', { name: 'Show as table' }).click();
    await on.axis().waitFor();
  });

  test('a filter counts only its events, and types lead to theirs', async () => {
    await openActivity();
    await page.getByRole('link', { name: 'invoice.paid' }).waitFor();
    await page.getByRole('combobox', { name: 'Search and filter events' }).fill('type:invoice.*');
    await page.getByText(/^5\d events in the last 24 hours/).waitFor();
    await page.getByRole('link', { name: 'charge.refunded' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'invoice.paid' }).click();
    await page.locator('.event-row').first().waitFor();
    expect(on.where()).toBe('type:invoice.* received>24h type:invoice.paid');
  });

  test('has a lane for each forward, marks and a list of changes, and jobs under way', async () => {
    const endpoint = on.endpointId;
    await page.goto(activity());
    await page.getByText('No forwards yet.').waitFor();
    for (const name of ['warehouse', 'staging'])
      await callApi(page, 'POST', `/api/endpoints/${endpoint}/forwards`, {
        name,
        url: 'http://127.0.0.1:9/',
        where: 'type:sent',
      });
    const job = await callApi<{ id: string }>(page, 'POST', '/api/replay-jobs', {
      endpointId: endpoint,
      where: 'type:invoice.paid',
      dest: 'http://127.0.0.1:9/job',
      pace: '1/s',
    });
    await deliver(on.address, '{"type":"sent"}');
    await page.reload();
    await page.getByRole('img', { name: /^staging: 0 delivered/ }).waitFor();
    await page.getByRole('img', { name: /^warehouse: 0 delivered/ }).waitFor();
    await page.getByRole('button', { name: /^2 changes: .*warehouse.*staging/ }).click();
    await expectEventually(() => page.evaluate(() => document.activeElement?.id)).toBe('changes');
    await page
      .locator('#changes')
      .getByRole('link', { name: /staging/ })
      .waitFor();
    await page.getByText('Estimating…').waitFor();
    await page.getByText(/ left$|Still running/).waitFor();
    expect(await violationsInBothThemes(page)).toEqual([]);
    await callApi(page, 'POST', `/api/replay-jobs/${job.id}/cancel`, {});
    await page.getByRole('link', { name: 'Replay job' }).waitFor({ state: 'detached' });
    // The axis has a few elements, however many bars it has.
    expect(await page.locator('.lane.main .lane-area *').count()).toBeLessThan(16);
    expect(await page.locator('.lane.forward').first().locator('.lane-area *').count()).toBeLessThan(12);
  });

  test('works without events, says when the server fails, and is accessible on a phone', async () => {
    const { id } = await callApi<{ id: string }>(page, 'POST', '/api/endpoints', { name: 'Quiet' });
    await page.goto(`${on.dashboard.origin}/app/endpoints/${id}/activity`);
    await page.getByText('No events in the last 24 hours').waitFor();
    await page.getByText('No events in this period.').waitFor();
    await page.route('**/timeline?*', route => route.fulfill({ status: 500, json: { error: 'disk is full' } }));
    await page.route('**/changes?*', route => route.fulfill({ status: 500, json: { error: 'disk is full' } }));
    await page.goto(activity());
    await page.getByRole('alert').filter({ hasText: "Couldn't count the events" }).waitFor();
    await page.getByText("Couldn't load the changes").waitFor();
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Try again' }).first().click();
    await on.axis().waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    await on.drag(0.5, 0.8);
    await on.rangeBar().getByRole('button', { name: 'Show events' }).waitFor();
    expect(await violationsInBothThemes(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  test('no dialog, policy violation, foreign request or script error occurred', () =>
    expect(on.dashboard.problems).toEqual({ dialogs: [], violations: [], foreign: [], errors: [] }));
});
