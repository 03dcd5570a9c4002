import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import { createClient } from '@libsql/client';
import type { Page } from 'playwright-core';
import { isRemote } from '../remote/databases.ts';
import { violations } from './accessibility.ts';
import { browserTitle, hasNoBrowser } from './chromium.ts';
import { callApi, createEndpoint, type Dashboard, deliver, openDashboard } from './dashboard.ts';
import { expectEventually } from './expect-eventually.ts';

setDefaultTimeout(120_000);

const json = 'application/json';
const hourMs = 3_600_000;
/** Half a day apart: two weeks. */
const olderEvents = 300;

/** Makes older copies of the event that was stored last, an hour apart. */
async function addOlder(dataDir: string): Promise<void> {
  const client = createClient({ url: `file:${join(dataDir, 'hooktape.db')}` });
  await client.execute({
    sql: `INSERT INTO events (nonce, endpoint, received_at, size, encoding, method, source_ip, sha256, path, preview, content)
          SELECT nonce, endpoint, received_at - i * ?1, size, encoding, method, source_ip, sha256, path,
                 CAST('{"old":' || i || '}' AS BLOB), content
          FROM (SELECT * FROM events ORDER BY seq DESC LIMIT 1),
               (WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2) SELECT i FROM n)`,
    args: [hourMs, olderEvents],
  });
  client.close();
}

