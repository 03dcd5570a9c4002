/*
 * A dashboard for the tests of keyboard and links: three Stripe events above many orders, and at the very end a pinned refund
 * with a wrong signature; also an endpoint with a hostile name.
 */
import { createHmac } from 'node:crypto';
import type { Locator, Page } from 'playwright-core';
import { type Dashboard, deliver, openDashboard, shownAddress } from './dashboard.ts';

export const stripeSecret = 'whsec_keyboard_only';
export const otherSecret = 'whsec_of_another_webhook';
export const hostileName = '<img src=x onerror=alert(1)> Zahlungen';

export type KeyboardPage = {
  dashboard: Dashboard;
  page: Page;
  /** The ingest URL of the endpoint. */
  address: string;
  listUrl: string;
  /** The pinned refund, the oldest event. */
  oldest: string;
  /** The orders, oldest first. */
  orders: string[];
  /** Opens the list on a wide screen. */
  reset: () => Promise<void>;
  /** Calls the API with the session of the page. Returns the status. */
  callApi: (method: string, path: string, body?: unknown) => Promise<number>;
  press: (...keys: string[]) => Promise<void>;
  /** Waits until this parameter is in the page's URL; null: until it no longer is. */
  hasState: (name: string, value: string | null) => Promise<void>;
  hasTab: (name: RegExp, on?: Page) => Promise<void>;
  /** Waits until the selected row has this text. */
  openRow: (text: string) => Promise<void>;
  focusIs: (selector: string) => Promise<void>;
  palette: () => Locator;
  options: () => Locator;
  openPalette: (text: string) => Promise<void>;
  noDialog: () => Promise<void>;
  /** A screenshot, if KEYBOARD_SHOTS names a directory. */
  shot: (name: string) => Promise<void>;
};

/** A delivery as Stripe signs it. */
export function sendStripe(address: string, type: string, n: number, secret = stripeSecret): Promise<string> {
  const body = `{"id":"evt_${n}","object":"event","type":"${type}","data":{"object":{"id":"re_${n}","amount":${n}}}}`;
  const at = Math.floor(Date.now() / 1000);
  const v1 = createHmac('sha256', secret).update(`${at}.${body}`).digest('hex');
  return deliver(address, body, {
    headers: { 'content-type': 'application/json', 'stripe-signature': `t=${at},v1=${v1}` },
  });
}

export async function openKeyboardPage(orderCount: number): Promise<KeyboardPage> {
  const dashboard = await openDashboard();
  const page = await dashboard.open({ permissions: ['clipboard-read', 'clipboard-write'] });
  await dashboard.setUp(page);
  const address = await shownAddress(page);
  const listUrl = page.url();
  const actions = actionsOn(page, listUrl);
  const endpoint = `/api/endpoints/${listUrl.split('/').at(-1)}`;
  await actions.callApi('POST', `${endpoint}/secrets`, { platform: 'stripe', secret: stripeSecret });
  await actions.callApi('POST', '/api/endpoints', { name: hostileName });
  const oldest = await sendStripe(address, 'charge.refunded', 1, otherSecret);
  await actions.callApi('PUT', `/api/events/${oldest}/pin`, { name: 'first-refund', note: null });
  const orders: string[] = [];
  for (let n = 0; n < orderCount; n++) orders.push(await deliver(address, `{"order":${n}}`));
  await sendStripe(address, 'charge.refunded', 2);
  await sendStripe(address, 'charge.refunded', 3, otherSecret);
  await sendStripe(address, 'invoice.paid', 4);
  return { dashboard, page, address, listUrl, oldest, orders, ...actions };
}

const actionsOn = (page: Page, listUrl: string) => {
  const press = async (...keys: string[]): Promise<void> => {
    for (const key of keys) await page.keyboard.press(key);
  };
  const palette = (): Locator => page.getByRole('dialog', { name: 'Command palette' });
  return {
    press,
    palette,
    reset: async (): Promise<void> => {
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.goto(listUrl);
      await page.locator('.event-row.selected').waitFor();
      await page.locator('.connection.live').waitFor();
    },
    callApi: (method: string, path: string, body?: unknown): Promise<number> =>
      page.evaluate(
        async ([method, path, body]) => {
          const json = body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body };
          return (await fetch(path, { method, ...json })).status;
        },
        [method, path, body === undefined ? undefined : JSON.stringify(body)] as const,
      ),
    hasState: (name: string, value: string | null): Promise<void> =>
      page.waitForURL(url => url.searchParams.get(name) === value),
    hasTab: (name: RegExp, on = page): Promise<void> => on.getByRole('tab', { selected: true, name }).waitFor(),
    openRow: (text: string): Promise<void> => page.locator('.event-row.selected', { hasText: text }).waitFor(),
    focusIs: async (selector: string): Promise<void> => {
      await page.waitForFunction(wanted => document.activeElement?.matches(wanted) === true, selector);
    },
    options: () => palette().getByRole('option'),
    openPalette: async (text: string): Promise<void> => {
      await press('Control+k');
      await palette().getByRole('combobox').fill(text);
    },
    noDialog: (): Promise<void> => page.getByRole('dialog').waitFor({ state: 'detached' }),
    shot: async (name: string): Promise<void> => {
      const folder = Bun.env['KEYBOARD_SHOTS'];
      if (folder) await page.screenshot({ path: `${folder}/${name}.png`, animations: 'disabled' });
    },
  };
};
