import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { eventually } from '../poll.ts';
import { browserTitle, hasNoBrowser } from './chromium.ts';
import { deliver, owner } from './dashboard.ts';
import { expectEventually } from './expect-eventually.ts';
import { type KeyboardPage, openKeyboardPage } from './keyboard-page.ts';

setDefaultTimeout(120_000);

/** More than the list loads without scrolling. */
const moreThanLoaded = 420;

describe.skipIf(hasNoBrowser)(browserTitle('keyboard and links'), () => {
  let on: KeyboardPage;
  let page: Page;
  let listUrl: string;
  let orders: string[];
  let oldest: string;
  beforeAll(async () => {
    on = await openKeyboardPage(moreThanLoaded);
    ({ page, listUrl, orders, oldest } = on);
  });
  afterAll(() => on?.dashboard.close());
  beforeEach(() => on.reset());

  /** Quick changes of the URL reach the browser together, a little later. */
  const urlIsWritten = async (): Promise<void> => {
    const shown = (await page.locator('.event-row.selected a').getAttribute('href')) ?? '';
    await page.waitForURL(url => url.pathname + url.search === shown);
  };

  describe('links', () => {
    test('tab and filter are in the URL; back, forward and reload keep them; the next event keeps the tab', async () => {
      await page.goto(`${listUrl}?where=${encodeURIComponent('type:charge.*')}`);
      await on.openRow('charge.refunded');
      await on.press('4');
      await on.hasState('tab', 'signature');
      const first = page.url();
      await on.press('j');
      await page.waitForURL(url => url.href !== first && url.searchParams.get('tab') === 'signature');
      const second = page.url();
      expect(new URL(second).searchParams.get('where')).toBe('type:charge.*');
      await on.press('2');
      await on.hasState('tab', 'headers');
      await page.goBack();
      await on.hasTab(/Signature/);
      expect(page.url()).toBe(second);
      await page.goForward();
      await on.hasTab(/Headers/);
      await page.reload();
      await on.hasTab(/Headers/);
      await on.openRow('charge.refunded');
      await on.press('1');
      await on.hasState('tab', null);
    });

    test('view of the body, text to find and selection survive moving, back and reload', async () => {
      await page.getByRole('button', { name: 'Raw', exact: true }).click();
      await on.hasState('view', 'text');
      await on.press('x', 'j', 'x');
      await page.waitForURL(url => url.searchParams.get('picked')?.split('.').length === 2);
      await on.press('f');
      await on.focusIs('.find-bar input');
      await page.keyboard.type('order');
      await on.hasState('find', 'order');
      await page.keyboard.press('Escape');
      await on.press('j');
      const hasAll = async (): Promise<void> => {
        await page.getByRole('button', { name: 'Raw', exact: true, pressed: true }).waitFor();
        await page.waitForFunction(() => document.querySelectorAll('.event-row input:checked').length === 2);
      };
      await hasAll();
      await urlIsWritten();
      const link = page.url();
      await page.locator('.event-row').nth(5).locator('a.event-link').click();
      await page.waitForURL(url => url.href !== link);
      await hasAll();
      await page.goBack();
      await page.waitForURL(link);
      await page.reload();
      await hasAll();
    });

    test('a held key moves on, and the URL has the last event in the end', async () => {
      await page.evaluate(async () => {
        for (let count = 0; count < 60; count++) {
          dispatchEvent(new KeyboardEvent('keydown', { key: 'j', repeat: count > 0 }));
          await new Promise(requestAnimationFrame);
        }
      });
      await urlIsWritten();
    });

    test('a link that is opened signed out leads to the same place after signing in', async () => {
      const link = `${listUrl}/events/${orders[7]}?where=order&tab=headers&view=hex&find=a%26b&picked=${orders[3]}.${orders[7]}`;
      const other = await on.dashboard.open();
      await other.goto(link);
      await other.getByLabel('Email').fill(owner.email);
      await other.getByLabel('Password').fill(owner.password);
      await other.getByRole('button', { name: 'Sign in' }).click();
      await on.hasTab(/Headers/, other);
      expect(other.url()).toBe(link);
      await other.context().close();
    });

    test('a copied link opens what was open', async () => {
      await on.press('j', '4', 'l');
      await page.getByText('Link copied.').waitFor();
      await expectEventually(() => page.evaluate(() => navigator.clipboard.readText())).toBe(page.url());
      expect(page.url()).toContain('tab=signature');
    });

    test('a removed event says so, and hostile parameters do nothing', async () => {
      const gone = await deliver(on.address, '{"gone":true}');
      expect(await on.callApi('DELETE', `/api/events/${gone}`)).toBe(200);
      await page.goto(
        `${listUrl}/events/${gone}?tab=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E&view=__proto__&picked=..%2F..`,
      );
      await page.getByRole('heading', { name: 'Event not found' }).waitFor();
      await page.getByRole('link', { name: 'Show other events' }).click();
      await page.locator('.event-row.selected').waitFor();
      await on.hasTab(/Body/);
      await page.goto(`${listUrl}?picked=300-abc`);
      await page.getByText('This link was made with 300 selected events').waitFor();
    });
  });

  describe('keys', () => {
    test('arrows, Home and End move in the list and take the focus along; Enter and Escape go to and fro', async () => {
      await on.press('ArrowDown');
      await on.focusIs('.event-row.selected .event-link');
      await on.openRow('charge.refunded');
      await on.press('ArrowDown', 'ArrowDown', 'ArrowUp');
      await on.openRow('charge.refunded');
      await on.press('End');
      await on.openRow('"order"');
      await on.focusIs('.event-row.selected .event-link');
      await on.press('Home');
      await on.openRow('invoice.paid');
      await on.focusIs('.event-row.selected .event-link');
      await on.press('Enter');
      await on.focusIs('#event');
      await on.press('Escape');
      await on.focusIs('.event-row.selected .event-link');
      await on.press('/');
      await on.focusIs('.search input');
      await page.keyboard.type('jkrnx');
      await expectEventually(() => page.getByRole('dialog').count()).toBe(0);
      await page.keyboard.press('Control+a');
      await page.keyboard.press('Backspace');
      await on.press('Escape');
      await on.focusIs('.event-link');
    });

    test('Escape from a search that was just cleared focuses the list as soon as it has rows again', async () => {
      const pressed = Promise.withResolvers<void>();
      await on.press('/');
      await page.keyboard.type('ulul');
      await on.hasState('where', 'ulul');
      await page.locator('.event-row').first().waitFor({ state: 'detached' });
      await page.route('**/api/events?*', async route => {
        await pressed.promise;
        await route.continue();
      });
      await on.press('Control+a', 'Backspace', 'Escape');
      pressed.resolve();
      await on.focusIs('.event-row.selected .event-link');
      await page.unrouteAll({ behavior: 'wait' });
    });

    test('G loads more and more, g goes back to the newest', async () => {
      const last = orders[0] ?? '';
      // Each time it goes to the last row that is loaded, and a further page is loaded meanwhile.
      await eventually(async () => {
        await on.press('G');
        return page.url().includes(oldest);
      }, 120_000);
      await on.press('k');
      await page.waitForURL(`**/${last}`);
      await on.press('g');
      await on.openRow('invoice.paid');
    });

    test('n and N go to events with an invalid signature, also beyond the loaded rows', async () => {
      await on.press('n');
      await on.openRow('charge.refunded');
      await page.getByText('Invalid').first().waitFor();
      const near = page.url();
      await on.press('n');
      await page.waitForURL(`**/events/${oldest}`);
      await on.press('n');
      await page.getByText('No older event has an invalid signature.').waitFor();
      await on.press('N');
      await page.waitForURL(near);
    });

    test('on a small screen, arrows move the focus, Enter opens, and Escape goes back to the row', async () => {
      await page.setViewportSize({ width: 700, height: 800 });
      await page.goto(listUrl);
      await page.locator('.event-row').first().waitFor();
      await on.press('ArrowDown', 'ArrowDown');
      await on.focusIs('.event-row:nth-child(2) .event-link');
      expect(page.url()).toBe(listUrl);
      await on.press('Enter');
      await on.focusIs('#event');
      await page.waitForURL('**/events/*');
      await on.press('Escape');
      await on.focusIs('.event-row:nth-child(2) .event-link');
      expect(page.url()).toBe(listUrl);
    });
  });

  test('no dialog, policy violation, foreign request or script error occurred', () =>
    expect(on.dashboard.problems).toEqual({ dialogs: [], violations: [], foreign: [], errors: [] }));
});
