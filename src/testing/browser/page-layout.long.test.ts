/* What scrolls and what is squeezed: the window never scrolls, only what is inside it, and a title can be read. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { browserTitle, hasNoBrowser } from './chromium.ts';
import { callApi, type Dashboard, followLink, type OwnEndpoint, openDashboard, openEndpoint } from './dashboard.ts';
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

  const sizes = [
    [1440, 900],
    [1100, 800],
    [1024, 700],
    [900, 700],
    [360, 740],
    [720, 450],
  ] as const;

  /** Opens the page at every size. */
  const walk = async (on: Page, path: string, selector: string): Promise<void> => {
    if (on === page) await followLink(on, path);
    else await on.goto(dashboard.origin + path);
    await on.locator(selector).first().waitFor({ state: 'attached' });
    await on.locator('.skeleton').first().waitFor({ state: 'detached' });
    for (const [width, height] of sizes) {
      await on.setViewportSize({ width, height });
      const size = () =>
        on.evaluate(() => [document.scrollingElement?.scrollWidth, document.scrollingElement?.scrollHeight]);
      await expectEventually(async () => [path, ...(await size())]).toEqual([path, width, height]);
    }
  };

  test('the document is no larger than the window on any route, and long pages scroll inside it', async () => {
    const at = `/app/endpoints/${endpoint.id}`;
    const { id: forwardId } = await callApi<{ id: string }>(page, 'POST', `/api/endpoints/${endpoint.id}/forwards`, {
      name: 'shop',
      url: 'http://127.0.0.1:9/hook',
    });
    const { events } = await callApi<{ events: { id: string }[] }>(
      page,
      'GET',
      `/api/events?endpointId=${endpoint.id}`,
    );
    const [left, right] = events.map(({ id }) => id);
    const routes: [path: string, selector: string][] = [
      ['/app', '.endpoint-card'],
      ['/app/nowhere', 'h1'],
      ['/app/settings/account', '.section'],
      ['/app/settings/sign-in', '.rows li'],
      ['/app/settings/keys', '.rows li'],
      ['/app/settings/apps', '.section'],
      ['/app/settings/team', '.rows li'],
      ['/app/settings/erasure', '.section'],
      ['/app/settings/plan', '.section'],
      ['/app/settings/audit', '.audit-lines li'],
      ['/app/jobs', 'h1'],
      [`${at}/activity`, '.section'],
      [`${at}/destinations`, '.forward-card'],
      [`${at}/destinations/${forwardId}`, '.section'],
      [`${at}/destinations/${forwardId}/edit`, 'form'],
      [`${at}/settings`, '#pause'],
      [`${at}/settings/access`, '#guard'],
      [`${at}/settings/secrets`, '#secrets'],
      [`${at}/settings/redaction`, '#redaction'],
      [`${at}/settings/data`, '.section'],
      [`${at}/settings/delete`, '.danger-zone'],
      [`${at}/schemas`, 'main h2'],
      [`${at}/answers`, '.save-bar'],
      [`${at}/alerts`, 'h1'],
      [`${at}/alerts?new=silence`, '.alert-form'],
      [`${at}/compare?a=${left}&b=${right}`, 'h1'],
      [at, '.event-row'],
      [`${at}?tab=headers`, '.pairs'],
      [`${at}?where=method:`, '.list-pane'],
    ];
    for (const [path, selector] of routes) {
      await page.setViewportSize({ width: 1440, height: 900 });
      await walk(page, path, selector);
    }
    const visitor = await dashboard.open();
    for (const path of ['/login', '/setup', '/setup?token=x', '/login?invitation=x']) await walk(visitor, path, 'h1');
    await visitor.context().close();
    await page.setViewportSize({ width: 1280, height: 600 });
    await page.goto(`${dashboard.origin}/app/endpoints/${endpoint.id}/settings/access`);
    await page.locator('#guard .button').last().waitFor();
    await page.mouse.move(600, 400);
    await page.mouse.wheel(0, 100_000);
    await page.waitForFunction(() => (document.querySelector('.content')?.scrollTop ?? 0) > 0);
    await page.locator('#guard .button').last().hover();
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
      await page
        .locator('.event-actions')
        .getByText(new RegExp(`^${name}`))
        .waitFor();
  });

  test('on a low window the bars and the head of the event scroll away, and its tabs stay', async () => {
    await page.setViewportSize({ width: 720, height: 450 });
    await page.goto(endpoint.listUrl);
    await page.locator('.event-row').first().click();
    await page.locator('.tree-row').nth(3).hover();
    await page.mouse.wheel(0, 66);
    const top = (selector: string) =>
      page
        .locator(selector)
        .first()
        .evaluate(one => Math.round(one.getBoundingClientRect().top));
    await expectEventually(() => top('.event > .tabs')).toBe(0);
    const lines = () =>
      page.locator('.tree-row').evaluateAll(
        rows =>
          rows.filter(row => {
            const { x, y, height } = row.getBoundingClientRect();
            return [2, height - 2].every(at => row.contains(document.elementFromPoint(x + 40, y + at)));
          }).length,
      );
    await expectEventually(async () => (await lines()) >= 13).toBe(true);
    await expectEventually(async () => {
      await page.mouse.wheel(0, -500);
      return top('.topbar');
    }).toBe(0);
  });

  test('every tab of an endpoint can be reached at every size, and what is wrong there is a number', async () => {
    const path = `/api/endpoints/${endpoint.id}`;
    await callApi(page, 'PUT', `${path}/answers`, {
      rules: [{ answer: { status: 500 }, first: 2 }],
    });
    await page.goto(endpoint.listUrl);
    const tabs = page.locator('.tabbar nav a');
    const answers = page.locator('.tabbar').getByRole('link', { name: 'Answers Answer rules are active' });
    expect(await answers.locator('.pill [aria-hidden]').textContent()).toBe('1');
    for (const [width, height] of sizes) {
      await page.setViewportSize({ width, height });
      for (const at of [6, 0]) {
        await tabs.nth(at).click();
        await tabs.nth(at).and(page.locator('[aria-current]')).waitFor();
        await expectEventually(async () => {
          const { x, width: own } = (await tabs.nth(at).boundingBox()) ?? { x: -1, width: 0 };
          const end = await page.locator('.tabbar-end').evaluate(one => one.getBoundingClientRect());
          return [width, x >= 0 && x + own <= end.x + 20, end.right <= width];
        }).toEqual([width, true, true]);
      }
    }
  });

  test('nothing was asked, violated or thrown', () =>
    expect(dashboard.problems).toEqual({ dialogs: [], violations: [], foreign: [], errors: [] }));
});
