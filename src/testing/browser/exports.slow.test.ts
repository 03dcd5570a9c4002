import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { browserTitle, hasNoBrowser } from './chromium.ts';
import { type Dashboard, deliver, openDashboard, shownAddress } from './dashboard.ts';
import { expectEventually } from './expect-eventually.ts';

setDefaultTimeout(120_000);

const names = ['JSON', 'NDJSON', 'CSV', 'HAR', 'Shell script (curl)'];
const endings = ['json', 'ndjson', 'csv', 'har', 'sh'];

describe.skipIf(hasNoBrowser)(browserTitle('exports in the dashboard'), () => {
  let dashboard: Dashboard;
  let page: Page;

  beforeAll(async () => {
    dashboard = await openDashboard();
    page = await dashboard.open();
    await dashboard.setUp(page);
    const address = await shownAddress(page);
    for (const body of ['{"fruit":"apple"}', '{"fruit":"<b>quince</b>"}']) await deliver(address, body);
    await page.getByRole('listitem').nth(1).waitFor();
  });
  afterAll(() => dashboard?.close());

  /** Downloads the file of each format. */
  const downloads = async (): Promise<[fileName: string, text: string][]> => {
    const files: [string, string][] = [];
    for (const name of names) {
      const downloading = page.waitForEvent('download');
      await page.getByRole('link', { name: `Download as ${name}`, exact: true }).click();
      const download = await downloading;
      files.push([download.suggestedFilename(), await Bun.file(await download.path()).text()]);
    }
    return files;
  };
  const fileNames = endings.map(ending => expect.stringMatching(new RegExp(`^service-ep_\\w+\\.${ending}$`)));

  test('the list is downloaded in five formats, with only the events that match the filter', async () => {
    await page.getByRole('button', { name: 'List menu' }).click();
    await page.getByRole('button', { name: 'Export events…' }).click();
    await page.getByRole('dialog').getByText('All stored events').waitFor();
    const all = await downloads();
    expect(all.map(([fileName]) => fileName)).toEqual(fileNames);
    expect(JSON.parse(all[0]?.[1] ?? '').events).toHaveLength(2);
    await page.keyboard.press('Escape');

    await page.getByRole('combobox', { name: 'Search and filter events' }).fill('<b>QUINCE');
    await page.waitForURL(/where=/);
    await page.getByRole('button', { name: 'List menu' }).click();
    await page.getByRole('button', { name: 'Export events…' }).click();
    await expectEventually(() => page.getByRole('dialog').locator('code').textContent()).toContain('<b>QUINCE');
    const found = await downloads();
    expect(found.map(([fileName]) => fileName)).toEqual(fileNames);
    for (const [fileName, text] of found)
      expect([fileName, new Set(text.match(/evt_\w+/g)).size]).toEqual([fileName, 1]);
    await page.keyboard.press('Escape');
  });

  test('the settings offer the same for a whole endpoint', async () => {
    await page.goto(`${dashboard.origin}/app/settings/plan`);
    await page
      .getByRole('button', { name: /^Export / })
      .first()
      .click();
    expect((await downloads()).map(([fileName]) => fileName)).toEqual(fileNames);
    const href = await page.getByRole('link', { name: 'Download as CSV' }).getAttribute('href');
    const id = /ep_\w+/.exec(href ?? '')?.[0];
    await page.goto(`${dashboard.origin}/app/endpoints/${id}/settings/data`);
    expect((await downloads()).map(([fileName]) => fileName)).toEqual(fileNames);
  });
});
