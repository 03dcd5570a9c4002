import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { violations, violationsInBothThemes } from './accessibility.ts';
import { browserTitle, hasNoBrowser } from './chromium.ts';
import { callApi, createEndpoint, type Dashboard, deliver, openDashboard } from './dashboard.ts';
import { expectEventually } from './expect-eventually.ts';

setDefaultTimeout(120_000);

describe.skipIf(hasNoBrowser)(browserTitle('guard'), () => {
  let dashboard: Dashboard;
  let page: Page;
  let id: string;
  let address: string;
  let listUrl: string;

  beforeAll(async () => {
    dashboard = await openDashboard();
    page = await dashboard.open({ reducedMotion: 'reduce' });
    await dashboard.setUp(page);
  });
  afterAll(() => dashboard?.close());

  beforeEach(async () => {
    ({ id, address, listUrl } = await createEndpoint(page, 'Shop'));
  });

  const section = () => page.locator('#guard');
  const openSettings = async (): Promise<void> => {
    await page.goto(`${listUrl}/settings/access`);
    await section().getByRole('button', { name: 'Save guard' }).waitFor();
  };
  const save = async (): Promise<void> => {
    await section().getByRole('button', { name: 'Save guard' }).click();
    await page.getByText('Guard saved.').waitFor();
    await page.getByRole('button', { name: 'Dismiss' }).click();
  };
  const setGuard = (guard: object): Promise<unknown> =>
    callApi(page, 'PATCH', `/api/endpoints/${id}`, { guard: { ...guard, onRefuse: 'record' } });
  const statusOf = async (query: string, init: RequestInit = {}): Promise<number> =>
    (await fetch(address + query, { method: 'POST', body: '{}', ...init })).status;

  test('a guard that would refuse the latest senders warns of it before it is saved', async () => {
    for (let n = 0; n < 3; n++)
      await deliver(address, '{}', { headers: { 'x-github-event': 'push', 'x-github-delivery': `d-${n}` } });
    await openSettings();
    await section().getByLabel('Networks').fill('10.0.0.0/8\n10.0.0.0/40');
    await section().getByText('10.0.0.0/40 is not an address or a network').waitFor();
    await section().getByLabel('Networks').fill('10.0.0.0/8\n2001:db8::/32');
    await section().getByText('All of the last 3 deliveries came from other networks, including GitHub.').waitFor();
    await section().getByLabel('Networks').fill('127.0.0.0/8');
    await section().getByText('came from other networks').waitFor({ state: 'detached' });
    await section().getByLabel('PUT').check();
    await section().getByText('All of the last 3 deliveries had other methods').waitFor();
    await section().getByLabel('POST').check();
    await section().getByText('had other methods').waitFor({ state: 'detached' });
    await save();
    expect([await statusOf(''), await statusOf('', { method: 'PATCH' })]).toEqual([200, 405]);
  });

  test('the warning says when the deliveries cannot be checked, and comes once the server answers again', async () => {
    await deliver(address, '{}');
    let status = 500;
    await page.route('**/where/test', route =>
      status === 0 ? route.continue() : route.fulfill({ status, json: { error: 'it is broken' } }),
    );
    await openSettings();
    await section().getByLabel('PUT').check();
    await section().getByText('could not be checked: senders like theirs may be refused. It is broken.').waitFor();
    status = 503;
    await section().getByLabel('PATCH').check();
    const asked = page.waitForResponse(response => response.url().endsWith('/where/test') && response.status() === 503);
    await asked;
    await section().getByText('could not be checked').waitFor();
    status = 0;
    await section().getByText('The last delivery had other methods').waitFor();
    expect(await section().getByText('could not be checked').count()).toBe(0);
    await page.unroute('**/where/test');
  });

  test('a token is generated, never shown again, and what has to be added to the URL is said where it is copied', async () => {
    await openSettings();
    await section().getByLabel('Token').selectOption('in the query string');
    await section().getByRole('button', { name: 'Save guard' }).click();
    await section().getByText('Enter a token, or generate one.').waitFor();
    await section().getByText('A token in a URL is easily seen').waitFor();
    await section().getByRole('button', { name: 'Generate a token' }).click();
    const token = await section().getByLabel('Value').inputValue();
    expect(token).toMatch(/^[A-Za-z0-9]{32}$/);
    expect(await violationsInBothThemes(page, { within: '#guard' })).toEqual([]);
    await save();
    expect([await statusOf(''), await statusOf(`?token=${token}`)]).toEqual([401, 200]);
    await page.reload();
    await section().getByPlaceholder('[set]').waitFor();
    await expectEventually(() => section().getByLabel('Value').inputValue()).toBe('');
    expect(await page.content()).not.toContain(token);
    await page.locator('.side-nav').getByRole('link', { name: 'General' }).click();
    await page.locator('#url').getByText('as ?token=… at the end of the URL').waitFor();
    await page.locator('.side-nav').getByRole('link', { name: 'Access' }).click();
    // Another change keeps the token.
    await section().getByLabel('HTTP Basic').check();
    await section().getByLabel('User name').fill('mi:ra');
    await section().getByLabel('Password').fill('river');
    await section().getByRole('button', { name: 'Save guard' }).click();
    await section().getByText("A user name can't contain a colon.").waitFor();
    await section().getByLabel('User name').fill('mira');
    await save();
    const headers = { authorization: `Basic ${btoa('mira:river')}` };
    await expectEventually(() => statusOf(`?token=${token}`, { headers })).toBe(200);
    await page.goto(listUrl);
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await page.getByRole('button', { name: 'Connect a platform' }).click();
    await page.getByRole('dialog').getByText('The guard requires the token').waitFor();
    await page.keyboard.press('Escape');
  });

  test('refused events say why, and a click lists all of them', async () => {
    await setGuard({ methods: ['POST'], token: { in: 'query', name: 'token', value: 'x'.repeat(32) } });
    for (const [n, method] of ['PATCH', 'POST'].entries()) await statusOf(`?n=${n}`, { method });
    await deliver(`${address}?token=${'x'.repeat(32)}`, '{}');
    await page.goto(listUrl);
    await page.locator('.event-row').filter({ hasText: 'Refused 405' }).locator('.event-link').click();
    await page.getByText("Refused with 405 (method): the guard doesn't allow this method").waitFor();
    await page.getByRole('button', { name: 'Filter by is:refused' }).click();
    await page.waitForURL(url => url.searchParams.get('where') === 'is:refused');
    await page.locator('.event-row').filter({ hasText: 'Refused 401' }).waitFor();
    await expectEventually(() => page.locator('.event-row').filter({ hasNotText: 'Refused' }).count()).toBe(0);
    expect(await violationsInBothThemes(page)).toEqual([]);
  });

  test('an endpoint that a file declares says that the file sets values back', async () => {
    await page.route('**/api/endpoints', async route => {
      const response = await route.fetch();
      const { endpoints } = (await response.json()) as { endpoints: object[] };
      await route.fulfill({ response, json: { endpoints: endpoints.map(one => ({ ...one, declared: true })) } });
    });
    await openSettings();
    await page.getByText('overwrites changes made here').waitFor();
    await page.locator('.tabbar').getByRole('link', { name: 'Answers' }).click();
    await page.getByText('overwrites changes made here with the rules of the file').waitFor();
    await page.unroute('**/api/endpoints');
  });

  test('the settings fit a phone, and a guard is removed', async () => {
    await setGuard({ methods: ['POST'] });
    await page.setViewportSize({ width: 360, height: 740 });
    await openSettings();
    await expectEventually(() =>
      page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
    ).toBeLessThanOrEqual(0);
    expect(await violations(page)).toEqual([]);
    await section().getByRole('button', { name: 'Remove guard' }).click();
    await page.getByText('Guard removed. The endpoint accepts all requests.').waitFor();
    await expectEventually(() => statusOf('', { method: 'DELETE' })).toBe(200);
    await page.setViewportSize({ width: 1280, height: 800 });
    const { dialogs, violations: broken, foreign, errors } = dashboard.problems;
    expect([dialogs, broken, foreign, errors]).toEqual([[], [], [], []]);
  });
});
