import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { violations, violationsInBothThemes } from './accessibility.ts';
import { browserTitle, hasNoBrowser } from './chromium.ts';
import { callApi, type Dashboard, deliver, followLink, openDashboard, shownAddress } from './dashboard.ts';
import { expectEventually } from './expect-eventually.ts';

setDefaultTimeout(120_000);

describe.skipIf(hasNoBrowser)(browserTitle('accessibility'), () => {
  let dashboard: Dashboard;
  let page: Page;
  let inspector: string;
  let invitation: string;
  /** Paths that are known once there are events. */
  let forward: string;
  let job: string;

  beforeAll(async () => {
    dashboard = await openDashboard();
    page = await dashboard.open();
    await page.goto(dashboard.setupUrl);
    await page.getByLabel('Email').waitFor();
    expect(await violationsInBothThemes(page)).toEqual([]);
    await dashboard.setUp(page);
    inspector = page.url();
    expect(await violationsInBothThemes(page)).toEqual([]);
    const address = await shownAddress(page);
    for (let n = 0; n < 30; n++) {
      await deliver(address, JSON.stringify({ n, list: [true, null, 1.5, 'text'], action: 'opened' }), {
        method: ['POST', 'PUT', 'PATCH', 'DELETE'][n % 4] ?? 'POST',
        headers: {
          'content-type': 'application/json',
          ...(n % 2 ? { 'x-github-event': 'push', 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` } : {}),
        },
      });
    }
    const endpoint = inspector.split('/').at(-1);
    const api = `/api/endpoints/${endpoint}`;
    const create = <T extends object>(path: string, body: object) =>
      callApi<T & { id: string }>(page, 'POST', path, body);
    const url = 'http://127.0.0.1:9/hook';
    forward = `${inspector}/destinations/${(await create(`${api}/forwards`, { name: 'shop', url })).id}`;
    job = `${inspector}/jobs/${(await create('/api/replay-jobs', { endpointId: endpoint, dest: url, pace: '0.01/s' })).id}`;
    await create(`${api}/alerts`, { name: 'silent', kind: 'silence', minutes: 9, channel: { type: 'webhook', url } });
    await create(`${api}/secrets`, { platform: 'github', secret: 'a secret of GitHub' });
    await create('/api/keys', { name: 'ci' });
    await callApi(page, 'PUT', `${api}/answers`, { rules: [{ answer: { status: 503 }, first: 1 }] });
    invitation = (await create<{ url: string }>('/api/team/invitations', { email: 'grace@example.com' })).url;
  });
  afterAll(() => dashboard?.close());

  /** The violations in both themes. */
  const found = (within = 'html'): Promise<string[]> => violationsInBothThemes(page, { within });
  const visit = async (path: string, ready: string): Promise<void> => {
    await followLink(page, path);
    await page.locator(ready).first().waitFor();
  };

  test('endpoints', async () => {
    await visit('/app', '.endpoint-card');
    expect(await found()).toEqual([]);
  });

  test('inspector, each tab', async () => {
    await visit(inspector, '.tree-row');
    expect(await found()).toEqual([]);
    for (const key of ['2', '3', '4', '5', '6']) {
      await page.keyboard.press(key);
      // Only the event differs.
      expect(await found('#event-panel')).toEqual([]);
    }
  });

  test('dialogs', async () => {
    await visit(inspector, '.tree-row');
    for (const open of [
      () => page.keyboard.press('?'),
      () => page.keyboard.press('r'),
      () => page.getByRole('button', { name: 'Copy as…' }).click(),
      async () => {
        await page.getByRole('button', { name: 'List menu' }).click();
        expect(await found('.menu-panel')).toEqual([]);
        await page.getByRole('button', { name: 'Export events…' }).click();
      },
    ]) {
      await open();
      await page.getByRole('dialog').waitFor();
      expect(await found('dialog')).toEqual([]);
      await page.keyboard.press('Escape');
    }
    await page.getByRole('button', { name: 'Account menu' }).click();
    expect(await found('.menu')).toEqual([]);
    await page.keyboard.press('Escape');
  });

  test('compare', async () => {
    await visit(inspector, '.tree-row');
    await page.getByRole('link', { name: 'Compare' }).first().click();
    await page.locator('.changes').first().waitFor();
    expect(await found()).toEqual([]);
  });

  const parts: [part: string, ready: string][] = [
    ['activity', 'main h2'],
    ['destinations', '.forward-card'],
    ['destinations/new', 'form'],
    ['answers', '.save-bar'],
    ['alerts', '.alert-card'],
    ['schemas', '.schema-section'],
    ['alerts?new=silence', 'form'],
    ['settings', 'main .card'],
    ['settings/access', 'main .card'],
    ['settings/secrets', '#secrets'],
    ['settings/data', 'main .card'],
    ['settings/delete', '.danger-zone'],
  ];
  const check = async (path: string, ready: string): Promise<void> => {
    await visit(path, ready);
    await page.locator('.skeleton').first().waitFor({ state: 'detached' });
    expect(await found()).toEqual([]);
  };
  for (const [part, ready] of parts) test(`endpoint, ${part}`, () => check(`${inspector}/${part}`, ready));

  test('a forward, its form, and replay jobs', async () => {
    await check(forward, 'main .section');
    await check(`${forward}/edit`, 'form');
    await check(job, 'main .section');
    await check('/app/jobs', 'h1');
  });

  for (const section of ['account', 'sign-in', 'keys', 'apps', 'team', 'audit', 'plan'])
    test(`settings, ${section}`, () => check(`/app/settings/${section}`, '.settings-body .section'));

  test('on a phone', async () => {
    await page.setViewportSize({ width: 360, height: 740 });
    await page.goto(inspector);
    await page.locator('.event-link').first().click();
    await page.locator('.tree-row').first().waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('link', { name: '← Events' }).click();
    await page.locator('.event-row').first().waitFor();
    expect(await violations(page)).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  test('pages that do not exist', async () => {
    for (const [path, title] of [
      ['/app/nowhere', 'Page not found'],
      ['/app/endpoints/none', 'Endpoint not found'],
      ['/app/endpoints/none/settings', 'Endpoint not found'],
    ] as const) {
      await followLink(page, path);
      await page.getByRole('heading', { level: 1, name: title }).waitFor();
      expect(await violations(page)).toEqual([]);
    }
  });

  test('one key skips the list, and the body stays visible in a low window', async () => {
    await page.setViewportSize({ width: 1000, height: 320 });
    await page.goto(inspector);
    await page.locator('.tree-row').first().waitFor();
    await page.getByRole('combobox', { name: 'Search and filter events' }).focus();
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await expectEventually(() =>
      page.evaluate(() => document.activeElement?.closest('section')?.getAttribute('aria-label')),
    ).toBe('Event');
    expect((await page.locator('#event-panel').boundingBox())?.height).toBeGreaterThan(240);
    expect(await violations(page)).toEqual([]);
  });

  test('signed out: signing in, joining, setting up', async () => {
    const stranger = await dashboard.open();
    for (const path of ['/login', invitation, '/login?invitation=x', '/setup', '/setup?token=x']) {
      await stranger.goto(new URL(path, dashboard.origin).href);
      await stranger.getByRole('heading', { level: 1 }).waitFor();
      expect([path, await violationsInBothThemes(stranger)]).toEqual([path, []]);
    }
    await stranger.context().close();
  });
});
