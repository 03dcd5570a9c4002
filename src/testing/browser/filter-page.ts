/*
 * A dashboard with twelve events to filter, and the actions of the filter tests on its page.
 */

import { expect } from 'bun:test';
import type { Locator, Page } from 'playwright-core';
import { violations } from './accessibility.ts';
import { createEndpoint, type Dashboard, deliver, openDashboard } from './dashboard.ts';

export type FilterPage = {
  dashboard: Dashboard;
  page: Page;
  /** The ingest URL of the endpoint of this test. */
  readonly address: string;
  readonly listUrl: string;
  /** The filters of all requests for the list so far. */
  asked: string[];
  /** Sends GitHub's `push` if `n` is even, an order otherwise. */
  send: (n: number) => Promise<string>;
  /** Creates an endpoint with twelve events, and opens its list without a filter. */
  reset: () => Promise<void>;
  box: () => Locator;
  options: () => Locator;
  chips: () => Locator;
  /** Waits until the page's URL has this filter. */
  waitForFilter: (where: string) => Promise<void>;
  waitForRows: (count: number) => Promise<void>;
  /** A screenshot, if FILTER_SHOTS names a directory. */
  shot: (name: string) => Promise<void>;
  checkAccessibility: () => Promise<void>;
};

export async function openFilterPage(): Promise<FilterPage> {
  const dashboard = await openDashboard();
  const page = await dashboard.open();
  await dashboard.setUp(page);
  let own = { address: '', listUrl: '' };
  const asked: string[] = [];
  const send = (n: number): Promise<string> =>
    deliver(
      own.address,
      JSON.stringify({ n, order: { items: [{ sku: `A-${n}` }], total: n * 10 }, 'odd key': 'a "b"' }),
      {
        headers: {
          'content-type': 'application/json',
          'x-shop-domain': n % 3 ? 'acme.test' : 'other shop',
          ...(n % 2 ? {} : { 'x-github-event': 'push', 'x-github-delivery': `d-${n}` }),
        },
      },
    );
  const reset = async (): Promise<void> => {
    await page.setViewportSize({ width: 1280, height: 800 });
    own = await createEndpoint(page, 'Shop');
    for (let n = 1; n <= 12; n++) await send(n);
    await page.goto(own.listUrl);
    await page.locator('.event-row.selected').waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    asked.length = 0;
  };
  page.on('request', request => {
    const { pathname, searchParams } = new URL(request.url());
    // A smaller page is for the event to compare with, not for the list.
    if (pathname === '/api/events' && searchParams.get('limit') === '100') asked.push(searchParams.get('where') ?? '');
  });
  return {
    dashboard,
    page,
    get address() {
      return own.address;
    },
    get listUrl() {
      return own.listUrl;
    },
    asked,
    send,
    reset,
    ...actionsOn(page),
  };
}

const actionsOn = (page: Page) => ({
  box: () => page.getByRole('combobox', { name: 'Search and filter events' }),
  options: () => page.getByRole('listbox', { name: 'Suggestions' }).getByRole('option'),
  chips: () => page.getByRole('list', { name: 'Parts of the filter' }).locator('.chip-text'),
  waitForFilter: (where: string): Promise<void> =>
    page.waitForURL(url => (url.searchParams.get('where') ?? '') === where),
  waitForRows: async (count: number): Promise<void> => {
    await page.waitForFunction(wanted => document.querySelectorAll('.event-row').length === wanted, count);
  },
  shot: async (name: string): Promise<void> => {
    const folder = Bun.env['FILTER_SHOTS'];
    if (folder) await page.screenshot({ path: `${folder}/${name}.png` });
  },
  checkAccessibility: async (): Promise<void> => {
    expect(await violations(page)).toEqual([]);
  },
});
