import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { browserTitle, hasNoBrowser } from './chromium.ts';
import { type Dashboard, deliver, openDashboard, owner, shownAddress } from './dashboard.ts';

setDefaultTimeout(60_000);

const secret = 'whsec_keyboard_only';
/** More than the list loads without scrolling. */
const orders = 420;
const hostileName = '<img src=x onerror=alert(1)> Zahlungen';

async function violationsOn(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    type Found = { id: string; nodes: { target: string[] }[] };
    const { axe } = window as unknown as { axe: { run: (within: string) => Promise<{ violations: Found[] }> } };
    return (await axe.run('dialog')).violations.map(({ id, nodes }) => `${id} ${nodes.map(({ target }) => target)}`);
  });
}

describe.skipIf(hasNoBrowser)(browserTitle('keyboard and links'), () => {
  let dashboard: Dashboard;
  let page: Page;
  let address: string;
  let listUrl: string;
  let firstBad: string;
  const ids: string[] = [];

  const sendStripe = (type: string, n: number, signedWith = secret): Promise<string> => {
    const body = `{"id":"evt_${n}","object":"event","type":"${type}","data":{"object":{"id":"re_${n}","amount":${n}}}}`;
    const at = Math.floor(Date.now() / 1000);
    const v1 = createHmac('sha256', signedWith).update(`${at}.${body}`).digest('hex');
    return deliver(address, body, {
      headers: { 'content-type': 'application/json', 'stripe-signature': `t=${at},v1=${v1}` },
    });
  };
  const callApi = (method: string, path: string, body?: unknown): Promise<number> =>
    page.evaluate(
      async ([method, path, body]) => {
        const json = body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body };
        return (await fetch(path, { method, ...json })).status;
      },
      [method, path, body === undefined ? undefined : JSON.stringify(body)] as const,
    );

  beforeAll(async () => {
    dashboard = await openDashboard();
    page = await dashboard.open({ permissions: ['clipboard-read', 'clipboard-write'] });
    await dashboard.setUp(page);
    address = await shownAddress(page);
    listUrl = page.url();
    const endpoint = `/api/endpoints/${listUrl.split('/').at(-1)}`;
    expect(await callApi('POST', `${endpoint}/secrets`, { platform: 'stripe', secret })).toBe(201);
    expect(await callApi('POST', '/api/endpoints', { name: hostileName })).toBe(201);
    firstBad = await sendStripe('charge.refunded', 1, 'whsec_of_another_webhook');
    await callApi('PUT', `/api/events/${firstBad}/pin`, { name: 'first-refund', note: null });
    for (let n = 0; n < orders; n++) ids.push(await deliver(address, `{"order":${n}}`));
    await sendStripe('charge.refunded', 2);
    await sendStripe('charge.refunded', 3, 'whsec_of_another_webhook');
    await sendStripe('invoice.paid', 4);
  });
  afterAll(() => dashboard?.close());
  beforeEach(async () => {
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(listUrl);
    await page.locator('.event-row.selected').waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
  });

  const press = async (...keys: string[]): Promise<void> => {
    for (const key of keys) await page.keyboard.press(key);
  };
  const shot = async (name: string): Promise<void> => {
    const folder = Bun.env['KEYBOARD_SHOTS'];
    if (folder) await page.screenshot({ path: `${folder}/${name}.png`, animations: 'disabled' });
  };
  /** The open event's URL has this in its query; the rest of it is as usual. */
  const hasState = (name: string, value: string | null, on = page): Promise<void> =>
    on.waitForURL(url => url.searchParams.get(name) === value);
  const selectedTab = (on = page) => on.getByRole('tab', { selected: true });
  const hasTab = (name: RegExp, on = page): Promise<void> => selectedTab(on).filter({ hasText: name }).waitFor();
  const openRow = (text: string) => page.locator('.event-row.selected', { hasText: text }).waitFor();
  const focusIs = async (selector: string): Promise<void> => {
    await page.waitForFunction(wanted => document.activeElement?.matches(wanted) === true, selector);
  };
  const palette = () => page.getByRole('dialog', { name: 'Command palette' });
  const options = () => palette().getByRole('option');
  const openPalette = async (text: string): Promise<void> => {
    await press('Control+k');
    await palette().getByRole('combobox').fill(text);
  };
  const noDialog = () => page.getByRole('dialog').waitFor({ state: 'detached' });

  describe('links', () => {
    test('tab and filter are in the URL; back, forward and reload keep them; the next event keeps the tab', async () => {
      await page.goto(`${listUrl}?where=${encodeURIComponent('type:charge.*')}`);
      await openRow('charge.refunded');
      await press('4');
      await hasState('tab', 'signature');
      const first = page.url();
      await press('j');
      await page.waitForURL(url => url.href !== first && url.searchParams.get('tab') === 'signature');
      const second = page.url();
      expect(new URL(second).searchParams.get('where')).toBe('type:charge.*');
      await press('2');
      await hasState('tab', 'headers');
      await page.goBack();
      await hasTab(/Signature/);
      expect(page.url()).toBe(second);
      await page.goForward();
      await hasTab(/Headers/);
      await page.reload();
      await hasTab(/Headers/);
      await openRow('charge.refunded');
      await press('1');
      await hasState('tab', null);
    });

    test('a held key moves on, and the URL has the last event in the end', async () => {
      await page.evaluate(async () => {
        for (let count = 0; count < 60; count++) {
          dispatchEvent(new KeyboardEvent('keydown', { key: 'j', repeat: count > 0 }));
          await new Promise(requestAnimationFrame);
        }
      });
      const shown = (await page.locator('.event-row.selected a').getAttribute('href')) ?? '';
      await page.waitForURL(url => url.pathname + url.search === shown);
    });

    test('a link that is opened signed out leads to the same place after signing in', async () => {
      const link = `${listUrl}/events/${ids[7]}?where=order&tab=headers&view=hex&find=a%26b&picked=${ids[3]}.${ids[7]}`;
      const other = await dashboard.open();
      await other.goto(link);
      await other.getByLabel('Email').fill(owner.email);
      await other.getByLabel('Password').fill(owner.password);
      await other.getByRole('button', { name: 'Sign in' }).click();
      await hasTab(/Headers/, other);
      expect(other.url()).toBe(link);
      await other.context().close();
    });

    test('a copied link opens what was open', async () => {
      await press('j', '3', 'l');
      await page.getByText('Link copied.').waitFor();
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(page.url());
      expect(page.url()).toContain('tab=query');
    });

    test('a removed event says so, and hostile parameters do nothing', async () => {
      const gone = await deliver(address, '{"gone":true}');
      expect(await callApi('DELETE', `/api/events/${gone}`)).toBe(200);
      await page.goto(
        `${listUrl}/events/${gone}?tab=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E&view=__proto__&picked=..%2F..`,
      );
      await page.getByRole('heading', { name: 'Event not found' }).waitFor();
      await page.getByRole('link', { name: 'Show the other events' }).click();
      await page.locator('.event-row.selected').waitFor();
      await hasTab(/Body/);
      await page.goto(`${listUrl}?picked=300-abc`);
      await page.getByText('This link was made with 300 selected events').waitFor();
    });
  });

  describe('keys', () => {
    test('arrows, Home and End move in the list and take the focus along; Enter and Escape go to and fro', async () => {
      await press('ArrowDown');
      await focusIs('.event-row.selected .event-link');
      await openRow('charge.refunded');
      await press('ArrowDown', 'ArrowDown', 'ArrowUp');
      await openRow('charge.refunded');
      await press('End');
      await openRow('"order"');
      await focusIs('.event-row.selected .event-link');
      await press('Home');
      await openRow('invoice.paid');
      await focusIs('.event-row.selected .event-link');
      await press('Enter');
      await focusIs('#event');
      await press('Escape');
      await focusIs('.event-row.selected .event-link');
      await press('/');
      await focusIs('.search input');
      await page.keyboard.type('jkrnx');
      expect(await page.getByRole('dialog').count()).toBe(0);
      await page.keyboard.press('Control+a');
      await page.keyboard.press('Backspace');
      await press('Escape');
      await focusIs('.event-link');
    });

    test('G loads more and more, g goes back to the newest', async () => {
      const last = ids[0] ?? '';
      for (let n = 0; n < 20 && !page.url().includes(firstBad); n++) {
        const loaded = page.waitForResponse(response => response.url().includes('cursor='), { timeout: 1000 });
        await press('G');
        await loaded.catch(() => undefined);
      }
      expect(page.url()).toContain(firstBad);
      await press('k');
      await page.waitForURL(`**/${last}`);
      await press('g');
      await openRow('invoice.paid');
    });

    test('n and N go to events with an invalid signature, also beyond the loaded rows', async () => {
      await press('n');
      await openRow('charge.refunded');
      await page.getByText('Invalid').first().waitFor();
      const near = page.url();
      await press('n');
      await page.waitForURL(`**/events/${firstBad}`);
      await press('n');
      await page.getByText('No older event has an invalid signature.').waitFor();
      await press('N');
      await page.waitForURL(near);
    });

    test('on a small screen, arrows move the focus, Enter opens, and Escape goes back to the row', async () => {
      await page.setViewportSize({ width: 700, height: 800 });
      await page.goto(listUrl);
      await page.locator('.event-row').first().waitFor();
      await press('ArrowDown', 'ArrowDown');
      await focusIs('.event-row:nth-child(2) .event-link');
      expect(page.url()).toBe(listUrl);
      await press('Enter');
      await focusIs('#event');
      await page.waitForURL('**/events/*');
      await press('Escape');
      await focusIs('.event-row:nth-child(2) .event-link');
      expect(page.url()).toBe(listUrl);
    });
  });

  describe('the command palette', () => {
    test('finds and runs a command, and the focus returns', async () => {
      await press('ArrowDown');
      await openPalette('newest');
      await options().first().waitFor();
      expect(await options().first().textContent()).toContain('Newest event');
      expect(await palette().getByRole('combobox').getAttribute('aria-activedescendant')).toBe(
        await options().first().getAttribute('id'),
      );
      await press('Enter');
      await noDialog();
      await openRow('invoice.paid');
      await press('Control+k');
      expect(await options().first().textContent()).toContain('Newest event');
      await press('ArrowDown', 'ArrowUp', 'ArrowUp');
      expect(await options().last().getAttribute('aria-selected')).toBe('true');
      await press('Escape');
      await noDialog();
      await focusIs('.event-link');
    });

    test('works while typing, switches the theme, and opens pages with the focus on them', async () => {
      await press('/');
      await openPalette('theme dark');
      await press('Enter');
      await noDialog();
      await page.locator(':root[data-theme="dark"]').waitFor();
      await openPalette('theme system');
      await press('Enter');
      await openPalette('settings keys');
      await press('Enter');
      await page.waitForURL('**/app/settings/keys');
      await focusIs('#main');
      await openPalette('all endpoints');
      await press('Enter');
      await page.waitForURL('**/app');
    });

    test('finds endpoints whose names are hostile, and shows them as text', async () => {
      await openPalette('zahlungen');
      await options().first().waitFor();
      expect(await options().first().textContent()).toContain('<img src=x onerror=alert(1)>');
      await press('Enter');
      await page.getByRole('heading', { name: 'is ready' }).waitFor();
    });

    test('finds events: loaded ones by type, others by id, pin and filter from the server', async () => {
      await openPalette('invoice.paid');
      await options().filter({ hasText: 'invoice.paid' }).first().waitFor();
      for (const text of [
        firstBad,
        'first-refund',
        '@first-refund',
        'type:charge.refunded -verdict:valid body.data.object.amount<2',
      ]) {
        await palette().getByRole('combobox').fill(text);
        await options().filter({ hasText: '@first-refund' }).waitFor();
      }
      await press('Enter');
      await page.waitForURL(`**/events/${firstBad}*`);
      await openPalette('qqqq');
      await options().filter({ hasText: 'Search events for “qqqq”' }).waitFor();
      await press('Enter');
      await hasState('where', 'qqqq');
    });

    test('palette and help have no accessibility violations, in both themes and on a phone', async () => {
      for (const [width, colorScheme] of [
        [1280, 'light'],
        [1280, 'dark'],
        [360, 'dark'],
      ] as const) {
        await page.setViewportSize({ width, height: 800 });
        await page.emulateMedia({ colorScheme });
        await press('Control+k');
        await options().first().waitFor();
        expect(await violationsOn(page)).toEqual([]);
        await shot(`palette-${colorScheme}-${width}`);
        await press('Escape', '?');
        await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
        expect(await violationsOn(page)).toEqual([]);
        await shot(`help-${colorScheme}-${width}`);
        await press('Escape');
        await noDialog();
        await shot(`inspector-${colorScheme}-${width}`);
      }
      await page.emulateMedia({ colorScheme: 'light' });
    });

    test('the help lists the keys that the documentation lists', async () => {
      await press('?');
      const shown = await page.getByRole('dialog').locator('dt kbd').allTextContents();
      const documented = await Bun.file(`${import.meta.dir}/../../../docs/keyboard.md`).text();
      const missing = shown.filter(key => !documented.includes(`\`${key}\``));
      expect(shown.length).toBeGreaterThan(20);
      expect(missing).toEqual([]);
    });
  });

  test('no dialog, policy violation, foreign request or script error occurred', () =>
    expect(dashboard.problems).toEqual({ dialogs: [], violations: [], foreign: [], errors: [] }));
});
