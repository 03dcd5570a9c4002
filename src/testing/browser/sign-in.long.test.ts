/* The ways to sign in: the sign-in page, and the settings where they are added and removed. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import { createClient } from '@libsql/client';
import jsQR from 'jsqr';
import { Secret, TOTP } from 'otpauth';
import type { Locator, Page } from 'playwright-core';
import { violationsInBothThemes } from './accessibility.ts';
import { browserTitle, hasNoBrowser } from './chromium.ts';
import { callApi, type Dashboard, openDashboard, owner, serverSecret } from './dashboard.ts';
import { expectEventually } from './expect-eventually.ts';
import { takeShots } from './shots.ts';

setDefaultTimeout(120_000);

const shots = 'HOOKTAPE_SIGN_IN_SHOTS';
const main = join(import.meta.dir, '../../main.ts');

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

/** Something that keeps passkeys, which belongs to one page. */
async function addAuthenticator(page: Page) {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('WebAuthn.enable', { enableUI: false });
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      ctap2Version: 'ctap2_1',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return {
    setIsPresent: (enabled: boolean) =>
      cdp.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled }),
  };
}

describe.skipIf(hasNoBrowser)(browserTitle('signing in'), () => {
  let dashboard: Dashboard;
  let page: Page;

  beforeAll(async () => {
    dashboard = await openDashboard({}, { hostName: 'localhost' });
    page = await dashboard.open();
    await dashboard.setUp(page);
  });
  afterAll(() => dashboard?.close());

  const settings = async (): Promise<void> => {
    await page.goto(`${dashboard.origin}/app/settings/sign-in`);
    await page.getByRole('heading', { name: 'Ways to sign in' }).waitFor();
  };
  const dialog = (name: string | RegExp) => page.getByRole('dialog', { name });
  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' });
  const row = (name: string) => page.getByRole('main').getByRole('listitem').filter({ hasText: name });
  const focused = () => page.evaluate(() => document.activeElement?.textContent ?? '');

  const signOut = async (): Promise<void> => {
    await button('Account menu').click();
    await page.getByRole('banner').getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor();
  };

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
    expect(await violationsInBothThemes(page, { within: 'dialog' })).toEqual([]);
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
    expect(await violationsInBothThemes(page, { within: 'dialog' })).toEqual([]);
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
    expect(await violationsInBothThemes(page, { within: 'dialog' })).toEqual([]);
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
    expect(await violationsInBothThemes(page, { within: 'dialog' })).toEqual([]);
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
    await expectEventually(async () => new URL(page.url()).search).toBe('');
  });

  test('a passkey is added, signs in by a button and from the suggestions of the email field, and is removed', async () => {
    const authenticator = await addAuthenticator(page);
    await settings();
    await button('Add a passkey').focus();
    await page.keyboard.press('Enter');
    await dialog('Add a passkey').waitFor();
    expect(await page.getByLabel('Name').inputValue()).toMatch(/^Chrome on /);
    expect(await violationsInBothThemes(page, { within: 'dialog' })).toEqual([]);
    await takeShots(page, shots, 'passkey-new');
    await page.keyboard.type('laptop');
    await page.keyboard.press('Enter');
    // The last sign-in was aged by the test before.
    await dialog('Sign in again').waitFor();
    await page.keyboard.type(owner.password);
    await page.keyboard.press('Enter');
    await row('laptop').getByText('never used').waitFor();
    await button('Rename the passkey laptop').click();
    await page.keyboard.type('Security key, office');
    await page.keyboard.press('Enter');
    await row('Security key, office').waitFor();
    expect(await violationsInBothThemes(page, { within: 'main' })).toEqual([]);
    await takeShots(page, shots, 'passkeys');

    await authenticator.setIsPresent(false);
    await signOut();
    expect(await violationsInBothThemes(page)).toEqual([]);
    await takeShots(page, shots, 'login-passkeys');
    await authenticator.setIsPresent(true);
    await button('Sign in with a passkey').click();
    await button('Account menu').waitFor();
    // Nothing is clicked: whoever is present has chosen the suggestion.
    await button('Account menu').click();
    const signedIn = page.waitForResponse(response => response.url().endsWith('/api/session/passkey'));
    await page.getByRole('banner').getByRole('button', { name: 'Sign out' }).click();
    expect((await signedIn).status()).toBe(201);
    await button('Account menu').waitFor();
    await settings();
    await row('Security key, office').getByText('last used today').waitFor();

    // A device gets no second one.
    await button('Add a passkey').click();
    await dialog('Add a passkey').getByRole('button', { name: 'Add' }).click();
    await page.getByText('This device already has a passkey for your account.').waitFor();
    await page.keyboard.press('Escape');
    await letSignInAge();
    await settings();
    await button('Remove the passkey Security key, office').click();
    await dialog('Remove Security key, office?').getByRole('button', { name: 'Remove' }).click();
    await dialog('Sign in again').getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByText('Security key, office was removed.').waitFor();
    await row('Security key, office').waitFor({ state: 'detached' });
    await expectEventually(focused).toBe('Add a passkey');
  });

  test("the operator's link signs in by one button", async () => {
    let link = '';
    await dashboard.whileStopped(async dataDir => {
      const command = Bun.spawn([process.execPath, main, 'account', 'sign-in-link', owner.email], {
        cwd: dataDir,
        env: {
          PATH: Bun.env['PATH'] ?? '',
          HOOKTAPE_DATA_DIR: dataDir,
          HOOKTAPE_BASE_URL: dashboard.origin,
          HOOKTAPE_SECRET: serverSecret,
        },
      });
      link = /https?:\S+/.exec(await new Response(command.stdout).text())?.[0] ?? '';
    });
    const visitor = await dashboard.open();
    await visitor.goto(link);
    await visitor.getByText(owner.email).waitFor();
    expect(await visitor.getByRole('button').allTextContents()).toEqual(['Sign in']);
    expect(await violationsInBothThemes(visitor)).toEqual([]);
    await takeShots(visitor, shots, 'link');
    await visitor.getByRole('button', { name: 'Sign in' }).click();
    await visitor.getByRole('heading', { name: 'Endpoints' }).waitFor();
    await visitor.context().close();
  });

  describe('with other ways configured', () => {
    const provider = { name: 'Acme SSO' };
    type Ways = { password: boolean; oidc: { name: string } | null; passkeys: boolean };
    /** Opens a page as if the server had these ways. */
    const open = async (path: string, ways: Ways | undefined, setupRequired = false): Promise<Page> => {
      const visitor = await dashboard.open();
      const json = { error: 'not signed in', setupRequired, ways };
      await visitor.route('**/api/session', route => route.fulfill({ status: 401, json }));
      await visitor.goto(dashboard.origin + path);
      return visitor;
    };
    const controls = (shown: Page) =>
      shown
        .getByRole('main')
        .locator('a, button, input')
        .evaluateAll(all => all.map(one => one.textContent || one.getAttribute('name')));

    test.each<[Ways | undefined, string[]]>([
      // From a proxy in front.
      [undefined, ['email', 'password', 'Sign in']],
      [{ password: true, oidc: null, passkeys: false }, ['email', 'password', 'Sign in']],
      [
        { password: true, oidc: provider, passkeys: true },
        ['Continue with Acme SSO', 'Sign in with a passkey', 'email', 'password', 'Sign in'],
      ],
      [{ password: false, oidc: provider, passkeys: true }, ['Continue with Acme SSO', 'Sign in with a passkey']],
      [{ password: false, oidc: null, passkeys: true }, ['Sign in with a passkey']],
      [{ password: false, oidc: null, passkeys: false }, []],
    ])('the sign-in page shows these and nothing else: %j', async (ways, shown) => {
      const visitor = await open('/app/endpoints/ep_1?tab=headers', ways);
      await visitor.getByText("Can't sign in?").waitFor();
      expect(await controls(visitor)).toEqual(shown);
      // Enter continues to the page that was asked for.
      const first = (ways?.password ?? true) || shown.length === 0 ? '' : shown[0];
      if (shown.length > 0)
        await expectEventually(() => visitor.evaluate(() => document.activeElement?.textContent)).toBe(first);
      if (ways?.oidc)
        expect(await visitor.getByRole('link', { name: 'Continue with Acme SSO' }).getAttribute('href')).toBe(
          '/login/oidc?return_to=%2Fapp%2Fendpoints%2Fep_1%3Ftab%3Dheaders',
        );
      // The others have a part of the first.
      if (shown.length === 5 || shown.length === 0) expect(await violationsInBothThemes(visitor)).toEqual([]);
      await takeShots(visitor, shots, `login-${shown.length}`);
      await visitor.context().close();
    });

    test('without passwords, setup and invitations ask for none', async () => {
      const sent: unknown[] = [];
      for (const [path, call, submit] of [
        ['/login?invitation=abc', '**/api/invitations/abc', 'Join'],
        ['/setup?token=abc', '**/api/setup', 'Create account'],
      ] as const) {
        const visitor = await open(
          '/login',
          { password: false, oidc: provider, passkeys: false },
          path.startsWith('/setup'),
        );
        await visitor.route(call, route => {
          if (route.request().method() === 'POST') sent.push(route.request().postDataJSON());
          const json = { error: 'noted', email: 'ada@example.com', teamOf: owner.email };
          return route.fulfill({ status: route.request().method() === 'POST' ? 400 : 200, json });
        });
        await visitor.goto(dashboard.origin + path);
        if (submit === 'Create account') await visitor.getByLabel('Email').fill('ada@example.com');
        await visitor.getByRole('button', { name: submit }).click();
        await visitor.getByText('Noted.').waitFor();
        expect(await violationsInBothThemes(visitor)).toEqual([]);
        await visitor.context().close();
      }
      expect(sent).toEqual([{}, { token: 'abc', email: 'ada@example.com' }]);
    });

    test('a provider is connected and disconnected; the last way to sign in is kept', async () => {
      const [session, me] = await Promise.all(
        ['session', 'me'].map(one => callApi<object>(page, 'GET', `/api/${one}`)),
      );
      const signIn = { password: false, oidc: true, passkeys: 0, totp: false };
      const ways = { password: false, oidc: provider, passkeys: false };
      await page.route('**/api/session', route => route.fulfill({ json: { ...session, ways } }));
      await page.route('**/api/me', route => route.fulfill({ json: { ...me, signIn } }));
      await page.route('**/api/me/oidc', route => {
        signIn.oidc = route.request().method() === 'POST';
        return route.fulfill({ json: { url: `${dashboard.origin}/app/settings/sign-in` } });
      });
      await settings();
      await row('Acme SSO').getByText('It is your only way to sign in').waitFor();
      expect(await button('Disconnect').isDisabled()).toBe(true);
      const names = await page.getByRole('main').locator('.rows strong').allTextContents();
      expect(names[0]).toBe('Acme SSO');
      await page.getByText("You can't add a passkey here.").waitFor();
      for (const hidden of ['Password', 'One-time codes']) expect(names).not.toContain(hidden);
      expect(await violationsInBothThemes(page)).toEqual([]);
      await takeShots(page, shots, 'settings-provider');
      Object.assign(signIn, { password: true });
      Object.assign(ways, { password: true });
      await settings();
      await button('Disconnect').click();
      await dialog('Disconnect Acme SSO?').getByRole('button', { name: 'Disconnect' }).click();
      await row('Acme SSO').getByText('Not connected').waitFor();
      await button('Connect').click();
      await row('Acme SSO').getByText('Connected', { exact: true }).waitFor();
      await page.unrouteAll();
    });
  });

  test('no dialog, policy violation, foreign request or script error occurred', () =>
    expect(dashboard.problems).toEqual({ dialogs: [], violations: [], foreign: [], errors: [] }));
});
