/* On a touch screen every control is at least 44 pixels high and wide, but for links in running text. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { browserTitle, hasNoBrowser } from './chromium.ts';
import { type Dashboard, deliver, openDashboard, owner, shownAddress } from './dashboard.ts';
import { expectEventually } from './expect-eventually.ts';

setDefaultTimeout(120_000);

const minPx = 44;

/** The controls that a finger can miss, with their size. A control counts with the area that its `::after` adds. */
const smallTargets = (page: Page): Promise<string[]> =>
  page.evaluate(min => {
    const isInText = (one: Element): boolean => one.matches('a') && one.closest('p, .hint, .lead, td, li, h2') !== null;
    const sizeOf = (one: Element): [number, number] => {
      const box = (one.closest('label') ?? one).getBoundingClientRect();
      const area = getComputedStyle(one, '::after');
      const isArea = area.content !== 'none' && area.position === 'absolute';
      const px = (text: string): number => (isArea ? Number.parseFloat(text) || 0 : 0);
      return [Math.max(box.width, px(area.width)), Math.max(box.height, px(area.height))];
    };
    const controls = [...document.querySelectorAll('a[href], button, input, select, summary, [role="button"]')];
    return controls
      .filter(
        one => one.checkVisibility({ visibilityProperty: true }) && !one.closest('.offscreen, .skip') && !isInText(one),
      )
      .filter(one => sizeOf(one).some(px => px > 1 && px < min - 0.5))
      .map(one => `${one.tagName.toLowerCase()}.${one.className}: ${one.textContent} ${sizeOf(one).map(Math.round)}`);
  }, minPx);

describe.skipIf(hasNoBrowser)(browserTitle('touch'), () => {
  let dashboard: Dashboard;
  let page: Page;
  let endpoint: string;

  beforeAll(async () => {
    dashboard = await openDashboard();
    page = await dashboard.open({ hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } });
    await dashboard.setUp(page);
    endpoint = new URL(page.url()).pathname;
    const address = await shownAddress(page);
    for (let n = 0; n < 3; n++) await deliver(address, `{"n":${n}}`);
    await page.evaluate(async () => {
      const post = (path: string, body: object) =>
        fetch(path, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        });
      await post('/api/keys', { name: 'ci', expiresIn: '3d', readOnly: true });
      await post('/api/team/invitations', { email: 'noor@example.com' });
      const own = location.pathname.replace('/app/', '/api/').replace(/\/events.*/, '');
      await post(`${own}/forwards`, { name: 'orders', url: 'http://127.0.0.1:9/', enabled: false });
      const channel = { type: 'ntfy', url: 'https://ntfy.sh/orders' };
      await post(`${own}/alerts`, { name: 'Stuck', kind: 'forward_stuck', channel });
    });
  });
  afterAll(() => dashboard?.close());

  test('targets are large enough on the pages of settings and endpoints', async () => {
    const paths: [path: string, ready: string][] = [
      ['/app', '.endpoint-card'],
      ['/app/settings/sign-in', '.rows li'],
      ['/app/settings/keys', '.rows li'],
      ['/app/settings/apps', '.section'],
      ['/app/settings/team', '[aria-label="Pending invitations"] li'],
      ['/app/settings/plan', '.usage'],
      [`${endpoint}/answers`, '.save-bar'],
      [`${endpoint}/destinations`, '.forward-card'],
      [`${endpoint}/destinations/new`, '.forward-form'],
      [`${endpoint}/alerts`, '.alert-card'],
      [`${endpoint}/alerts?new=forward_stuck`, '.alert-form'],
      ['/app/settings/audit', '.audit-lines li'],
      [`${endpoint}/activity`, '.section'],
      [`${endpoint}/settings/access`, '#guard'],
      [`${endpoint}/settings/delete`, '.danger-zone'],
      [`${endpoint}/settings`, '#pause'],
    ];
    for (const [path, ready] of paths) {
      await page.goto(dashboard.origin + path);
      await page.locator(ready).first().waitFor();
      expect([path, await smallTargets(page)]).toEqual([path, []]);
    }
    await page.getByRole('button', { name: 'Rotate URL' }).click();
    await page.getByRole('dialog').waitFor();
    expect(await smallTargets(page)).toEqual([]);
  });

  test('targets are large enough in the list, on an event and in the menu', async () => {
    await page.goto(dashboard.origin + endpoint);
    await page.locator('.event-link').first().waitFor();
    expect(await smallTargets(page)).toEqual([]);
    await page.locator('.event-link').first().click();
    await page.locator('.tree-row').first().waitFor();
    expect(await smallTargets(page)).toEqual([]);
    await page.getByRole('button', { name: 'Account menu' }).click();
    expect(await smallTargets(page)).toEqual([]);
    await expectEventually(() =>
      page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
    ).toBeLessThanOrEqual(0);
  });

  test('targets are large enough for signing in', async () => {
    const stranger = await dashboard.open({ hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } });
    await stranger.goto(`${dashboard.origin}/login`);
    await stranger.getByLabel('Email').fill(owner.email);
    expect(await smallTargets(stranger)).toEqual([]);
    await stranger.context().close();
  });
});
