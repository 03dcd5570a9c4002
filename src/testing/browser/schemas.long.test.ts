import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { eventually } from '../poll.ts';
import { violations } from './accessibility.ts';
import { browserTitle, hasNoBrowser } from './chromium.ts';
import { createEndpoint, type Dashboard, deliver, openDashboard, shownAddress } from './dashboard.ts';
import { expectEventually } from './expect-eventually.ts';

setDefaultTimeout(120_000);

const github = (event: string) => ({ headers: { 'content-type': 'application/json', 'x-github-event': event } });
const hostileType = '<img src=x onerror="alert(1)">';

describe.skipIf(hasNoBrowser)(browserTitle('schemas'), () => {
  let dashboard: Dashboard;
  let page: Page;
  let listUrl: string;

  beforeAll(async () => {
    dashboard = await openDashboard();
    page = await dashboard.open();
    await dashboard.setUp(page);
    const address = await shownAddress(page);
    listUrl = page.url();
    for (let n = 0; n < 24; n++) await deliver(address, '{"ref":"main","commits":[{"id":1}]}', github('push'));
    await deliver(address, '{"ref":"main","commits":[{"id":"1"}],"forced":true}', github('push'));
    await deliver(address, `{"${'x'.repeat(90)}":1,"</pre><script>alert(1)</script>":1}`, github(hostileType));
    await deliver(address, '[1]');
    const path = `/api/endpoints/${listUrl.split('/')[5]}/schemas`;
    const known = async () => page.evaluate(async url => (await (await fetch(url)).json()).schemas.length, path);
    await eventually(async () => (await known()) === 3, 20_000);
  });
  afterAll(() => dashboard?.close());

  const open = async (): Promise<void> => {
    await page.goto(listUrl);
    await page.getByRole('link', { name: 'Schemas' }).click();
    await page.getByRole('heading', { name: 'Schemas', level: 1 }).waitFor();
    await page.getByRole('navigation', { name: 'Event types' }).getByRole('link', { name: 'push' }).click();
    await page.getByRole('heading', { name: 'push' }).waitFor();
  };
  const code = () => page.locator('.schema-section pre');
  const checkAccessibility = async (): Promise<void> => {
    expect(await violations(page)).toEqual([]);
  };

  test('a type has its schema in three forms, which the URL keeps, to copy and to download', async () => {
    await open();
    await code().getByText('"$schema": "https://json-schema.org/draft/2020-12/schema"').waitFor();
    await page.getByRole('button', { name: 'Zod' }).click();
    await code().getByText('export const Push = z.object({').waitFor();
    await page.getByRole('button', { name: 'TypeScript' }).click();
    await code().getByText('export type Push = {').waitFor();
    // The URL follows within 100 ms.
    await page.waitForURL(/as=typescript/);
    await page.reload();
    await code().getByText('export type Push = {').waitFor();
    const downloading = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download' }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toBe('push.ts');
    expect(await Bun.file(await download.path()).text()).toBe((await code().textContent()) ?? '');
    await page.getByRole('main').getByRole('button', { name: 'Copy' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
  });

  test('types are grouped by platform, the most frequent first, and changes come before the code', async () => {
    await page.goto(`${listUrl}/schemas`);
    await code().waitFor();
    const order = () =>
      page
        .getByRole('navigation', { name: 'Event types' })
        .locator('h2 > span:last-child, a > span:first-child')
        .allInnerTexts();
    await expectEventually(order).toEqual(['GitHub', 'push', hostileType, 'Unknown sender', 'No type']);
    expect(await page.locator('main .section h2').allInnerTexts()).toEqual(['Changes', 'push']);
  });

  test('changes link to the event that showed them', async () => {
    await open();
    const rows = page.getByRole('row');
    await rows.filter({ hasText: 'forced' }).getByText('New').waitFor();
    await rows.filter({ hasText: 'commits[].id' }).getByText('Type changed').waitFor();
    await page.getByRole('link', { name: 'showed the change in forced' }).locator('time').click();
    await page.getByRole('treeitem', { name: 'forced: true' }).waitFor();
  });

  test('what a sender chose is only text, and events without a type have a schema', async () => {
    await open();
    const types = page.getByRole('navigation', { name: 'Event types' });
    await types.getByText(hostileType).click();
    await code().getByText('</pre><script>alert(1)</script>').waitFor();
    await types.getByText('No type').click();
    await code().getByText('"type": "array"').waitFor();
    const { dialogs, violations, foreign, errors } = dashboard.problems;
    expect([dialogs, violations, foreign, errors]).toEqual([[], [], [], []]);
  });

  test('the page is accessible in both themes, and fits a phone', async () => {
    // Colours that are still changing have another contrast.
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await open();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await checkAccessibility();
    }
    await page.setViewportSize({ width: 360, height: 740 });
    await expectEventually(() =>
      page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
    ).toBeLessThanOrEqual(0);
    await checkAccessibility();
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  test('an endpoint without events says what will be here', async () => {
    const { listUrl } = await createEndpoint(page, 'Quiet');
    await page.goto(`${listUrl}/schemas`);
    await page.getByText('No schemas yet').waitFor();
    await checkAccessibility();
  });
});
