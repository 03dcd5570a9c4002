/* The ways to sign in: the sign-in page, and the settings where they are added and removed. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { createClient } from '@libsql/client';
import jsQR from 'jsqr';
import { Secret, TOTP } from 'otpauth';
import type { Locator, Page } from 'playwright-core';
import { violationsInBothThemes } from './accessibility.ts';
import { browserTitle, hasNoBrowser } from './chromium.ts';
import { callApi, type Dashboard, openDashboard, owner } from './dashboard.ts';
import { expectEventually } from './expect-eventually.ts';
import { takeShots } from './shots.ts';

setDefaultTimeout(120_000);

const shots = 'HOOKTAPE_SIGN_IN_SHOTS';

/** What a camera reads from the screen. */
async function readQrCode(page: Page, code: Locator): Promise<string | undefined> {
  const picture = (await code.screenshot()).toString('base64');
  const { data, width, height } = await page.evaluate(async base64 => {
    const bytes = Uint8Array.from(atob(base64), character => character.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
    canvas?.drawImage(bitmap, 0, 0);
    const pixels = canvas?.getImageData(0, 0, bitmap.width, bitmap.height);
    return { data: [...(pixels?.data ?? [])], width: bitmap.width, height: bitmap.height };
  }, picture);
  return jsQR(Uint8ClampedArray.from(data), width, height)?.data;
}

describe.skipIf(hasNoBrowser)(browserTitle('signing in'), () => {
  let dashboard: Dashboard;
  let page: Page;

  beforeAll(async () => {
    dashboard = await openDashboard({}, {}, 'localhost');
    page = await dashboard.open();
    await dashboard.setUp(page);
  });
  afterAll(() => dashboard?.close());

  const settings = () => page.goto(`${dashboard.origin}/app/settings/sign-in`);
  const dialog = (name: string | RegExp) => page.getByRole('dialog', { name });
  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' });
  const row = (name: string) => page.getByRole('main').getByRole('listitem').filter({ hasText: name });
  const focused = () => page.evaluate(() => document.activeElement?.textContent ?? '');

  /** As after ten minutes. */
  const letSignInAge = () =>
    dashboard.whileStopped(async dataDir => {
      const database = createClient({ url: `file:${dataDir}/hooktape.db` });
      await database.execute('UPDATE sessions SET signed_in_at = signed_in_at - 601000');
      database.close();
    });

  test('one-time codes are turned on with the QR code, and off with a recovery code, by keys alone', async () => {
    await settings();
    await row('One-time codes').getByText('Off.').waitFor();
    expect(await violationsInBothThemes(page)).toEqual([]);
    await takeShots(page, shots, 'settings');
    await button('Turn on…').focus();
    await page.keyboard.press('Enter');
    const secretText = dialog('Turn on one-time codes').locator('code');
    await expectEventually(() => secretText.textContent()).toMatch(/^([A-Z2-7]{4} ){7}[A-Z2-7]{4}$/);
    const secret = ((await secretText.textContent()) ?? '').replaceAll(' ', '');
    const code = page.getByRole('img', { name: 'QR code for an authenticator app' });
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      const read = new URL((await readQrCode(page, code)) ?? '');
      expect([read.protocol, read.searchParams.get('secret')]).toEqual(['otpauth:', secret]);
    }
    expect(await violationsInBothThemes(page)).toEqual([]);
    await takeShots(page, shots, 'codes-on');
    await page.keyboard.type('000000');
    await page.keyboard.press('Enter');
    await dialog('Turn on one-time codes').getByText('Is wrong.').waitFor();
    await page
      .getByRole('textbox', { name: 'One-time code' })
      .fill(new TOTP({ secret: Secret.fromBase32(secret) }).generate());
    await page.keyboard.press('Enter');
    const saved = dialog('Save your recovery codes');
    const codes = saved.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem');
    await expectEventually(() => codes.count()).toBe(10);
    expect(await violationsInBothThemes(page)).toEqual([]);
    await takeShots(page, shots, 'recovery-codes');
    const recoveryCodes = await codes.allTextContents();
    const downloaded = page.waitForEvent('download');
    await saved.getByRole('button', { name: 'Download' }).click();
    const file = await Bun.file(await (await downloaded).path()).text();
    for (const one of [...recoveryCodes, owner.email, dashboard.origin]) expect(file).toContain(one);
    await page.emulateMedia({ media: 'print' });
    expect(await page.locator('.shell').isVisible()).toBe(false);
    expect(await codes.first().isVisible()).toBe(true);
    await page.emulateMedia({ media: 'screen' });
    await page.mouse.click(5, 400);
    await saved.getByRole('button', { name: 'I saved them' }).focus();
    await page.keyboard.press('Enter');
    await row('One-time codes').getByText('On.').waitFor();
    await expectEventually(focused).toBe('Turn off…');
    await page.keyboard.press('Enter');
    await dialog('Turn off one-time codes?').waitFor();
    expect(await violationsInBothThemes(page)).toEqual([]);
    await page.keyboard.type(recoveryCodes[0] ?? '');
    await page.keyboard.press('Enter');
    await row('One-time codes').getByText('Off.').waitFor();
    expect(await page.content()).not.toContain(recoveryCodes[1] ?? '');
  });

  test('after ten minutes one dialog asks for the password and the code, and continues what was begun', async () => {
    const { secret } = await callApi<{ secret: string }>(page, 'POST', '/api/me/totp', {});
    const generator = new TOTP({ secret: Secret.fromBase32(secret) });
    const { recoveryCodes } = await callApi<{ recoveryCodes: string[] }>(page, 'POST', '/api/me/totp/confirm', {
      code: generator.generate(),
    });
    await letSignInAge();
    await settings();
    await button('Turn off…').click();
    await page.getByRole('textbox', { name: 'One-time code' }).fill(recoveryCodes[0] ?? '');
    await page.keyboard.press('Enter');
    const again = dialog('Sign in again');
    await again.waitFor();
    expect(await violationsInBothThemes(page)).toEqual([]);
    await takeShots(page, shots, 'again');
    await page.keyboard.type('not the password');
    await page.keyboard.press('Enter');
    await again.getByText('Wrong email or password.').waitFor();
    await again.getByLabel('Password').fill(owner.password);
    await page.keyboard.press('Enter');
    await again.getByRole('textbox', { name: 'One-time code' }).waitFor();
    await page.keyboard.type(recoveryCodes[1] ?? '');
    await page.keyboard.press('Enter');
    await row('One-time codes').getByText('Off.').waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  test('when the dialog is closed, nothing changes and the page says why', async () => {
    await letSignInAge();
    await settings();
    await button('Turn on…').click();
    await dialog('Sign in again').waitFor();
    await page.keyboard.press('Escape');
    await dialog('Turn on one-time codes').getByText('Sign in again to do this').waitFor();
    await page.keyboard.press('Escape');
    await row('One-time codes').getByText('Off.').waitFor();
    expect(new URL(page.url()).search).toBe('');
  });

  test('no dialog, policy violation, foreign request or script error occurred', () =>
    expect(dashboard.problems).toEqual({ dialogs: [], violations: [], foreign: [], errors: [] }));
});
