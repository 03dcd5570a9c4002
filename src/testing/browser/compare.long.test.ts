/* Comparing two events: which one is compared, how another is chosen, and what is shown. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import type { Page } from 'playwright-core';
import { violationsInBothThemes } from './accessibility.ts';
import { browserTitle, hasNoBrowser } from './chromium.ts';
import { callApi, createEndpoint, type Dashboard, deliver, openDashboard } from './dashboard.ts';
import { expectEventually } from './expect-eventually.ts';
import { takeShots } from './shots.ts';
import { xssPayloads } from './xss.ts';

setDefaultTimeout(120_000);

const secret = 'the secret of this webhook';
const orderOf = (n: number, state: string): string =>
  JSON.stringify({
    id: `evt_00000000000${n}`,
    created: 1_700_000_000 + n,
    object: 'event',
    api: 'v1',
    livemode: true,
    pending: 0,
    data: { order: { number: 7, shop: 'Bern', total: 1250, state, items: [1, 2, 3], notes: null, tax: 95 } },
  });

describe.skipIf(hasNoBrowser)(browserTitle('comparing two events'), () => {
  let dashboard: Dashboard;
  let page: Page;

  beforeAll(async () => {
    dashboard = await openDashboard();
    page = await dashboard.open();
    await dashboard.setUp(page);
  });
  afterAll(() => dashboard?.close());

  const send = (address: string, body: string, type: string, headers: Record<string, string> = {}): Promise<string> =>
    deliver(address, body, { headers: { 'content-type': 'application/json', 'x-github-event': type, ...headers } });
  const shot = (name: string): Promise<void> => takeShots(page, 'COMPARE_SHOTS', name);
  const compare = () => page.getByRole('link', { name: 'Compare' });
  const sides = (): (string | null)[] => {
    const { searchParams } = new URL(page.url());
    return [searchParams.get('a'), searchParams.get('b')];
  };
  const finder = () => page.getByRole('dialog').getByRole('combobox');
  const changed = (name: string) =>
    page.locator('.changes tr.changed').filter({ has: page.getByText(name, { exact: true }) });

  test('it is the previous event of the type, also under a filter, and the way back keeps the filter', async () => {
    const { address, listUrl } = await createEndpoint(page, 'filtered');
    const first = await send(address, '{"n":1}', 'push');
    await send(address, '{"n":2}', 'issues');
    const last = await send(address, '{"n":3}', 'push');
    for (const where of ['', 'body.n:3', 'body.n:2']) {
      await page.goto(`${listUrl}/events/${last}?where=${encodeURIComponent(where)}`);
      await compare().waitFor();
      await page.keyboard.press('b');
      await page.getByRole('heading', { name: 'Compare', level: 1 }).waitFor();
      expect(sides()).toEqual([first, last]);
    }
    await page.getByRole('link', { name: '← Event' }).click();
    await page.waitForURL(url => url.pathname.endsWith(last) && url.searchParams.get('where') === 'body.n:2');
  });

  test('without an earlier event of the type, the button says so and leads to the choice of another', async () => {
    const { address, listUrl } = await createEndpoint(page, 'first');
    const other = await send(address, '{"n":1}', 'push');
    const only = await send(address, '{"n":2}', 'issues');
    await page.goto(`${listUrl}/events/${only}`);
    await page.getByRole('link', { name: 'Compare (none earlier)' }).click();
    await page.getByRole('dialog').getByRole('option', { name: 'push' }).waitFor();
    await page.keyboard.press('Enter');
    await changed('n').waitFor();
    expect(sides()).toEqual([other, only]);
    await page.reload();
    await changed('n').waitFor();
    expect(sides()).toEqual([other, only]);
  });

  test('a line says what differs, values are marked by character, and the rest of the tree is folded', async () => {
    const { id, address, listUrl } = await createEndpoint(page, 'seen');
    await callApi(page, 'POST', `/api/endpoints/${id}/secrets`, { platform: 'github', secret });
    const signed = (body: string, key: string): Record<string, string> => ({
      'x-hub-signature-256': `sha256=${createHmac('sha256', key).update(body).digest('hex')}`,
    });
    const [before, after] = [orderOf(1, 'paid'), orderOf(2, 'unpaid')];
    const left = await send(address, before, 'order', { ...signed(before, secret), 'x-shop': 'berlin' });
    const right = await send(address, after, 'order', { ...signed(after, 'another'), 'x-shop': 'bern' });
    await page.goto(`${listUrl}/compare?a=${left}&b=${right}`);
    await page.locator('.compare-verdict li.bad', { hasText: 'Signature valid → invalid' }).waitFor();
    await expectEventually(() => page.locator('.compare-verdict').textContent()).toMatch(
      /Signature valid → invalid.*B → .* B \(\+2 B\)Received .* laterAnswered 200 both times/,
    );
    await expectEventually(() => changed('state').locator('ins').allTextContents()).toEqual(['un']);
    await expectEventually(() => changed('x-shop').locator('del').allTextContents()).toEqual(['li']);
    const body = page.locator('.section').filter({ has: page.getByRole('heading', { name: 'Body' }) });
    await expectEventually(() => body.locator('tbody tr').evaluateAll(rows => rows.map(row => row.className))).toEqual([
      ...['changed', 'changed', 'same', 'fold', 'same', 'parent', 'parent'],
      ...['fold', 'same', 'changed', 'same', 'fold'],
    ]);
    await shot('compare');
    expect(await violationsInBothThemes(page)).toEqual([]);
    await body.getByRole('button', { name: '2 unchanged' }).first().click();
    await body.locator('tr.same', { hasText: 'livemode' }).waitFor();

    await page.getByText('3 of 6 differing values look like ids, times or signatures.').waitFor();
    await page.getByLabel('Hide ids and times').check();
    await page.getByText('3 of 6 differing values are hidden.').waitFor();
    await expectEventually(() => page.locator('.changes tr.changed').count()).toBe(3);
    await body.getByRole('button', { name: /2 hidden/ }).waitFor();
    await shot('compare-hidden');
    await page.reload();
    await changed('state').waitFor();
    expect(await page.getByLabel('Hide ids and times').isChecked()).toBe(true);
    await page.getByLabel('Hide ids and times').uncheck();

    await page.setViewportSize({ width: 360, height: 740 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  test('another event is found by the server, and the focus returns to its button', async () => {
    const { address, listUrl } = await createEndpoint(page, 'many');
    const old = await send(address, '{"note":"the needle of last week"}', 'push');
    for (let n = 0; n < 40; n++) await send(address, `{"n":${n}}`, 'issues');
    const last = await send(address, '{"n":40}', 'issues');
    await page.goto(`${listUrl}/events/${last}`);
    await compare().waitFor();
    await page.keyboard.press('b');
    await changed('n').waitFor();
    const [first] = sides();
    await page.getByRole('button', { name: 'Before, choose another event' }).click();
    await page.getByRole('dialog').getByText('Same type').waitFor();
    await shot('compare-picker');
    expect(await violationsInBothThemes(page)).toEqual([]);
    await finder().fill('needle');
    await page.getByRole('dialog').getByRole('option', { name: 'push' }).waitFor();
    await page.keyboard.press('Enter');
    await page.locator('.changes').getByText('the needle of last week').waitFor();
    expect(sides()).toEqual([old, last]);
    await page.locator('.compare-side:focus').waitFor();
    await page.keyboard.press('Enter');
    await finder().fill(first ?? '');
    await page.getByRole('dialog').getByRole('option').waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(url => url.searchParams.get('a') === first);
    await page.getByRole('button', { name: 'Swap sides' }).click();
    await page.waitForURL(url => url.searchParams.get('b') === first);
    expect(sides()).toEqual([last, first ?? null]);
  });

  test('a missing event and a server that fails are said, and the other side stays', async () => {
    const { address, listUrl } = await createEndpoint(page, 'missing');
    const [one, other] = [await send(address, '{"n":1}', 'push'), await send(address, '{"n":2}', 'push')];
    await page.goto(`${listUrl}/compare?a=evt_00000000000000000000000000&b=${other}`);
    await page.getByText("Couldn't load the event").waitFor();
    await page.getByRole('button', { name: 'Before, choose another event' }).click();
    await page.getByRole('dialog').getByRole('option').first().waitFor();
    await page.route('**/api/events?*', route => route.fulfill({ status: 500, json: { error: 'the disk is full' } }));
    await finder().fill('anything');
    await page.getByRole('dialog').getByText('The disk is full.').first().waitFor();
    await page.unrouteAll();
    await finder().fill(one);
    await page.getByRole('dialog').getByRole('option').waitFor();
    await page.keyboard.press('Enter');
    await changed('n').waitFor();
  });

  test('lines of text are marked and folded, and hostile content is only text', async () => {
    const { address, listUrl } = await createEndpoint(page, 'hostile');
    const text = (word: string): string =>
      [...Array.from({ length: 20 }, (_, n) => `line ${n}`), `the ${word} line`, ...xssPayloads].join('\n');
    const init = { headers: { 'content-type': 'text/plain' } };
    const left = await deliver(address, text('first'), init);
    const right = await deliver(address, text('second'), init);
    await page.goto(`${listUrl}/compare?a=${left}&b=${right}`);
    await expectEventually(() => page.locator('.lines del').allTextContents()).toEqual(['first']);
    await expectEventually(() => page.locator('.lines ins').allTextContents()).toEqual(['second']);
    await page.getByRole('button', { name: '▸ 17 unchanged lines' }).click();
    await page.locator('.lines').getByText('line 3').waitFor();
    const values = (n: number): string => JSON.stringify(Object.fromEntries(xssPayloads.map(one => [one, one + n])));
    const hostile = [await send(address, values(1), xssPayloads[0] ?? ''), await send(address, values(2), 'x')];
    await page.goto(`${listUrl}/compare?a=${hostile[0]}&b=${hostile[1]}`);
    await expectEventually(() => page.locator('.changes tr.changed').count()).toBe(xssPayloads.length + 1);
  });

  test('nothing was asked, violated or thrown', () =>
    expect(dashboard.problems).toEqual({ dialogs: [], violations: [], foreign: [], errors: [] }));
});
