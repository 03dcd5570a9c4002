/* Reading an event and finding text in it, as a person does: mostly with the keyboard. */

import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Locator, Page } from 'playwright-core';
import { violations } from './accessibility.ts';
import { browserTitle, hasNoBrowser } from './chromium.ts';
import { createEndpoint, type Dashboard, deliver, openDashboard } from './dashboard.ts';
import { expectEventually } from './expect-eventually.ts';

setDefaultTimeout(120_000);

const longUrl = `https://api.example.com/v1/${'customers/'.repeat(21)}cus_1?expand=data`;
const uuid = '72d3162e-cc78-11e3-81ab-4c9367dc0958';
const claims = { sub: 'ada', exp: 1_600_000_000 };
const base64url = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const token = `${base64url({ alg: 'HS256' })}.${base64url(claims)}.c2lnbmF0dXJl`;
const order = {
  created: 1_795_170_600,
  customer_id: uuid,
  url: longUrl,
  script: 'javascript:alert(1)',
  token,
  note: Buffer.from('{"customer":"Ada Lovelace"}').toString('base64'),
  long: `${'filler '.repeat(100)}needle`,
  nested: { deep: { deeper: [{ word: 'Needle' }, { other: 'needles' }] } },
};

describe.skipIf(hasNoBrowser)(browserTitle('reading an event'), () => {
  let dashboard: Dashboard;
  let page: Page;
  let address: string;
  let list: string;
  beforeAll(async () => {
    dashboard = await openDashboard();
    page = await dashboard.open();
    await dashboard.setUp(page);
  });
  afterAll(() => dashboard?.close());

  beforeEach(async () => {
    // The page remembers how a body is shown.
    await page.evaluate(() => localStorage.clear());
    ({ address, listUrl: list } = await createEndpoint(page, 'Shop'));
  });

  const open = async (id: string, query = ''): Promise<void> => {
    await page.goto(`${list}/events/${id}${query}`);
    await page.locator('#event-panel :is(.tree-row, .text-view, .pairs, .empty)').first().waitFor();
  };
  const openOrder = async (): Promise<void> => open(await deliver(address, JSON.stringify(order)));
  const row = (text: string): Locator => page.locator('.tree-row', { hasText: text });
  const bar = (): Locator => page.getByRole('textbox', { name: 'Find in this event' });
  const count = (text: string): Promise<void> =>
    page.locator('.find-count', { hasText: new RegExp(`^${text}$`) }).waitFor();
  const marked = (): Promise<string[]> => page.locator('#event-panel mark').allTextContents();
  const current = (): Promise<string | null> => page.locator('mark.current-hit').textContent();
  const shot = async (name: string): Promise<void> => {
    const folder = Bun.env['READING_SHOTS'];
    if (folder) await page.screenshot({ path: `${folder}/${name}.png`, animations: 'disabled' });
  };
  const checkAccessibility = async (): Promise<void> => {
    expect(await violations(page, { within: '.event' })).toEqual([]);
  };

  test('a value without room can be seen whole, and lines wrap on request', async () => {
    await openOrder();
    const whole = row('url:').getByRole('button', { name: 'Show whole value' });
    await whole.click();
    await page.getByRole('dialog', { name: 'Whole value' }).getByText(longUrl).waitFor();
    await shot('whole');
    await page.keyboard.press('Escape');
    // An id has room on a wide screen, and none on a phone.
    await expectEventually(() =>
      row('customer_id:').getByRole('button', { name: 'Show whole value' }).isVisible(),
    ).toBe(false);
    await page.setViewportSize({ width: 360, height: 740 });
    await row('customer_id:').getByRole('button', { name: 'Show whole value' }).click();
    await page.getByRole('dialog', { name: 'Whole value' }).getByText(uuid).waitFor();
    await page.keyboard.press('Escape');
    await shot('json-phone');
    await page.getByRole('button', { name: 'Wrap long lines' }).click();
    await shot('wrapped-phone');
    await expectEventually(() =>
      row('customer_id:').getByRole('button', { name: 'Show whole value' }).isVisible(),
    ).toBe(false);
    expect((await row('url:').boundingBox())?.height).toBeGreaterThan(60);
    const [above, below] = [await row('url:').boundingBox(), await row('script:').boundingBox()];
    expect(below?.y).toBeCloseTo((above?.y ?? 0) + (above?.height ?? 0), 0);
    await checkAccessibility();
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.reload();
    await page.locator('.tree-box.wrapped').waitFor();
    await page.getByRole('tree').focus();
    await page.keyboard.press('w');
    await page.locator('.tree-box:not(.wrapped)').waitFor();
  });

  test('links are safe, and times, base64 and tokens are explained by pointer and by key', async () => {
    await openOrder();
    const link = row('url:').getByRole('link');
    await expectEventually(() => link.evaluate((one: HTMLAnchorElement) => [one.href, one.target, one.rel])).toEqual([
      longUrl,
      '_blank',
      'noopener noreferrer',
    ]);
    await expectEventually(() => row('script:').getByRole('link').count()).toBe(0);
    await row('created:').locator('.explained').hover();
    await page.getByRole('dialog', { name: 'Time' }).getByText('2026-11-20T10:30:00.000Z').waitFor();
    await shot('time');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Time' }).waitFor({ state: 'detached' });

    await page.getByRole('tree').focus();
    await row('token:').click();
    await page.keyboard.press('i');
    const card = page.getByRole('dialog', { name: 'JSON Web Token' });
    await card.getByText("the token's signature is not checked").waitFor();
    await expectEventually(() => card.textContent()).toContain('"sub": "ada"');
    await expectEventually(() => card.textContent()).toContain('expired');
    await shot('token');
    await checkAccessibility();
    await page.keyboard.press('Escape');
    await card.waitFor({ state: 'detached' });
    await expectEventually(() => page.evaluate(() => document.activeElement?.getAttribute('role'))).toMatch(/^tree/);
    await row('note:').click();
    await page.getByRole('button', { name: 'Explain', exact: true }).click();
    await page.getByRole('dialog', { name: 'Base64' }).getByText('Ada Lovelace').waitFor();
    await page.keyboard.press('Escape');
  });

  test('f finds in the body: counted, marked, folded branches opened, and back where one was', async () => {
    await openOrder();
    await page.getByRole('button', { name: 'Collapse' }).click();
    await page.getByRole('tree').focus();
    await page.keyboard.press('f');
    await page.keyboard.type('needle');
    await count('1 of 3');
    await expectEventually(current).toBe('needle');
    await page.keyboard.press('Enter');
    await count('2 of 3');
    await row('word: "Needle"').locator('mark.current-hit').waitFor();
    await shot('find');
    await page.keyboard.press('F3');
    await row('other: "needles"').locator('mark.current-hit').waitFor();
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.press('Shift+Enter');
    await count('3 of 3');
    await page.waitForURL(url => url.searchParams.get('find') === 'needle');
    await checkAccessibility();
    await page.keyboard.press('Escape');
    await bar().waitFor({ state: 'detached' });
    await expectEventually(marked).toEqual([]);
    await expectEventually(() => page.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('tree');

    await page.keyboard.press('Control+f');
    await bar().fill('"WORD":  "needle"');
    await count('1 of 1');
    await expectEventually(marked).toEqual(
      ['word', 'Needle"'].map(text => expect.stringContaining(text.replace('"', ''))),
    );
    await bar().fill('nowhere');
    await count('No hits');
    await page.keyboard.press('Escape');
  });

  test('finds in raw text, headers and the query, and keeps what is found for the next tab', async () => {
    const id = await deliver(`${address}/orders/7?shop=Acme+Shop`, '{"shop":"acme"}', {
      headers: {
        'content-type': 'application/json',
        'x-shop-domain': 'acme.example',
        'x-sent-at': '2026-11-20T10:30:00Z',
      },
    });
    await open(id, '?view=text&find=acme');
    await count('1 of 1');
    await expectEventually(() => page.locator('.text-view mark').allTextContents()).toEqual(['acme']);
    await page.getByRole('tab', { name: /Headers/ }).click();
    await count('1 of 1');
    await expectEventually(current).toBe('acme');
    await page.getByRole('button', { name: 'Explain the value of x-sent-at' }).click();
    await page.getByRole('dialog', { name: 'Time' }).getByText('RFC 3339').waitFor();
    await shot('headers');
    await page.keyboard.press('Escape');
    await page.getByRole('tab', { name: /Query/ }).click();
    await count('1 of 2');
    await expectEventually(marked).toEqual(['Acme', 'Acme']);
    await page.keyboard.press('Escape');
  });

  test('a form has no value that cannot be seen, on a phone either', async () => {
    await page.setViewportSize({ width: 360, height: 740 });
    const form = new URLSearchParams({
      note: `${'word '.repeat(400)}needle`,
      payload: '{"a":{"b":"Needle"}}',
      to: longUrl,
    });
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    await open(await deliver(address, form.toString(), { headers }));
    const note = page.locator('.pairs tr', { hasText: 'note' });
    await shot('form-phone');
    await note.getByRole('button', { name: 'Show whole value' }).click();
    await page.getByRole('dialog', { name: 'Whole value' }).getByText('needle').waitFor();
    await page.keyboard.press('Escape');
    await expectEventually(() => page.locator('.pairs').getByRole('link').getAttribute('href')).toBe(longUrl);
    await page.getByRole('button', { name: 'Find in the body' }).click();
    await page.keyboard.type('NEEDLE');
    await count('1 of 2');
    // A value is whole while the hit in it is the current one.
    await note.locator('.found mark', { hasText: /^needle$/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.locator('.nested mark.current-hit').waitFor();
    await shot('form-find-phone');
    await checkAccessibility();
    // The hits in the whole value are not counted again.
    await note.getByRole('button', { name: 'Show whole value' }).click();
    await page.getByRole('dialog', { name: 'Whole value' }).getByText('needle').waitFor();
    await count('2 of 2');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('textbox', { name: /find/i }).first().focus();
    await page.keyboard.press('Escape');
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  test('words that are only in the title of a row are found through its path', async () => {
    await deliver(`${address}/orders/7`, '{}');
    await page.goto(`${list}?where=orders%2F7`);
    await page.getByRole('link', { name: 'Search paths, too' }).click();
    await page.locator('.event-row', { hasText: '/orders/7' }).first().waitFor();
    await expectEventually(() => page.locator('.event-row mark').first().textContent()).toBe('orders/7');
    await shot('paths');
  });

  test('a search of the list is marked in the body, its first hit in view', async () => {
    const events = Array.from({ length: 3000 }, (_, n) => ({ n, name: `customer ${n}` }));
    const id = await deliver(address, JSON.stringify({ events, status: 'card was declined' }));
    await open(id, `?where=${encodeURIComponent('"customer 2750" body.status:"card was declined"')}`);
    await count('1 of 2');
    await row('name: "customer 2750"').locator('mark.current-hit').waitFor();
    await expectEventually(() => page.locator('.tree-row').count()).toBeLessThan(80);
    await shot('carried');
    await page.keyboard.press('Control+g');
    await row('status:').locator('mark.current-hit').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.find-bar').waitFor({ state: 'detached' });
  });

  test('XML, HTML and NDJSON are called what they are', async () => {
    const views: [type: string, body: string, name: string, sees: string][] = [
      [
        'text/xml',
        '<?xml version="1.0"?><order id="7"><line sku="X">2 &amp; 3</line></order>',
        'XML',
        'markup-attribute',
      ],
      [
        'text/html',
        '<!doctype html><p class="a">Hi<br>there<script>if (a < b) run("x")</script>',
        'HTML',
        'markup-tag',
      ],
      ['application/x-ndjson', '{"a":1}\n{"a":2}\n\n{"b":{"c":3}}\n', 'NDJSON', 'position'],
    ];
    for (const [type, body, name, sees] of views) {
      await open(await deliver(address, body, { headers: { 'content-type': type } }));
      const view = page.locator('.body-panel .segmented button').first();
      expect([await view.textContent(), await view.getAttribute('aria-pressed')]).toEqual([name, 'true']);
      await page.locator(`.${sees}`).first().waitFor();
      await shot(name);
      await checkAccessibility();
    }
    await row('Document 3').waitFor();
    await expectEventually(() => page.locator('.tree-row').count()).toBe(12);
    await page.keyboard.press('f');
    await page.keyboard.type('"c": 3');
    await count('1 of 1');
    await page.keyboard.press('Escape');
  });

  test('a body of ten megabytes is searched, and few of its rows are in the document', async () => {
    const lines = Array.from(
      { length: 90_000 },
      (_, n) => `{"n":${n},"text":"${'lorem ipsum dolor sit amet '.repeat(3)}"}`,
    );
    lines[80_000] = '{"n":80000,"text":"the needle"}';
    await open(await deliver(address, `[${lines.join(',')}]`));
    await page.keyboard.press('f');
    await bar().fill('needle');
    await row('the needle').locator('mark.current-hit').waitFor();
    await count('1 of 1');
    await expectEventually(() => page.locator('.tree-row').count()).toBeLessThan(80);
    await page.getByRole('button', { name: 'Raw' }).click();
    await page.locator('.text-view mark.current-hit').waitFor();
    await expectEventually(current).toBe('needle');
    await page.keyboard.press('Escape');
  });

  test('no dialog, policy violation, foreign request or script error occurred', () =>
    expect(dashboard.problems).toEqual({ dialogs: [], violations: [], foreign: [], errors: [] }));
});
