/* The home page with more endpoints than it shows: what it asks for, how much it draws, and what it says when it cannot ask. */
import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { violationsInBothThemes } from './accessibility.ts';
import { type Dashboard, deliver, openDashboard, shownAddress } from './dashboard.ts';
import { expectEventually } from './expect-eventually.ts';

const endpoints = 10_000;
/** The paused endpoints, the latest first. */
const paused = Array.from({ length: 200 }, (_, n) => 50 * (200 - n) - 43);
let dashboard: Dashboard;
let page: Page;
/** The requests to the API so far, with their statuses. */
const requests: { path: string; status: number }[] = [];
beforeAll(async () => {
  dashboard = await openDashboard();
  page = await dashboard.open();
  await dashboard.setUp(page);
  await deliver(await shownAddress(page), '{}');
  await dashboard.whileStopped(async dataDir => {
    const database = new Database(join(dataDir, 'hooktape.db'));
    database.run(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${endpoints - 1})
       INSERT INTO endpoints (id, team_id, name, token, created_at, paused_at)
       SELECT 'ep_' || i, (SELECT id FROM teams), 'Shop ' || i, 'token' || i, i, iif(i % 50 = 7, i, NULL) FROM n`,
    );
    database.close();
  });
  // The page of the first endpoint is still open, and reconnects.
  await page.goto('about:blank');
  page.on('response', response => {
    const { pathname } = new URL(response.url());
    if (pathname.startsWith('/api/')) requests.push({ path: pathname, status: response.status() });
  });
}, 120_000);
afterAll(() => dashboard.close());

const countElements = () => page.evaluate(() => document.querySelectorAll('*').length);
const rows = () => page.locator('.endpoint-card');
const group = (name: string) => page.getByRole('region', { name });
const search = () => page.getByLabel('Search endpoints');
/** Types a search, and lets the pause pass that it waits for. */
const find = async (q: string): Promise<void> => {
  await search().fill(q);
  await page.clock.runFor(1000);
};
const showMore = async (shown: number): Promise<void> => {
  await page.getByRole('button', { name: 'Show more' }).click();
  await page.getByText(`${shown} of 10,000 endpoints`).waitFor();
};

describe('the home page', () => {
  test('asks at most four times, however many endpoints there are, and then only whether something has changed', async () => {
    await page.clock.install();
    await page.goto(`${dashboard.origin}/app`);
    await page.getByText('100 of 10,000 endpoints').waitFor();
    const first = requests.splice(0);
    expect(first.map(({ path }) => path)).toContain('/api/overview');
    expect(first.map(({ path }) => path).filter(path => path.startsWith('/api/endpoints'))).toEqual([]);
    expect(first.length).toBeLessThanOrEqual(4);
    const repeated = page.waitForResponse(response => response.url().includes('/api/overview'));
    await page.clock.runFor(10_000);
    expect((await repeated).status()).toBe(304);
    expect(requests.splice(0)).toEqual([{ path: '/api/overview', status: 304 }]);
    expect(await countElements()).toBeLessThan(3000);
  });

  test('shows what needs attention first, with a link, and counts it as far as it is known', async () => {
    await group('Needs attention').getByRole('link', { name: 'Shop 9957' }).waitFor();
    const chip = rows().first().getByRole('link', { name: 'Paused: deliveries are refused' });
    expect(await chip.getAttribute('href')).toBe('/app/endpoints/ep_9957/settings');
    await page.getByText('10,000 endpoints, 100+ need attention').waitFor();
    await expectEventually(() => page.title()).toBe('(100+) Endpoints · Hooktape');
    await showMore(200);
    await expectEventually(() => page.title()).toBe('(200+) Endpoints · Hooktape');
    await showMore(300);
    await expectEventually(() => page.title()).toBe('(200) Endpoints · Hooktape');
    const hrefs = await page
      .locator('.endpoint-main > a:first-child')
      .evaluateAll(links => links.map(a => a.getAttribute('href')));
    expect(new Set(hrefs).size).toBe(300);
    expect(hrefs.slice(0, 200)).toEqual(paused.map(i => `/app/endpoints/ep_${i}`));
    // The one with an event comes before those without one, the newest of which comes first.
    expect(hrefs[201]).toBe('/app/endpoints/ep_9999');
    await group('By last event').getByRole('img', { name: '1 event in the last 24 hours' }).waitFor();
  });

  test('keeps what it shows when the list is refreshed, and its rows are low', async () => {
    await page.clock.runFor(10_000);
    await page.getByText('300 of 10,000 endpoints').waitFor();
    expect(await rows().count()).toBe(300);
    const heightOf = async (name: string) =>
      Math.round((await group(name).locator('li').first().boundingBox())?.height ?? 0);
    expect([await heightOf('By last event'), await heightOf('No events')]).toEqual([44, 36]);
    // A strip is one drawing of two paths.
    expect(await group('By last event').locator('.strip, .strip *').count()).toBe(3);
    expect(await violationsInBothThemes(page)).toEqual([]);
    await page.setViewportSize({ width: 360, height: 740 });
    await expectEventually(() =>
      page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
    ).toBeLessThanOrEqual(0);
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  test('finds an endpoint by a part of its name, and the URL has the search', async () => {
    await page.keyboard.press('/');
    await search().and(page.locator(':focus')).waitFor();
    await find('shop 123');
    await page.getByText('11 endpoints found').waitFor();
    expect(await rows().count()).toBe(11);
    await page.waitForURL(`${dashboard.origin}/app?q=shop%20123`);
    await page.goto(`${dashboard.origin}/app?q=shop%204321`);
    await page.getByText('1 endpoint found').waitFor();
    expect(await search().inputValue()).toBe('shop 4321');
    await find('nowhere');
    await page.getByRole('heading', { name: 'No endpoint has this name' }).waitFor();
    await find('');
    await page.getByText('10,000 endpoints, 100+ need attention').waitFor();
    expect(page.url()).toBe(`${dashboard.origin}/app`);
  });

  test('says since when it shows old rows, and never those of another search', async () => {
    await page.route('**/api/overview*', route => route.fulfill({ status: 503, json: { error: 'not now' } }));
    await page.clock.runFor(10_000);
    await page.getByText(/^Not now\. What you see is from \d\d:\d\d:\d\d\.$/).waitFor();
    expect(await rows().count()).toBe(100);
    await find('shop 5');
    await page.getByText("Couldn't load the endpoints").waitFor();
    expect(await rows().count()).toBe(0);
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Try again' }).click();
    await rows().first().waitFor();
    await page.getByText("Couldn't load the endpoints").waitFor({ state: 'detached' });
    // A server that does not answer in time is not taken for one that has nothing new.
    await page.evaluate(() => {
      AbortSignal.timeout = () => AbortSignal.abort(new DOMException('', 'TimeoutError'));
    });
    await page.clock.runFor(10_000);
    await page.getByText(/^Can't reach Hooktape\..* What you see is from/).waitFor();
  });

  test('without errors', () => {
    expect(dashboard.problems).toEqual({ dialogs: [], violations: [], foreign: [], errors: [] });
  });
});
