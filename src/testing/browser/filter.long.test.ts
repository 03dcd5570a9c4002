import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { violationsInBothThemes } from './accessibility.ts';
import { browserTitle, hasNoBrowser } from './chromium.ts';
import { deliver } from './dashboard.ts';
import { expectEventually } from './expect-eventually.ts';
import { type FilterPage, openFilterPage } from './filter-page.ts';
import { xssPayloads } from './xss.ts';

setDefaultTimeout(120_000);

describe.skipIf(hasNoBrowser)(browserTitle('search box'), () => {
  let on: FilterPage;

  beforeAll(async () => {
    on = await openFilterPage();
  });
  afterAll(() => on?.dashboard.close());
  beforeEach(() => on.reset());

  const alert = () => on.page.getByRole('alert');

  test('fields and seen values are completed with the keyboard alone', async () => {
    await on.page.keyboard.press('/');
    await on.options().filter({ hasText: 'event type, as named by the platform' }).waitFor();
    await on.shot('fields');
    await on.checkAccessibility();
    await on.page.keyboard.type('pla');
    await on.page.keyboard.press('Tab');
    await expectEventually(() => on.box().inputValue()).toBe('platform:');
    await on.page.getByRole('option', { name: 'platform:github' }).waitFor();
    await on.page.keyboard.press('ArrowDown');
    await on.page.getByRole('option', { name: 'platform:github', selected: true }).waitFor();
    await expectEventually(() => on.box().getAttribute('aria-activedescendant')).toBe(
      await on.options().and(on.page.locator('[aria-selected=true]')).getAttribute('id'),
    );
    await on.shot('values');
    await on.page.keyboard.press('Enter');
    await on.waitForFilter('platform:github');
    await on.waitForRows(6);
    await expectEventually(() => on.box().inputValue()).toBe('platform:github ');
    await expectEventually(() => on.chips().allTextContents()).toEqual(['platform:github']);
    await on.page.keyboard.type('header.shop');
    await on.options().filter({ hasText: 'header.x-shop-domain' }).waitFor();
    await on.page.keyboard.press('Tab');
    await on.options().filter({ hasText: 'other shop' }).waitFor();
    await on.page.keyboard.press('Tab');
    await on.waitForFilter('platform:github header.x-shop-domain:"other shop"');
    await on.waitForRows(2);
    await on.page.reload();
    await on.waitForRows(2);
    await expectEventually(() => on.box().inputValue()).toBe('platform:github header.x-shop-domain:"other shop"');
  });

  test('Enter searches for what is typed while something is suggested; Escape closes the list, then leaves the box', async () => {
    await on.page.keyboard.press('/');
    await on.page.keyboard.type('pus');
    await on.page.getByRole('option', { name: 'type:push' }).waitFor();
    await on.page.keyboard.press('Enter');
    await on.waitForFilter('pus');
    await on.waitForRows(6);
    await on.page.keyboard.type('h');
    await on.page.getByRole('option', { name: 'type:push' }).waitFor();
    await on.page.keyboard.press('Escape');
    await expectEventually(() => on.options().count()).toBe(0);
    await expectEventually(() => on.box().evaluate(element => element === document.activeElement)).toBe(true);
    await on.page.keyboard.press('Escape');
    await expectEventually(() => on.box().evaluate(element => element === document.activeElement)).toBe(false);
    await on.waitForFilter('push');
  });

  test('a wrong filter is marked where it is wrong, is not sent, and is corrected with a key or a click', async () => {
    await on.box().pressSequentially('acme tpye:push');
    await expectEventually(() => alert().count()).toBe(0);
    await on.page.keyboard.press('Enter');
    await alert().getByText('There is no field "tpye"').waitFor();
    await expectEventually(() => on.page.locator('.search-mirror mark').textContent()).toBe('tpye');
    await expectEventually(() => on.box().getAttribute('aria-invalid')).toBe('true');
    await on.shot('error');
    await on.checkAccessibility();
    expect(on.asked.filter(text => text.includes('tpye'))).toEqual([]);
    await on.page.keyboard.press('Enter');
    await on.waitForFilter('acme type:push');
    await expectEventually(() => alert().count()).toBe(0);
    await on.box().fill('siez>10');
    await on.page.getByRole('heading', { level: 2 }).first().click();
    await on.page.getByRole('button', { name: 'Use “size”' }).click();
    await on.waitForFilter('size>10');
    await on.box().fill('"n":7,');
    await on.page.keyboard.press('Enter');
    await on.page.getByRole('button', { name: 'Search for this text' }).click();
    await on.waitForFilter('"\\"n\\":7,"');
    await on.waitForRows(1);
  });

  test('a link with a wrong filter explains it and lists nothing', async () => {
    await on.page.goto(`${on.listUrl}?where=${encodeURIComponent('type:(')}`);
    await alert().waitFor();
    await expectEventually(() => on.page.locator('.event-row').count()).toBe(0);
    expect(on.asked).toEqual([]);
  });

  test('an unfinished term is not called wrong while it is typed, only when its author pauses', async () => {
    await on.box().pressSequentially('is:pinne');
    await on.page.keyboard.press('Escape');
    await expectEventually(() => alert().count()).toBe(0);
    await alert().getByText('is: takes one of').waitFor();
    await on.page.keyboard.type('d');
    await on.waitForFilter('is:pinned');
    await expectEventually(() => alert().count()).toBe(0);
    await on.page.getByText('Nothing found').waitFor();
  });

  test('back and forward move through the filters, and what is typed in one go is one step', async () => {
    await on.box().pressSequentially('type:push');
    await on.page.keyboard.press('Enter');
    await on.waitForFilter('type:push');
    await on.page.locator('.event-row.selected').waitFor();
    await on.box().fill('header.x-shop-domain:acme*');
    await on.page.keyboard.press('Enter');
    await on.waitForFilter('header.x-shop-domain:acme*');
    await on.waitForRows(8);
    await on.page.goBack();
    await on.waitForFilter('type:push');
    await on.waitForRows(6);
    await expectEventually(() => on.box().inputValue()).toBe('type:push');
    await on.page.goBack();
    await on.waitForRows(12);
    await expectEventually(() => on.box().inputValue()).toBe('');
    await on.page.goForward();
    await on.waitForFilter('type:push');
    await on.waitForRows(6);
  });

  test('a link of 1.0 with ?q= searches for the same text', async () => {
    await on.page.goto(`${on.listUrl}?q=${encodeURIComponent('"n":7,')}`);
    await on.waitForRows(1);
    await expectEventually(() => on.box().inputValue()).toBe('"\\"n\\":7,"');
  });

  test('the parts of a filter are removed one at a time, with the mouse and with the keyboard', async () => {
    await on.page.goto(
      `${on.listUrl}?where=${encodeURIComponent('type:push (n OR body.n:99) -body.n:2 received>=2026-01-01T00:00:00Z')}`,
    );
    await on.waitForRows(5);
    const texts = await on.chips().allTextContents();
    expect(texts.slice(0, 3)).toEqual(['type:push', '(n OR body.n:99)', '-body.n:2']);
    expect(texts[3]).toMatch(/^Received 1 Jan .*– now$/);
    await on.shot('chips');
    await on.page.getByRole('button', { name: 'Remove -body.n:2' }).click();
    await on.waitForFilter('type:push (n OR body.n:99) received>=2026-01-01T00:00:00Z');
    await on.waitForRows(6);
    await on.page.getByRole('button', { name: 'Remove type:push' }).focus();
    await on.page.keyboard.press('Delete');
    await on.waitForFilter('(n OR body.n:99) received>=2026-01-01T00:00:00Z');
    await on.page.keyboard.press('Backspace');
    await on.waitForFilter('received>=2026-01-01T00:00:00Z');
    await on.page.keyboard.press('Enter');
    await on.waitForFilter('');
    await expectEventually(() => on.box().evaluate(element => element === document.activeElement)).toBe(true);
    await on.page.goBack();
    await on.waitForFilter('received>=2026-01-01T00:00:00Z');
  });

  test('hostile values are suggested and shown as text', async () => {
    for (const text of xssPayloads.filter((_, at) => at % 4 === 0)) {
      const header = text
        .replace(/[^\x20-\x7e]/g, '')
        .trim()
        .slice(0, 150);
      await deliver(on.address, JSON.stringify({ [text]: text }), {
        headers: { 'content-type': 'application/json', 'x-github-event': header || 'x', 'x-evil': header || 'x' },
      });
    }
    await on.page.goto(`${on.listUrl}?where=${encodeURIComponent('has:header.x-evil')}`);
    await on.page.locator('.event-row.selected').waitFor();
    for (const text of ['type:', 'header.x-evil:', 'body.', 'has:body.', '<', 'alert']) {
      await on.box().fill(text);
      await on.options().first().waitFor();
      await expectEventually(() =>
        on.page.locator('.suggestions :is(img, script, svg, iframe, a, style)').count(),
      ).toBe(0);
    }
    await on.box().fill('type:<script>');
    await on.options().filter({ hasText: 'type:"<script' }).first().waitFor();
    await on.page.keyboard.press('ArrowDown');
    await on.page.keyboard.press('Enter');
    await on.page.waitForURL(url => url.searchParams.get('where')?.startsWith('type:"') ?? false);
    await on.page.locator('.event-row.selected').waitFor();
    await expectEventually(() => on.chips().count()).toBe(1);
  });

  test('on a narrow screen nothing is wider than the screen, in both themes and with everything open', async () => {
    await on.page.setViewportSize({ width: 360, height: 740 });
    const long = Array.from({ length: 40 }, (_, n) => `-body.a${n}:x`).join(' ');
    await on.page.goto(`${on.listUrl.replace(/\/events\/.*/, '')}?where=${encodeURIComponent(long)}`);
    await on.page.locator('.event-row').first().waitFor();
    expect((await on.page.locator('.event-list').boundingBox())?.height).toBeGreaterThan(300);
    for (const open of [
      () =>
        on
          .box()
          .focus()
          .then(() => on.page.keyboard.type(' ty')),
      () => on.page.getByRole('button', { name: /^Period/ }).click(),
    ]) {
      await open();
      await on.shot('narrow');
      await expectEventually(() =>
        on.page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
      ).toBeLessThanOrEqual(0);
      expect(await violationsInBothThemes(on.page)).toEqual([]);
      await on.page.keyboard.press('Escape');
    }
  });

  test('no dialog, policy violation, foreign request or script error occurred', () =>
    expect(on.dashboard.problems).toEqual({ dialogs: [], violations: [], foreign: [], errors: [] }));
});
