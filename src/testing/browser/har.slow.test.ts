/*
 * Imports a HAR export into the network panel of Chromium's developer tools, which can be opened as a page, and checks the text
 * that the panel shows.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Browser, Page } from 'playwright-core';
import { browserTitle, hasNoBrowser, launchBrowser } from './chromium.ts';
import { type Dashboard, deliver, openDashboard, shownAddress } from './dashboard.ts';

setDefaultTimeout(120_000);

const tools = 'devtools://devtools/bundled/';
const binary = new Uint8Array([0, 255, 1, 254]);

type Modules = {
  ViewManager: { ViewManager: { instance: () => { showView: (name: string) => Promise<void> } } };
  NetworkPanel: {
    NetworkPanel: { instance: () => { networkLogView: { onLoadFromFile: (file: File) => Promise<void> } } };
  };
};

describe.skipIf(hasNoBrowser)(browserTitle('an exported HAR in the network panel'), () => {
  let dashboard: Dashboard;
  let browser: Browser;
  let panel: Page;

  beforeAll(async () => {
    dashboard = await openDashboard();
    const page = await dashboard.open();
    await dashboard.setUp(page);
    const address = await shownAddress(page);
    const headers = { 'content-type': 'application/json', 'x-shop': 'tea & cake' };
    await deliver(`${address}/orders?state=new&a[]=1`, '{"fruit":"apple"}', { headers });
    await deliver(`${address}/upload`, binary, { method: 'PUT' });
    const har = await page.evaluate(async () => {
      const { endpoints } = await (await fetch('/api/endpoints')).json();
      return (await fetch(`/api/endpoints/${endpoints[0].id}/export?format=har`)).text();
    });

    browser = await launchBrowser({ withDevTools: true });
    panel = await browser.newPage();
    await panel.goto(`${tools}devtools_app.html`);
    await panel.getByRole('tab', { name: 'Network', exact: true }).waitFor();
    await panel.evaluate(
      async ([tools, text]) => {
        const load = (path: string): Promise<Modules> => import(`${tools}${path}`);
        const { ViewManager } = await load('ui/legacy/legacy.js');
        await ViewManager.ViewManager.instance().showView('network');
        const { NetworkPanel } = await load('panels/network/network.js');
        await NetworkPanel.NetworkPanel.instance().networkLogView.onLoadFromFile(new File([text], 'events.har'));
      },
      [tools, har] as const,
    );
    await panel.locator('td.name-column').first().waitFor();
  });
  afterAll(async () => {
    await browser?.close();
    await dashboard?.close();
  });

  const openTab = async (row: string, tab: string): Promise<void> => {
    await panel.locator('td.name-column', { hasText: row }).click();
    await panel.locator('.tabbed-pane-header-tab', { hasText: new RegExp(`^${tab}$`) }).click();
  };
  /** The visible text in all of the panel's shadow roots. */
  const shown = (text: string | RegExp): Promise<void> => panel.getByText(text).first().waitFor();

  test('every event is shown as a finished request', async () => {
    const cells = await panel.locator('tr.data-grid-data-grid-node').allInnerTexts();
    const rows = cells.filter(text => text.trim() !== '').map(text => text.split('\t'));
    expect(rows.map(([name, status]) => [name?.trim(), status])).toEqual([
      ['orders?state=new&a[]=1', '200'],
      ['upload', '200'],
    ]);
    expect(rows.map(row => row.at(-1)?.replace('\u00a0', ' '))).toEqual(['0 ms', '0 ms']);
  });

  test('the panel shows method, URL, status and headers', async () => {
    await openTab('orders', 'Headers');
    for (const text of [/\/orders\?state=new&a\[\]=1$/, 'POST', '200 OK', 'tea & cake', 'application/json'])
      await shown(text);
  });

  test('the panel shows the query and the payload', async () => {
    await openTab('orders', 'Payload');
    for (const text of ['Query string parameters', 'state', 'Request payload', '{fruit: "apple"}']) await shown(text);
  });

  test('the panel shows our response and the timing', async () => {
    await openTab('orders', 'Response');
    await shown(/evt_/);
    await openTab('orders', 'Timing');
    await shown('Waiting for server response');
  });

  test('the panel shows a binary payload as base64', async () => {
    await openTab('upload', 'Headers');
    await shown('PUT');
    await openTab('upload', 'Payload');
    await shown(Buffer.from(binary).toString('base64'));
  });
});
