/* The home page with more endpoints than it shows: what it asks for, and how much it draws. */
import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { type Dashboard, openDashboard } from './dashboard.ts';

const endpoints = 300;
let dashboard: Dashboard;
let page: Page;
/** The requests to the API so far, with their statuses. */
const requests: { path: string; status: number }[] = [];
beforeAll(async () => {
  dashboard = await openDashboard();
  page = await dashboard.open();
  await dashboard.setUp(page);
  await dashboard.whileStopped(async dataDir => {
    const database = new Database(join(dataDir, 'hooktape.db'));
    database.run(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${endpoints - 1})
       INSERT INTO endpoints (id, team_id, name, token, created_at, paused_at)
       SELECT 'ep_' || i, (SELECT id FROM teams), 'Shop ' || i, 'token' || i, i, iif(i = 7, 1, NULL) FROM n`,
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

describe('the home page', () => {
  test('asks at most four times, however many endpoints there are, and then only whether something has changed', async () => {
    await page.clock.install();
    await page.goto(`${dashboard.origin}/app`);
    await page.getByText(`50 of ${endpoints} endpoints`).waitFor();
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

  test('shows what needs attention first, with a link', async () => {
    const first = page.locator('.endpoint-card').first();
    await first.getByRole('link', { name: 'Shop 7' }).waitFor();
    expect(await first.getByRole('link', { name: 'Paused: deliveries are refused' }).getAttribute('href')).toBe(
      '/app/endpoints/ep_7/settings',
    );
  });

  test('shows more, and finds an endpoint by a part of its name', async () => {
    await page.getByRole('button', { name: 'Show more' }).click();
    await page.getByText(`100 of ${endpoints} endpoints`).waitFor();
    await page.getByLabel('Search endpoints').fill('shop 123');
    await page.clock.runFor(1000);
    await page.getByRole('link', { name: 'Shop 123' }).waitFor();
    expect(await page.locator('.endpoint-card').count()).toBe(1);
  });

  test('without errors', () => {
    expect(dashboard.problems).toEqual({ dialogs: [], violations: [], foreign: [], errors: [] });
  });
});
