import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { violations } from './accessibility.ts';
import { browserTitle, hasNoBrowser } from './chromium.ts';
import { expectEventually } from './expect-eventually.ts';
import { type KeyboardPage, openKeyboardPage } from './keyboard-page.ts';

setDefaultTimeout(120_000);

describe.skipIf(hasNoBrowser)(browserTitle('command palette and help'), () => {
  let on: KeyboardPage;
  let page: Page;
  let oldest: string;
  beforeAll(async () => {
    on = await openKeyboardPage(20);
    ({ page, oldest } = on);
  });
  afterAll(() => on?.dashboard.close());
  beforeEach(() => on.reset());

  test('finds and runs a command, and the focus returns', async () => {
    await on.press('ArrowDown');
    await on.openPalette('newest');
    await on.options().first().waitFor();
    await expectEventually(() => on.options().first().textContent()).toContain('Newest event');
    await expectEventually(() => on.palette().getByRole('combobox').getAttribute('aria-activedescendant')).toBe(
      await on.options().first().getAttribute('id'),
    );
    await on.press('Enter');
    await on.noDialog();
    await on.openRow('invoice.paid');
    // The open event adds its commands to the palette once it is loaded.
    await page.locator('.event-marks').waitFor();
    await on.press('Control+k');
    await expectEventually(() => on.options().first().textContent()).toContain('Newest event');
    await on.press('ArrowDown', 'ArrowUp', 'ArrowUp');
    await on.options().last().and(page.locator('[aria-selected="true"]')).waitFor();
    await on.press('Escape');
    await on.noDialog();
    await on.focusIs('.event-link');
  });

  test('works while typing, switches the theme, and opens pages with the focus on them', async () => {
    await on.press('/');
    await on.openPalette('theme dark');
    await on.press('Enter');
    await on.noDialog();
    await page.locator(':root[data-theme="dark"]').waitFor();
    await on.openPalette('theme system');
    await on.press('Enter');
    await on.noDialog();
    await on.openPalette('settings keys');
    await on.press('Enter');
    await page.waitForURL('**/app/settings/keys');
    await on.focusIs('#main');
    await on.openPalette('all endpoints');
    await on.press('Enter');
    await page.waitForURL('**/app');
  });

  test('finds endpoints whose names are hostile, and shows them as text', async () => {
    await on.openPalette('zahlungen');
    await on.options().first().waitFor();
    await expectEventually(() => on.options().first().textContent()).toContain('<img src=x onerror=alert(1)>');
    await on.press('Enter');
    await page.getByRole('heading', { name: 'is ready' }).waitFor();
  });

  test('finds events: loaded ones by type, others by id, pin and filter from the server', async () => {
    await on.openPalette('invoice.paid');
    await on.options().filter({ hasText: 'invoice.paid' }).first().waitFor();
    for (const text of [
      oldest,
      'first-refund',
      '@first-refund',
      'type:charge.refunded -verdict:valid body.data.object.amount<2',
    ]) {
      await on.palette().getByRole('combobox').fill(text);
      await on.options().filter({ hasText: '@first-refund · charge.refunded' }).waitFor();
    }
    await on.press('Enter');
    await page.waitForURL(`**/events/${oldest}*`);
    // With letters that no id has, since an event would be found by its id.
    await on.openPalette('ulul');
    await on.options().filter({ hasText: 'Search events for “ulul”' }).waitFor();
    await on.press('Enter');
    await on.hasState('where', 'ulul');
  });

  test('palette and help have no accessibility violations, on a wide screen and dark on a phone', async () => {
    for (const [width, colorScheme] of [
      [1280, 'light'],
      [360, 'dark'],
    ] as const) {
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme });
      await on.press('Control+k');
      await on.options().first().waitFor();
      expect(await violations(page, { within: 'dialog' })).toEqual([]);
      await on.shot(`palette-${colorScheme}-${width}`);
      await on.press('Escape', '?');
      await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
      expect(await violations(page, { within: 'dialog' })).toEqual([]);
      await on.shot(`help-${colorScheme}-${width}`);
      await on.press('Escape');
      await on.noDialog();
      await on.shot(`inspector-${colorScheme}-${width}`);
    }
    await page.emulateMedia({ colorScheme: 'light' });
  });

  test('the help lists the keys that the documentation lists', async () => {
    await on.press('?');
    const shown = await page.getByRole('dialog').locator('dt kbd').allTextContents();
    const documented = await Bun.file(`${import.meta.dir}/../../../docs/keyboard.md`).text();
    const missing = shown.filter(key => !documented.includes(`\`${key}\``));
    expect(shown.length).toBeGreaterThan(20);
    expect(missing).toEqual([]);
  });

  test('no dialog, policy violation, foreign request or script error occurred', () =>
    expect(on.dashboard.problems).toEqual({ dialogs: [], violations: [], foreign: [], errors: [] }));
});
