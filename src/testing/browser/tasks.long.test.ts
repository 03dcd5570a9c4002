/* Five tasks of a working day, with nothing but the keyboard: the mouse is never used, and the focus can be seen at every step. */
import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import type { Locator, Page } from 'playwright-core';
import { browserTitle, hasNoBrowser } from './chromium.ts';
import { callApi, createEndpoint, type Dashboard, deliver, openDashboard, owner } from './dashboard.ts';
import { expectEventually } from './expect-eventually.ts';

setDefaultTimeout(120_000);

const oldSecret = 'whsec_of_last_year';
const newSecret = 'whsec_rotated_at_stripe';
const maxTabs = 60;

describe.skipIf(hasNoBrowser)(browserTitle('five tasks with the keyboard alone'), () => {
  let dashboard: Dashboard;
  let page: Page;
  /** The name of the endpoint of this test. */
  let name: string;
  /** The refund whose signature fails. */
  let eventUrl: string;
  let endpoints = 0;
  const received: string[] = [];
  const handler = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async request => {
      received.push(await request.text());
      return new Response('handled');
    },
  });

  const sendRefund = (address: string, amount: number, secret: string): Promise<string> => {
    const body = `{"id":"evt_r${amount}","object":"event","type":"charge.refunded","data":{"object":{"id":"ch_1","amount_refunded":${amount}}}}`;
    const at = Math.floor(Date.now() / 1000);
    const v1 = createHmac('sha256', secret).update(`${at}.${body}`).digest('hex');
    return deliver(address, body, {
      headers: { 'content-type': 'application/json', 'stripe-signature': `t=${at},v1=${v1}` },
    });
  };

  beforeAll(async () => {
    dashboard = await openDashboard();
    page = await dashboard.open({ permissions: ['clipboard-read', 'clipboard-write'] });
    await dashboard.setUp(page);
  });
  afterAll(async () => {
    await handler.stop(true);
    await dashboard?.close();
  });

  beforeEach(async () => {
    name = `Till ${++endpoints}`;
    const { id, address, listUrl } = await createEndpoint(page, name);
    await callApi(page, 'POST', `/api/endpoints/${id}/secrets`, { platform: 'stripe', secret: oldSecret });
    await sendRefund(address, 100, oldSecret);
    eventUrl = `${listUrl}/events/${await sendRefund(address, 250, newSecret)}`;
    for (let n = 0; n < 5; n++) await deliver(address, `{"order":${n}}`);
  });
  const openRefund = async (): Promise<void> => {
    await page.goto(eventUrl);
    await page.getByRole('heading', { name: 'charge.refunded' }).waitFor();
    await page.locator('.event-row.selected').waitFor();
  };

  /** Without what is typed. */
  let pressed = 0;
  const press = (key: string): Promise<void> => {
    pressed++;
    return page.keyboard.press(key);
  };
  const type = (text: string): Promise<void> => page.keyboard.type(text);
  /** What has the focus can be seen: it is on the screen, with an outline of its own or of the box around it. */
  const checkFocus = async (): Promise<void> => {
    const problem = await page.evaluate(() => {
      const focused = document.activeElement;
      if (!(focused instanceof HTMLElement) || focused === document.body) return undefined;
      const { top, left, bottom, right, width, height } = focused.getBoundingClientRect();
      const isOnScreen = bottom > 0 && right > 0 && top < innerHeight && left < innerWidth && width > 0 && height > 0;
      // The ring of a link that stands for its row is around the row.
      const ringed = [focused, focused.closest('.event-row, .endpoint-card')].filter(element => element !== null);
      const isMarked =
        focused.closest('.search, .palette') !== null ||
        ringed
          .map(element => getComputedStyle(element))
          .some(one => one.outlineStyle !== 'none' || one.boxShadow !== 'none');
      return isOnScreen && isMarked ? undefined : focused.outerHTML.slice(0, 200);
    });
    expect(problem).toBeUndefined();
  };
  const isFocused = (element: Locator): Promise<boolean> => element.evaluate(one => one === document.activeElement);
  const tabTo = async (element: Locator): Promise<void> => {
    await element.waitFor();
    for (let tabs = 0; !(await isFocused(element)); tabs++) {
      if (tabs === maxTabs) throw new Error(`not reached: ${element}`);
      await press('Tab');
      await checkFocus();
    }
  };

  test('finds the failed refund of the last day', async () => {
    await page.goto(`${dashboard.origin}/app`);
    await page.getByRole('heading', { name: 'Endpoints' }).waitFor();
    await press('Control+k');
    await type(name);
    await page.getByRole('dialog').getByRole('option', { name }).waitFor();
    await press('Enter');
    await page.locator('.event-row.selected').waitFor();
    await press('/');
    await type('charge.refunded verdict:invalid received>24h');
    await press('Enter');
    await page.waitForFunction(() => document.querySelectorAll('.event-row').length === 1);
    await press('Escape');
    await checkFocus();
    await press('Enter');
    await page.locator('#event:focus').waitFor();
    await page.getByRole('heading', { name: 'charge.refunded' }).waitFor();
  });

  test('sees why its signature fails, and mends it', async () => {
    await openRefund();
    await press('4');
    await page.locator('#tab-signature:focus').waitFor();
    const url = page.url();
    await page.locator('.verdict', { hasText: 'Invalid' }).waitFor();
    await tabTo(page.getByLabel('Signing secret'));
    await type(newSecret);
    await tabTo(page.getByRole('button', { name: 'Save this secret' }));
    await press('Enter');
    await page.locator('.verdict', { hasText: 'Signature valid' }).waitFor();
    await page.locator('#tab-signature:focus').waitFor();
    expect(page.url()).toBe(url);
  });

  test('compares it with the one before', async () => {
    await openRefund();
    await press('/');
    await press('Control+a');
    await type('type:charge.refunded');
    await press('Enter');
    await page.waitForFunction(() => document.querySelectorAll('.event-row').length === 2);
    await press('Escape');
    await press('g');
    await press('b');
    await page.getByText('amount_refunded').first().waitFor();
    await expectEventually(() => page.locator('main').textContent()).toMatch(/100[\s\S]*250/);
    await checkFocus();
    await page.goBack();
    await page.locator('.event-row.selected').waitFor();
  });

  test('sends it to a local handler', async () => {
    await openRefund();
    await press('r');
    const dialog = page.getByRole('dialog');
    await tabTo(dialog.getByLabel('Destination'));
    await type(`http://127.0.0.1:${handler.port}/webhooks`);
    await press('Enter');
    await dialog.getByText('200').first().waitFor();
    expect(received.map(body => JSON.parse(body).data.object.amount_refunded)).toEqual([250]);
    await press('Escape');
    await dialog.waitFor({ state: 'detached' });
  });

  test('replays it edited and re-signed, with few keys', async () => {
    await openRefund();
    received.length = 0;
    pressed = 0;
    const dialog = page.getByRole('dialog');
    const drawer = (name: string): Locator => dialog.locator('summary').filter({ hasText: name });
    await press('r');
    await dialog.getByLabel('Destination').and(page.locator(':focus')).waitFor();
    await type(`127.0.0.1:${handler.port}/webhooks`);
    await tabTo(drawer('Body'));
    await press('Enter');
    await tabTo(dialog.getByLabel('Body', { exact: true }));
    await press('Control+Home');
    await type(' ');
    await tabTo(dialog.getByLabel('As captured'));
    await press('ArrowRight');
    await tabTo(dialog.getByLabel('Signing secret'));
    await type(newSecret);
    await press('Enter');
    await dialog.getByText('200').first().waitFor();
    expect(received[0]).toStartWith(' {"id"');
    expect(pressed).toBe(12);
    await press('Escape');
    await dialog.waitFor({ state: 'detached' });
  });

  test('hands a colleague a link to it', async () => {
    await openRefund();
    await press('5');
    await page.waitForURL(/tab=replays/);
    await press('l');
    await page.getByText('Link copied.').waitFor();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    const colleague = await dashboard.open();
    await colleague.goto(link);
    await colleague.getByLabel('Email').waitFor();
    await colleague.getByLabel('Email').focus();
    await colleague.keyboard.type(owner.email);
    await colleague.keyboard.press('Tab');
    await colleague.keyboard.type(owner.password);
    await colleague.keyboard.press('Enter');
    await colleague.getByRole('tab', { name: /Replays/, selected: true }).waitFor();
    await colleague.getByRole('heading', { name: 'charge.refunded' }).waitFor();
    expect(colleague.url()).toBe(link);
  });

  test('no dialog, policy violation, foreign request or script error occurred', () =>
    expect(dashboard.problems).toEqual({ dialogs: [], violations: [], foreign: [], errors: [] }));
});
