/* What scrolls and what is squeezed: the window never scrolls, only what is inside it, and a title can be read. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { browserTitle, hasNoBrowser } from './chromium.ts';
import { callApi, type Dashboard, type OwnEndpoint, openDashboard, openEndpoint } from './dashboard.ts';
import { expectEventually } from './expect-eventually.ts';

setDefaultTimeout(120_000);

const fields = (n: number) => Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`field_${n}_${at}`, at]));
const long = JSON.stringify(fields(0));

describe.skipIf(hasNoBrowser)(browserTitle('the layout of the pages'), () => {
  let dashboard: Dashboard;
  let page: Page;
  let endpoint: OwnEndpoint;

  beforeAll(async () => {
    dashboard = await openDashboard();
    page = await dashboard.open();
    await dashboard.setUp(page);
    const events = Array.from({ length: 12 }, (_, n) => ({ body: JSON.stringify(fields(n)), type: `type_${n}` }));
    endpoint = await openEndpoint(page, 'layout', [
      ...events,
      { body: long, type: 'deployment_status', path: '/a?b=1' },
    ]);
    for (let n = 0; n < 8; n++) await callApi(page, 'POST', '/api/keys', { name: `key ${n}` });
  });
  afterAll(() => dashboard?.close());

  /** By how much the document is larger than the window. */
  const excess = () =>
    page.evaluate(() => {
      const { scrollHeight, scrollWidth } = document.documentElement;
      return [scrollHeight - innerHeight, scrollWidth - innerWidth];
    });

  test('the document is no larger than the window, and long pages scroll inside it', async () => {
    const ready: [path: string, selector: string][] = [
      ['/app', '.endpoint-card'],
      ['/app/settings/account', '.section'],
      ['/app/settings/keys', '.rows li'],
      ['/app/settings/team', '.rows li'],
      ['/app/settings/audit', 'main table'],
      [`/app/endpoints/${endpoint.id}/settings`, '.danger-zone'],
      [`/app/endpoints/${endpoint.id}/schemas`, 'main h2'],
      [`/app/endpoints/${endpoint.id}/answers`, '.save-bar'],
      [`/app/endpoints/${endpoint.id}`, '.tree-row'],
      [`/app/endpoints/${endpoint.id}?tab=headers`, '.pairs'],
    ];
    for (const [width, height] of [
      [1440, 700],
      [1024, 700],
      [390, 740],
    ] as const) {
      await page.setViewportSize({ width, height });
      for (const [path, selector] of ready) {
        // A small screen shows the list first.
        const shown = width < 960 && /\/ep_[^/]*(\?.*)?$/.test(path) ? '.event-row' : selector;
        await page.goto(dashboard.origin + path);
        await page.locator(shown).first().waitFor();
        await expectEventually(async () => [width, path, await excess()]).toEqual([width, path, [0, 0]]);
      }
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(`${dashboard.origin}/app/endpoints/${endpoint.id}/settings`);
    await page.locator('.danger-zone').waitFor();
    await page.mouse.move(600, 400);
    await page.mouse.wheel(0, 100_000);
    await page.waitForFunction(() => (document.querySelector('.content')?.scrollTop ?? 0) > 0);
    await page.locator('.danger-zone').hover();
    expect(await page.evaluate(() => scrollY)).toBe(0);
  });

  test('at 1024 pixels the title of an event is readable beside the list', async () => {
    await page.setViewportSize({ width: 1024, height: 800 });
    await page.goto(endpoint.listUrl);
    const title = page.getByRole('heading', { level: 2, name: 'deployment_status' });
    await title.waitFor();
    await page.locator('.tree-row').first().waitFor();
    const lines = () => title.evaluate(one => one.getClientRects().length && one.clientHeight / 23);
    await expectEventually(() => title.evaluate(one => one.scrollWidth - one.clientWidth)).toBe(0);
    await expectEventually(lines).toBeLessThan(1.5);
    for (const name of ['Replay', 'Copy as…', 'Compare'])
      await page.locator('.event-actions').getByText(name, { exact: true }).waitFor();
  });

  test('nothing was asked, violated or thrown', () =>
    expect(dashboard.problems).toEqual({ dialogs: [], violations: [], foreign: [], errors: [] }));
});
