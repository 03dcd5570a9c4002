import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { eventually } from '../poll.ts';
import { browserTitle, hasNoBrowser } from './chromium.ts';
import { expectEventually } from './expect-eventually.ts';
import { type FilterPage, openFilterPage } from './filter-page.ts';

setDefaultTimeout(120_000);

describe.skipIf(hasNoBrowser)(browserTitle('saved filters, time range and filtered list'), () => {
  let on: FilterPage;

  beforeAll(async () => {
    on = await openFilterPage();
  });
  afterAll(() => on?.dashboard.close());
  beforeEach(() => on.reset());

  test('a saved filter is a tab for the whole team, until it is deleted after a question', async () => {
    await on.page.goto(`${on.listUrl}?where=type%3Apush`);
    await on.page.getByRole('button', { name: 'Save filter' }).click();
    await on.page.getByLabel('Name').fill('Pushes <b>');
    await on.shot('save');
    await on.page.getByRole('dialog').getByRole('button', { name: 'Save filter' }).click();
    await on.page.getByText('Filter saved for your team.').waitFor();
    const tab = () => on.page.getByRole('link', { name: 'Pushes <b>' });
    await on.page.locator('.filter-tab[aria-current=page]', { hasText: 'Pushes <b>' }).waitFor();
    const other = await on.dashboard.open();
    await other.context().addCookies(await on.page.context().cookies());
    await other.goto(on.listUrl);
    await other.getByRole('link', { name: 'Pushes <b>' }).click();
    await other.waitForURL(url => url.searchParams.get('where') === 'type:push');
    await other.context().close();
    await on.page.getByRole('link', { name: 'All', exact: true }).click();
    await on.waitForFilter('');
    await on.waitForRows(12);
    await on.shot('tabs');
    await on.checkAccessibility();
    await tab().click();
    await on.waitForRows(6);
    await on.page.getByRole('button', { name: 'Delete the saved filter Pushes <b>' }).click();
    await on.page.getByRole('dialog').getByRole('button', { name: 'Delete filter' }).click();
    await tab().waitFor({ state: 'detached' });
    await on.page.reload();
    await on.page.getByRole('button', { name: 'Save filter' }).waitFor();
    await expectEventually(() => tab().count()).toBe(0);
  });

  test('at the limit of saved filters, saving says what to do', async () => {
    const failures = await on.page.evaluate(
      async url => {
        const statuses: number[] = [];
        for (let n = 0; n < 100; n++) {
          const response = await fetch(url, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({ name: `filter ${n}`, where: `body.n:${n}` }),
          });
          if (response.status !== 201) statuses.push(response.status);
        }
        return statuses;
      },
      `/api/endpoints/${on.listUrl.split('/endpoints/')[1]?.split(/[/?]/)[0]}/filters`,
    );
    expect(failures).toEqual([]);
    await on.page.goto(`${on.listUrl}?where=type%3Apush`);
    await on.page.getByRole('button', { name: 'Save filter' }).click();
    await on.page.getByLabel('Name').fill('one more');
    await on.page.getByRole('dialog').getByRole('button', { name: 'Save filter' }).click();
    await on.page.getByText('Delete one you no longer use.').waitFor();
    await on.page.keyboard.press('Escape');
    await on.page.setViewportSize({ width: 360, height: 740 });
    await on.page.goto(on.listUrl);
    await on.page.getByRole('link', { name: 'filter 99' }).waitFor();
    await expectEventually(() =>
      on.page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
    ).toBeLessThanOrEqual(0);
  });

  test('the period of the timeline is in the URL, and local times become one term of the filter, in UTC', async () => {
    const kolkata = await on.dashboard.open({ timezoneId: 'Asia/Kolkata' });
    await kolkata.context().addCookies(await on.page.context().cookies());
    await kolkata.goto(`${on.listUrl}?where=type%3Apush`);
    const button = kolkata.getByRole('button', { name: /^Period/ });
    await button.click();
    await kolkata.getByRole('button', { name: '7 days' }).click();
    await kolkata.waitForURL(url => url.searchParams.get('from') === '7d');
    await kolkata.getByRole('button', { name: 'Period: 7 days', exact: true }).click();
    await kolkata.getByText(/Asia\/(Kolkata|Calcutta) \(GMT\+5:30\)/).waitFor();
    await kolkata.getByRole('button', { name: 'Apply' }).click();
    await kolkata.getByText('Choose a start').waitFor();
    await kolkata.getByLabel('From', { exact: true }).fill('2026-11-22T14:05');
    await kolkata.getByLabel('To', { exact: true }).fill('2026-11-22T14:00');
    await kolkata.getByRole('button', { name: 'Apply' }).click();
    await kolkata.getByText('The end must be after the start.').waitFor();
    await kolkata.getByLabel('To', { exact: true }).fill('2026-11-22T18:00');
    await kolkata.getByRole('button', { name: 'Apply' }).click();
    await kolkata.waitForURL(
      url => url.searchParams.get('where') === 'type:push received:2026-11-22T08:35Z..2026-11-22T12:29:59.999Z',
    );
    await kolkata.locator('.chip-text', { hasText: /^Received .*14:05 – 18:00$/ }).waitFor();
    await button.click();
    await expectEventually(() => kolkata.getByLabel('From', { exact: true }).inputValue()).toBe('2026-11-22T14:05');
    await expectEventually(() => kolkata.getByLabel('To', { exact: true }).inputValue()).toBe('2026-11-22T18:00');
    await kolkata.keyboard.press('Escape');
    await kolkata.getByLabel('From', { exact: true }).waitFor({ state: 'detached' });
    await kolkata.getByRole('button', { name: 'Clear the range (Esc)' }).click();
    await kolkata.waitForURL(url => url.searchParams.get('where') === 'type:push');
    await kolkata.context().close();
  });

  test.each([
    ['says how far it came, and goes on when asked', -1],
    ['starts over and goes on, too, when the clock of the server is ahead', 1],
  ])('a search that the server cut short %s', async (_, days) => {
    const scannedTo = new Date(Date.now() + days * 86_400_000).setHours(14, 5, 0, 0);
    let firstPages = 0;
    let cutPages = 0;
    await on.page.route('**/api/events?*where=rare*', async route => {
      const isFirst = !new URL(route.request().url()).searchParams.has('cursor');
      // The second one is asked for when the live stream is open; after it, a list with a gap starts over.
      if (isFirst && ++firstPages === 2 && days > 0) cutPages = 0;
      if (cutPages++ > 30) return route.fulfill({ json: { events: [], nextCursor: null, scannedTo: null } });
      return route.fulfill({ json: { events: [], nextCursor: `c${cutPages}`, scannedTo } });
    });
    await on.box().fill('rare');
    await eventually(() => firstPages === 2 && cutPages > 20, 15_000);
    await on.page.getByRole('button', { name: /^Searched back to .*\b(14:05|0?2:05 PM) · Keep searching$/ }).click();
    await on.page.getByText('Nothing found').waitFor();
    expect(cutPages).toBeGreaterThan(31);
    await on.page.unroute('**/api/events?*where=rare*');
    await on.box().fill('');
  });

  test('new events are listed when they match the filter, without asking for the list again', async () => {
    await on.page.goto(`${on.listUrl}?where=${encodeURIComponent('type:push body.n>100')}`);
    await on.page.getByText('Nothing found').waitFor();
    await on.page.getByText('Live', { exact: true }).waitFor();
    // The first page, and what arrived until the stream was open.
    await eventually(() => on.asked.length >= 2);
    on.asked.length = 0;
    await on.send(2);
    await on.send(101);
    await on.send(102);
    await on.page.locator('.event-row', { hasText: '"n":102' }).waitFor();
    await on.waitForRows(1);
    expect(on.asked).toEqual([]);
  });

  test('values of an event are added to the filter, or excluded with Shift', async () => {
    await on.send(102);
    await on.page.locator('.event-row', { hasText: '"n":102' }).first().click();
    await on.page.getByRole('treeitem', { name: 'sku: "A-102"' }).click();
    await on.page.getByRole('button', { name: 'Filter', exact: true }).click();
    await on.waitForFilter('body.order.items[].sku:A-102');
    await on.page.getByRole('treeitem', { name: 'odd key' }).click();
    await on.page.getByRole('button', { name: 'Filter', exact: true }).click();
    await on.waitForFilter('body.order.items[].sku:A-102 body."odd key":"a \\"b\\""');
    await on.waitForRows(1);
    await on.page.getByRole('button', { name: 'Filter by type:push' }).click();
    await on.waitForFilter('body.order.items[].sku:A-102 body."odd key":"a \\"b\\"" type:push');
    await on.page.getByRole('button', { name: 'Clear search' }).click();
    await on.waitForFilter('');
    await on.page.keyboard.press('t');
    await on.page.keyboard.type('two words');
    await on.page.keyboard.press('Enter');
    await on.page.locator('.tag-name').click();
    await on.waitForFilter('tag:"two words"');
    await on.waitForRows(1);
    await on.page.getByRole('button', { name: 'Remove tag:"two words"' }).click();
    await on.page.keyboard.press('Escape');
    await on.page.keyboard.press('2');
    await on.page.getByRole('button', { name: /^Filter by header.x-shop-domain/ }).click({ modifiers: ['Shift'] });
    await on.page.waitForURL(url => /^-header\.x-shop-domain:/.test(url.searchParams.get('where') ?? ''));
    await on.shot('filter-by');
    await on.checkAccessibility();
  });

  test('the settings of the endpoint are one of its tabs', async () => {
    await on.page.locator('.tabbar').getByRole('link', { name: 'Settings' }).click();
    await on.page.getByRole('heading', { name: /^Settings of / }).waitFor();
  });

  test('no dialog, policy violation, foreign request or script error occurred', () =>
    expect(on.dashboard.problems).toEqual({ dialogs: [], violations: [], foreign: [], errors: [] }));
});
