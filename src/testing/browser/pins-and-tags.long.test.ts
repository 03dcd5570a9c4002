import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { violations } from './accessibility.ts';
import { browserTitle, hasNoBrowser } from './chromium.ts';
import { type Dashboard, deliver, openDashboard, openEndpoint } from './dashboard.ts';
import { expectEventually } from './expect-eventually.ts';

setDefaultTimeout(120_000);

describe.skipIf(hasNoBrowser)(browserTitle('keeping events'), () => {
  let dashboard: Dashboard;
  let page: Page;
  let listUrl: string;
  let address: string;

  beforeAll(async () => {
    dashboard = await openDashboard();
    page = await dashboard.open();
    await dashboard.setUp(page);
  });
  afterAll(() => dashboard?.close());

  beforeEach(async () => {
    const events = [1, 2, 3].map(n => ({ body: `{"n":${n}}` }));
    ({ address, listUrl } = await openEndpoint(page, 'Shop', events));
    // The newest one.
    await page.getByRole('treeitem', { name: 'n: 3', exact: true }).waitFor();
  });
  const pin = async (): Promise<void> => {
    await page.keyboard.press('m');
    await dialog().getByLabel('Name').fill('golden');
    await page.keyboard.press('Enter');
    await dialog().waitFor({ state: 'detached' });
    await row(0).getByText('golden').waitFor();
  };

  const dialog = () => page.getByRole('dialog');
  const row = (at: number) => page.locator('.event-row').nth(at);
  const shot = async (name: string): Promise<void> => {
    const folder = Bun.env['KEEPING_SHOTS'];
    if (folder) await page.screenshot({ path: `${folder}/${name}.png` });
  };
  const checkAccessibility = async (within: string): Promise<void> => {
    expect(await violations(page, { within })).toEqual([]);
  };

  test('m pins the event with a name and a note, which row and detail show, also after a reload', async () => {
    await page.keyboard.press('m');
    await dialog().getByLabel('Name').fill('Golden one');
    await dialog().getByRole('button', { name: 'Pin', exact: true }).click();
    await dialog().getByText('must be 1 to 64').waitFor();
    await dialog().getByLabel('Name').fill('golden');
    await dialog().getByLabel('Note').fill('the one that failed');
    await shot('pin-dialog');
    await checkAccessibility('dialog');
    await page.keyboard.press('Enter');
    await dialog().waitFor({ state: 'detached' });
    for (const isReloaded of [false, true]) {
      if (isReloaded) await page.reload();
      await row(0).getByText('golden').waitFor();
      await page.getByRole('button', { name: 'golden' }).waitFor();
      await page.getByText('the one that failed').waitFor();
    }
  });

  test('t adds tags in place, and each can be removed', async () => {
    await page.keyboard.press('t');
    for (const tag of ['checkout', 'slow']) {
      await page.keyboard.type(tag);
      await page.keyboard.press('Enter');
      await row(0).getByText(tag).waitFor();
    }
    await page.keyboard.press('Escape');
    await shot('marked');
    await checkAccessibility('html');
    await page.getByRole('button', { name: 'Remove the tag checkout' }).click();
    await row(0).getByText('checkout').waitFor({ state: 'detached' });
    await page.reload();
    await row(0).getByText('slow').waitFor();
    await expectEventually(() => row(0).getByText('checkout').count()).toBe(0);
  });

  test('the next tag can be typed while one is being saved', async () => {
    const held = Promise.withResolvers<void>();
    const path = '**/api/events/*/tags';
    await page.route(path, async route => {
      await held.promise;
      await route.continue();
    });
    await page.keyboard.press('t');
    for (const tag of ['first', 'second']) {
      await page.keyboard.type(tag);
      await page.keyboard.press('Enter');
    }
    await page.keyboard.type('third');
    held.resolve();
    for (const tag of ['first', 'second']) {
      const remove = page.getByRole('button', { name: `Remove the tag ${tag}` });
      await remove.waitFor();
    }
    await expectEventually(() => page.getByLabel('Add a tag').inputValue()).toBe('third');
    await page.unroute(path);
    await page.getByLabel('Add a tag').fill('');
  });

  test('another window shows tags and deletions without a reload, and keeps the event that it has open', async () => {
    const other = await page.context().newPage();
    await other.goto(listUrl);
    const rows = other.locator('.event-row');
    await rows.nth(2).click();
    await other.getByRole('treeitem', { name: 'n: 1', exact: true }).waitFor();
    await page.bringToFront();
    await page.keyboard.press('t');
    await page.keyboard.type('shared');
    await page.keyboard.press('Enter');
    await rows.nth(0).getByText('shared').waitFor();
    await page.getByRole('button', { name: 'Remove the tag shared' }).click();
    await rows.nth(0).getByText('shared').waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');

    const id = await deliver(address, '{"n":"short-lived"}');
    await page.getByText('short-lived').waitFor();
    await rows.nth(3).waitFor();
    const headers = { 'content-type': 'application/json' };
    await other.evaluate(([path, init]) => fetch(path, init), [
      `/api/events/${id}`,
      { method: 'DELETE', headers },
    ] as const);
    await page.getByText('short-lived').waitFor({ state: 'detached' });
    await rows.nth(3).waitFor({ state: 'detached' });
    await other.getByRole('treeitem', { name: 'n: 1', exact: true }).waitFor();
    await other.close();
  });

  test('an event is deleted after a question, which says that it is pinned, and the next one is selected', async () => {
    await pin();
    await page.getByRole('button', { name: 'Delete event' }).click();
    await dialog().getByText('It is pinned as golden').waitFor();
    await shot('delete');
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Delete event' }).click();
    await dialog().getByRole('button', { name: 'Delete permanently' }).click();
    await page.getByRole('treeitem', { name: 'n: 2', exact: true }).waitFor();
    await expectEventually(() => page.locator('.event-row').count()).toBe(2);
    await page.reload();
    await page.locator('.event-row').first().waitFor();
    await expectEventually(() => page.locator('.event-row').count()).toBe(2);
  });

  test('the pin is removed in the same dialog', async () => {
    const button = page.locator('.event-marks').getByRole('button', { name: 'Pin', exact: true });
    await button.click();
    await dialog().getByRole('button', { name: 'Pin', exact: true }).click();
    await page.getByRole('button', { name: 'Pinned', exact: true }).click();
    await dialog().getByRole('button', { name: 'Unpin' }).click();
    await button.waitFor();
    await row(0).getByText('Pinned').waitFor({ state: 'detached' });
  });

  test('retention is set in the settings after a question, and a wrong one is explained', async () => {
    await page.goto(`${listUrl}/settings/data`);
    const section = page.locator('section', { has: page.getByRole('heading', { name: 'Retention' }) });
    const save = async (text: string): Promise<void> => {
      await section.getByLabel('Retention').fill(text);
      await section.getByRole('button', { name: 'Save' }).click();
      if (text)
        await dialog()
          .getByRole('button', { name: `Keep for ${text}` })
          .click();
    };
    await save('soon');
    await section.getByText('must be a duration').waitFor();
    await save('12h');
    await page.getByText('Retention saved.').waitFor();
    await shot('retention');
    await page.reload();
    await expectEventually(() => section.getByLabel('Retention').inputValue()).toBe('12h');
    await save('');
    await page.getByText('Retention saved.').waitFor();
    await page.reload();
    await expectEventually(() => section.getByLabel('Retention').inputValue()).toBe('');
  });

  test('an endpoint with pins is deleted only after the question whether they go, too', async () => {
    await pin();
    await page.goto(`${listUrl}/settings/delete`);
    await page.getByRole('button', { name: 'Delete endpoint' }).click();
    const name = (await dialog().getByText('to confirm').textContent())?.split(/[“”]/)[1] ?? '';
    await dialog().getByLabel('to confirm').fill(name);
    const confirm = dialog().getByRole('button', { name: 'Delete permanently' });
    await confirm.click();
    await dialog().getByText('This endpoint has pinned events').waitFor();
    await shot('delete-endpoint');
    await expectEventually(() => confirm.isDisabled()).toBe(true);
    await dialog().getByLabel('Delete the pinned events too').check();
    await confirm.click();
    await page.getByText('was deleted').waitFor();
  });

  test('nothing unusual happened', () => {
    expect(dashboard.problems).toEqual({ dialogs: [], violations: [], foreign: [], errors: [] });
  });
});