// The older events are inserted into the file.
describe.skipIf(hasNoBrowser || isRemote)(browserTitle('rows'), () => {
  let dashboard: Dashboard;
  let page: Page;
  let address: string;
  let listUrl: string;
  const rows = () => page.locator('.event-row');
  const dialog = () => page.getByRole('dialog');
  const bar = () => page.getByRole('region', { name: 'Selected events' });
  const send = (body: string, headers: Record<string, string> = {}) =>
    deliver(address, body, { headers: { 'content-type': json, ...headers } });
  const shot = async (name: string): Promise<void> => {
    const folder = Bun.env['ROWS_SHOTS'];
    if (folder) await page.screenshot({ path: `${folder}/${name}.png`, animations: 'disabled' });
  };
  const checkAccessibility = async (within = '.list-pane', on = page): Promise<void> => {
    expect(await violations(on, { within })).toEqual([]);
  };
  const openList = async (query = ''): Promise<void> => {
    await page.goto(listUrl + query);
    await rows().first().waitFor();
  };

  beforeAll(async () => {
    dashboard = await openDashboard();
    page = await dashboard.open({ timezoneId: 'UTC' });
    await dashboard.setUp(page);
  });
  afterAll(() => dashboard?.close());

  beforeEach(async () => {
    // The list remembers how its rows are shown.
    await page.evaluate(() => localStorage.clear());
    ({ address, listUrl } = await createEndpoint(page, 'Shop'));
    for (let n = 1; n <= 6; n++) await send(`{"order":${n},"status":"paid"}`);
    await send('{"object_kind":"push"}', { 'x-gitlab-event': 'Push Hook' });
    await send('{"action":"closed"}', { 'x-gitea-event': 'issues' });
    await send(
      '{"id":"evt_1","type":"charge.succeeded","data":{"object":{"id":"ch_1","amount":4900,"currency":"eur"}}}',
      {
        'stripe-signature': 't=1,v1=ab',
      },
    );
    await send('first\r\n\tsecond \u{1f469}\u200d\u{1f52c}\u202e', { 'content-type': 'text/plain' });
    await send('{"action":"opened","number":12,"pull_request":{"title":"Fix it"}}', {
      'x-github-event': 'pull_request',
      'x-hub-signature-256': `sha256=${'ab'.repeat(32)}`,
    });
    await openList();
  });

  test('a row says what happened, and what the signature is worth', async () => {
    const github = rows().filter({ hasText: 'pull_request · opened' });
    await expectEventually(() => github.locator('.preview').textContent()).toBe('Fix it · #12');
    await expectEventually(() => github.getByText('Signature not checked').isVisible()).toBe(true);
    const stripe = rows().filter({ hasText: 'charge.succeeded' });
    await expectEventually(() => stripe.locator('.preview').textContent()).toBe('4900 eur');
    // What is as usual has no badge, and its method is not named.
    await expectEventually(() => page.locator('.event-row :is(.badge, .method)').count()).toBe(0);
    expect((await rows().first().boundingBox())?.height).toBe(56);
    await expectEventually(() => github.locator('time').textContent()).toMatch(/^\d\d:\d\d:\d\d$/);
    const text = rows().filter({ hasText: 'first' }).locator('.preview');
    await expectEventually(() => text.textContent()).toBe('first second \u{1f469}\u200d\u{1f52c}‹U+202E›');
    const marks = await page
      .locator('.event-row .platform-mark path')
      .evaluateAll(all => all.map(one => one.getAttribute('d')));
    // GitHub, Stripe, Gitea and GitLab.
    expect(new Set(marks).size).toBe(4);
    await shot('light');
    await checkAccessibility('html');
  });

  test('at the end of a row is one exception, or a tick for a valid signature', async () => {
    const { id } = await callApi<{ id: string }>(page, 'GET', `/api/endpoints/${listUrl.split('/').at(-1)}`);
    const secret = 'a-secret-of-this-webhook';
    await callApi(page, 'POST', `/api/endpoints/${id}/secrets`, { platform: 'github', secret });
    const body = '{"action":"closed","number":13,"pull_request":{"title":"Fixed"}}';
    const signature = `sha256=${new Bun.CryptoHasher('sha256', secret).update(body).digest('hex')}`;
    await send(body, { 'x-github-event': 'pull_request', 'x-hub-signature-256': signature });
    await callApi(page, 'PUT', `/api/endpoints/${id}/answers`, { rules: [{ name: 'flaky', answer: { status: 500 } }] });
    for (const n of [1, 2])
      await fetch(address, {
        method: 'POST',
        body: `{"again":${n}}`,
        headers: { 'x-github-event': 'push', 'x-github-delivery': 'd1' },
      });
    await fetch(`${address}/login`);
    await openList();
    const opened = rows().filter({ hasText: 'pull_request · opened' });
    await opened.locator('.badge.bad', { hasText: 'Invalid signature' }).waitFor();
    const closed = rows().filter({ hasText: 'pull_request · closed' });
    await closed.getByTitle('Signature valid').locator('svg').waitFor();
    await rows().filter({ hasText: 'push' }).locator('.badge.warn', { hasText: '2 attempts · 500' }).waitFor();
    const login = rows().filter({ hasText: '/login' });
    await login.locator('.badge.warn', { hasText: 'Answered 500' }).waitFor();
    await expectEventually(() => login.locator('.method').textContent()).toBe('GET');
    await shot('exceptions');
    await checkAccessibility();
  });

  test('a search says how many events it found and where each matches, whole values first', async () => {
    const found = page.getByText(/ contain/);
    const box = page.getByRole('combobox', { name: 'Search and filter events' });
    await expectEventually(() => found.count()).toBe(0);
    await send('{"note":"x8123y"}');
    await send('{"data":{"order_id":8123}}');
    for (const n of [1, 2]) await send(`{"ref":"a81230${n}"}`);
    await rows().filter({ hasText: 'a812302' }).waitFor();
    const opened = page.url();
    await box.fill('8123');
    await page.getByText('4 events contain 8123', { exact: true }).waitFor();
    // Typing never replaces the open event.
    await page.waitForURL(`${opened}?where=8123`);
    const previews = () => page.locator('.event-row .preview').allTextContents();
    await expectEventually(previews).toEqual([
      'body.data.order_id: 8123, the whole value',
      'body.ref: a812302',
      'body.ref: a812301',
      'body.note: x8123y',
    ]);
    await expectEventually(() => page.locator('.event-row mark').allTextContents()).toEqual(Array(4).fill('8123'));
    await page.locator('.day-strip', { hasText: 'Whole value · 1' }).waitFor();
    await page.locator('.day-divider', { hasText: 'Part of a longer value · 3' }).waitFor();
    await shot('search');
    await checkAccessibility();
    // What is new has not been looked at; a mark from elsewhere does not hide the reason.
    await send('{"late":"8123"}');
    await page.locator('.day-strip', { hasText: 'New · 1' }).waitFor();
    await page.getByText('5 events contain 8123', { exact: true }).waitFor();
    const { events } = await callApi<{ events: { id: string }[] }>(
      page,
      'GET',
      `/api/events?endpointId=${listUrl.split('/').at(-1)}&where=x8123y`,
    );
    await callApi(page, 'PUT', `/api/events/${events[0]?.id}/tags`, { tags: ['seen'] });
    await rows().getByText('seen').waitFor();
    await expectEventually(() => rows().filter({ hasText: 'x8123y' }).count()).toBe(1);
    // All that match are those up to the newest, which is not the first row.
    await openList('?where=8123');
    await rows().first().getByRole('checkbox').click({ force: true });
    await bar().getByRole('button', { name: 'Select all that match' }).click();
    await bar().getByText('All 5 events that match selected').waitFor();
    await page.keyboard.press('Escape');
    await openList('?where=body.order%3E4');
    await page.getByText('2 events match', { exact: true }).waitFor();
    await expectEventually(() => page.locator('.event-row mark').allTextContents()).toEqual(['6', '5']);
  });

  test('Shift extends the selection, which the URL keeps and Escape clears', async () => {
    await rows().nth(1).getByRole('checkbox').click({ force: true });
    await bar().getByText('1 selected').waitFor();
    await rows()
      .nth(4)
      .locator('.event-link')
      .click({ modifiers: ['Shift'] });
    await bar().getByText('4 selected').waitFor();
    await rows()
      .nth(2)
      .getByRole('checkbox')
      .click({ force: true, modifiers: ['Shift'] });
    await bar().getByText('2 selected').waitFor();
    await bar().getByRole('link', { name: 'Compare' }).waitFor();
    await page.waitForURL(url => url.searchParams.get('picked')?.split('.').length === 2);
    await page.reload();
    await bar().getByText('2 selected').waitFor();
    await send('{"late":true}');
    await rows().filter({ hasText: 'late' }).waitFor();
    await bar().getByText('2 selected').waitFor();
    await shot('selection');
    await checkAccessibility();
    await page.keyboard.press('Escape');
    await bar().waitFor({ state: 'detached' });
    await page.keyboard.press('g');
    await page.locator('.event-row.selected').waitFor();
    await page.keyboard.press('x');
    await bar().getByText('1 selected').waitFor();
    for (const [key, count] of [
      ['Shift+J', 2],
      ['Shift+J', 3],
      ['Shift+K', 2],
    ] as const) {
      await page.keyboard.press(key);
      await bar().getByText(`${count} selected`).waitFor();
    }
    await page.keyboard.press('Escape');
    await bar().waitFor({ state: 'detached' });
  });

  test('picked events are tagged, and exported as exactly these', async () => {
    for (const n of [0, 1]) await rows().nth(n).getByRole('checkbox').click({ force: true });
    await bar().getByText('2 selected').waitFor();
    await bar().getByRole('button', { name: 'Tag' }).click();
    await dialog().getByLabel('Tags').fill('seen, late');
    await dialog().getByRole('button', { name: 'Add tags' }).click();
    await dialog().getByText('2 events tagged.').waitFor();
    await dialog().getByRole('button', { name: 'Done' }).click();
    await rows().nth(1).getByText('seen').waitFor();
    await bar().getByRole('button', { name: 'Export' }).click();
    const link = dialog().getByRole('link', { name: 'Download as JSON', exact: true });
    const exported = await link.evaluate(async one => (await fetch((one as HTMLAnchorElement).href)).json());
    expect((exported as { events: { tags: string[] }[] }).events.map(({ tags }) => tags)).toEqual([
      ['seen', 'late'],
      ['seen', 'late'],
    ]);
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
  });

  test('all that match are counted, pinned, and deleted without the pinned ones', async () => {
    await openList('?where=paid%20-body.order%3A6');
    await rows().first().getByRole('checkbox').click({ force: true });
    await bar().getByRole('button', { name: 'Pin' }).click();
    await dialog().getByRole('button', { name: 'Pin', exact: true }).click();
    await dialog().getByText('1 event pinned.').waitFor();
    await dialog().getByRole('button', { name: 'Done' }).click();
    await bar().getByRole('button', { name: 'Select all that match' }).click();
    await bar().getByText('All 5 events that match selected').waitFor();
    await bar().getByRole('button', { name: 'Delete' }).click();
    await dialog().getByText('Also delete the pinned one').waitFor();
    await shot('delete');
    await checkAccessibility('dialog');
    await dialog().getByRole('button', { name: 'Delete 4 events' }).click();
    await page.getByText('4 events deleted.').waitFor();
    await page.waitForFunction(() => document.querySelectorAll('.event-row').length === 1);
    await bar().waitFor({ state: 'detached' });
  });

  test('days are divided, and what is visible stays in place when rows arrive or change their height', async () => {
    await page.goto(`${dashboard.origin}/app`);
    await dashboard.whileStopped(addOlder);
    await send('{"newest":true}');
    await openList();
    const strip = page.locator('.day-strip');
    await strip.getByText('Today').waitFor();
    const place = () =>
      page.evaluate(() => {
        const list = document.querySelector('.event-list') as HTMLElement;
        const { top } = list.getBoundingClientRect();
        const row = [...list.querySelectorAll('.event-row')].find(one => one.getBoundingClientRect().top >= top);
        return { text: row?.querySelector('.preview')?.textContent, top: row?.getBoundingClientRect().top ?? 0 };
      });
    await page.locator('.event-list').evaluate(list => list.scrollTo(0, 56 * 90));
    await page.locator('.day-divider').first().waitFor();
    await strip.getByText(/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun) \d+ \w{3} \d{4}$/).waitFor();
    await shot('days');
    await checkAccessibility();
    const before = await place();
    for (let n = 0; n < 3; n++) await send(`{"arrived":${n}}`);
    await page.getByRole('button', { name: '3 new events' }).waitFor();
    await expectEventually(place).toEqual(before);

    await page.getByRole('button', { name: 'List menu' }).click();
    await shot('menu');
    expect(await violations(page, { within: '.menu-panel' })).toEqual([]);
    await page.getByLabel('Compact rows').check();
    await page.keyboard.press('Escape');
    await page.locator('.list-box.compact').waitFor();
    const compact = await place();
    expect(compact.text).toBe(before.text);
    // What was cut off at the top may be less now.
    expect(Math.abs(compact.top - before.top)).toBeLessThan(60);
    await shot('compact');
    await checkAccessibility();
    await page.getByRole('button', { name: 'List menu' }).click();
    await page.getByLabel('Relative times').check();
    await page.keyboard.press('Escape');
    await page.getByLabel('Relative times').waitFor({ state: 'detached' });
    await page
      .locator('.event-row time', { hasText: /^\d+d$/ })
      .first()
      .waitFor();
    await page.reload();
    await page.locator('.list-box.compact').waitFor();
    await page
      .locator('.event-row time', { hasText: /^(now|\d+[smh])$/ })
      .first()
      .waitFor();
    await page.keyboard.press('Shift+G');
    await page.locator('.event-row.selected', { hasText: '"old":' }).waitFor();
  });

  test('on a phone the checkboxes are visible, in both themes without faults', async () => {
    const phone = await dashboard.open({
      viewport: { width: 360, height: 740 },
      hasTouch: true,
      isMobile: true,
      colorScheme: 'dark',
    });
    await phone.context().addCookies(await page.context().cookies());
    await phone.goto(listUrl);
    const box = phone.locator('.event-row').first().getByRole('checkbox');
    await box.waitFor();
    await expectEventually(() => box.evaluate(one => getComputedStyle(one).opacity)).toBe('1');
    await phone.locator('.event-row .pick').first().tap();
    await phone.getByRole('region', { name: 'Selected events' }).waitFor();
    const folder = Bun.env['ROWS_SHOTS'];
    if (folder) await phone.screenshot({ path: `${folder}/phone-dark.png` });
    await checkAccessibility('html', phone);
    const width = await phone.evaluate(() => document.documentElement.scrollWidth);
    expect(width).toBe(360);
    await phone.context().close();
  });

  test('no dialog, policy violation, foreign request or script error occurred', () =>
    expect(dashboard.problems).toEqual({ dialogs: [], violations: [], foreign: [], errors: [] }));
});
