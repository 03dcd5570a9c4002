/* Forwards that send requests of their own, in the dashboard: made from a preset, previewed while they are edited, signed. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { eventually } from '../poll.ts';
import { violations, violationsInBothThemes } from './accessibility.ts';
import { browserTitle, hasNoBrowser } from './chromium.ts';
import { callApi, createEndpoint, type Dashboard, deliver, openDashboard } from './dashboard.ts';
import { expectEventually } from './expect-eventually.ts';

setDefaultTimeout(120_000);

const hostile = '<img src=x onerror=alert(1)>';

describe.skipIf(hasNoBrowser)(browserTitle('forwards with a request of their own'), () => {
  let dashboard: Dashboard;
  let page: Page;
  let address: string;
  let endpoint: string;
  const received: { method: string; body: string; headers: Headers }[] = [];
  const http = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async request => {
      received.push({ method: request.method, body: await request.text(), headers: request.headers });
      return new Response();
    },
  });
  const destination = `http://127.0.0.1:${http.port}/hook`;

  beforeAll(async () => {
    dashboard = await openDashboard({ HOOKTAPE_REPLAY_ALLOW: '127.0.0.0/8' });
    page = await dashboard.open({ reducedMotion: 'reduce' });
    await dashboard.setUp(page);
    ({ id: endpoint, address } = await createEndpoint(page, 'Shop'));
    for (const n of [1, 2, 3])
      await deliver(address, JSON.stringify({ n, type: 'order.created', note: hostile }), {
        headers: { 'content-type': 'application/json' },
      });
  });
  afterAll(async () => {
    await http.stop(true);
    await dashboard?.close();
  });

  const dialog = () => page.getByRole('dialog');
  const field = (label: string) => page.getByLabel(label, { exact: true });
  const preview = () => page.getByRole('region', { name: 'Preview' });
  const openForm = () => page.goto(`${dashboard.origin}/app/endpoints/${endpoint}/destinations/new`);
  const fitsPhone = async (): Promise<void> => {
    await page.setViewportSize({ width: 360, height: 740 });
    await expectEventually(() =>
      page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
    ).toBeLessThanOrEqual(0);
    expect(await violations(page, { withoutColours: true })).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 800 });
  };

  test('a preset fills the form, and the preview follows what is typed', async () => {
    await openForm();
    await field('Name').fill('CI');
    await field('Request').selectOption('A request of its own, from a template');
    await field('Start from').selectOption('GitHub repository dispatch');
    await page.getByText('replace TOKEN with a fine-grained token').waitFor();
    await expectEventually(() => field('URL').inputValue()).toBe(
      'https://api.github.com/repos/OWNER/REPOSITORY/dispatches',
    );
    await preview().getByText('"event_type": "webhook"').first().waitFor();
    await expectEventually(() => preview().locator('pre').count()).toBe(3);
    await page.getByRole('button', { name: 'Create forward' }).click();
    await page.getByText('This is the example of the preset.').waitFor();
    await page.getByText('Replace TOKEN with your own.').waitFor();
    expect(await violationsInBothThemes(page)).toEqual([]);
    await fitsPhone();

    await field('Body').fill('{ "n": {{json body.n}}, "note": "{{body.note}}" }');
    await preview().getByText(`{ "n": 3, "note": "${hostile}" }`).waitFor();
    expect(await page.locator('main img').count()).toBe(0);
    await field('Body').fill('{ "n": {{body.m}} }');
    await preview().getByText('Not sent: the body of the request is not JSON').first().waitFor();
    await field('Body').fill('{ "n": {{uuid}} }');
    await page.getByText('{{uuid}} is not a placeholder.').waitFor();
    await preview().getByText('Fix the marked fields').waitFor();
    await field('Body').fill('');
    await page.getByRole('button', { name: '{{json body.id}}' }).click();
    await page.keyboard.type('n');
    await expectEventually(() => field('Body').inputValue()).toBe('{{json body.n}}');
    await preview().locator('pre', { hasText: /^3$/ }).waitFor();
    await page.getByRole('combobox', { name: 'Filter' }).fill('body.n:1');
    await expectEventually(() => preview().locator('pre').allTextContents()).toEqual(['1']);
    await page.getByRole('link', { name: 'Cancel' }).click();
    await page.getByRole('heading', { name: 'Forwards', exact: true }).waitFor();
  });

  test('its secret is shown once, with Copy in focus, and what it sends is on its card', async () => {
    await openForm();
    await field('Name').fill('Signed');
    await field('URL').fill(destination);
    await field('Request').selectOption('A request of its own, from a template');
    await field('Method').selectOption('PUT');
    await field('Content type').fill('application/json');
    await field('Body').fill('{ "note": "{{body.note}}" }');
    await page.getByText('More options').click();
    await field('Signature').selectOption("Sign with the forward's own secret");
    await page.getByText('The secret is shown once, when you save.').waitFor();
    await page.getByRole('button', { name: 'Create forward' }).click();
    await dialog().getByRole('button', { name: 'Copy' }).and(page.locator(':focus')).waitFor();
    const secret = await dialog().locator('code').textContent();
    expect(secret).toStartWith('whsec_');
    expect(await violationsInBothThemes(page, { within: 'dialog' })).toEqual([]);
    await dialog().getByRole('button', { name: 'Done' }).click();
    await page.getByText('PUT application/json').waitFor();
    expect(await page.content()).not.toContain(secret ?? '-');
    expect(await violationsInBothThemes(page)).toEqual([]);
    await fitsPhone();

    await deliver(address, JSON.stringify({ note: hostile }));
    await eventually(() => received.length === 1, 20_000);
    expect([received[0]?.method, received[0]?.body]).toEqual(['PUT', `{ "note": "${hostile}" }`]);
    expect(received[0]?.headers.get('webhook-signature')).toMatch(/^v1,\S+ v1,\S+$/);

    await page.getByRole('button', { name: 'New secret' }).click();
    await dialog().getByRole('button', { name: 'Make a new secret' }).click();
    await dialog().getByRole('button', { name: 'Copy' }).and(page.locator(':focus')).waitFor();
    expect(await dialog().locator('code').textContent()).not.toBe(secret);
    await dialog().getByRole('button', { name: 'Done' }).click();

    await page.getByRole('link', { name: 'Edit', exact: true }).click();
    await expectEventually(() => field('Body').inputValue()).toBe('{ "note": "{{body.note}}" }');
    await field('Request').selectOption('The event as it came');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The event as it came', { exact: true }).waitFor();
    const { request } = await callApi<{ request: unknown }>(
      page,
      'GET',
      new URL(page.url()).pathname.replace('/app/', '/api/').replace('/destinations/', '/forwards/'),
    );
    expect(request).toBeNull();
    await page.goto(`${dashboard.origin}/app/endpoints/${endpoint}/destinations`);
    await page.getByText('signed with its own secret').waitFor();
  });
});
