import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { isRemote } from '../remote/databases.ts';
import { violationsInBothThemes } from './accessibility.ts';
import { browserTitle, hasNoBrowser } from './chromium.ts';
import { deliver } from './dashboard.ts';
import { expectEventually } from './expect-eventually.ts';
import { copies, openTimelinePage, type TimelinePage } from './timeline-page.ts';

setDefaultTimeout(120_000);

// The copies of its events are inserted into the file.
describe.skipIf(hasNoBrowser || isRemote)(browserTitle('the timeline above the list'), () => {
  let on: TimelinePage;
  let page: Page;

  beforeAll(async () => {
    on = await openTimelinePage();
    page = on.page;
  });
  afterAll(() => on?.dashboard.close());

  const head = (shown = page) => shown.locator('.list-time figcaption');

  test('counts the events of the last six hours', async () => {
    await on.open();
    await head()
      .getByText(`${copies + 3} events in the last 6 hours`)
      .waitFor();
    expect(await page.locator('.list-time .chart-plot path').count()).toBe(1);
    expect(await page.locator('.list-time .chart-plot *').count()).toBeLessThan(10);
  });

  test('a drag sets the filter, and the list and the count follow', async () => {
    await on.open();
    await on.drag(0.5, 0.8);
    await expectEventually(async () => on.where()).toMatch(/^received:\S+Z\.\.\S+:59\.999Z$/);
    await expectEventually(on.matching).toBe(await on.countOf());
    expect(await on.countOf()).toBeGreaterThan(20);
    await page.locator('.event-row').nth(5).waitFor();
    await page.locator('.chip-text', { hasText: /^Received / }).waitFor();
    const period = await page.getByRole('group', { name: 'The chosen range' }).locator('strong').textContent();
    expect(period).toMatch(/^(\d+ \w+ )?\d\d:\d0 – (\d+ \w+ )?\d\d:\d0$/);
  });

  test('a handle moves one end, up to the present, and a reload keeps the range', async () => {
    await on.open();
    await on.drag(0.5, 0.6);
    await expectEventually(async () => on.where()).toMatch(/\.999Z$/);
    const from = on.where().split('..')[0];
    const handle = await page.locator('[data-end="to"]').boundingBox();
    const over = await on.axis().boundingBox();
    if (!handle || !over) throw new Error('no handle');
    await page.mouse.move(handle.x + 5, handle.y + 12);
    await page.mouse.down();
    await page.mouse.move(over.x + over.width - 2, handle.y + 12, { steps: 5 });
    await page.mouse.up();
    await expectEventually(async () => on.where()).toBe(`${from}..`);
    await page
      .getByText(/– now$/)
      .first()
      .waitFor();
    await page.reload();
    await page.locator('.range-brush').waitFor();
    await expectEventually(on.matching).toBe(await on.countOf());
  });

  test('a click chooses one bar, and Escape or the cross clears the range, not the rest of the filter', async () => {
    await on.open('?where=type:invoice.*');
    await on.drag(0.7, 0.7);
    await expectEventually(async () => on.where()).toMatch(/^type:invoice\.\* received:\S+$/);
    await on.axis().press('Escape');
    await expectEventually(async () => on.where()).toBe('type:invoice.*');
    await on.drag(0.2, 0.3);
    await expectEventually(async () => on.where()).toMatch(/received/);
    await page.getByRole('button', { name: 'Clear the range (Esc)' }).click();
    await expectEventually(async () => on.where()).toBe('type:invoice.*');
    await head()
      .getByText(/^5\d events in the last 6 hours$/)
      .waitFor();
  });

  test('keys move, choose, zoom and clear', async () => {
    await on.open();
    await on.axis().focus();
    await page.keyboard.press('Home');
    const first = await on.axis().getAttribute('aria-valuetext');
    expect(first).toMatch(/^.*\d\d:\d\d to .*\d\d:\d\d: \d+ events?$/);
    await page.keyboard.press('PageDown');
    expect(await on.axis().getAttribute('aria-valuenow')).toBe('10');
    await page.keyboard.press('ArrowLeft');
    await page.locator('.axis-tip', { hasText: 'Refused or failed' }).waitFor();
    await page.keyboard.down('Shift');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('PageDown');
    expect(on.where()).toBe('');
    await page.keyboard.up('Shift');
    await expectEventually(async () => on.where()).toMatch(/^received:/);
    await expectEventually(on.matching).toBe(await on.countOf());
    await page.keyboard.press('z');
    await expectEventually(async () => new URL(page.url()).searchParams.get('from')).toMatch(/Z$/);
    await head()
      .getByText(/ from .* to /)
      .waitFor();
    await on.axis().focus();
    await page.keyboard.press('Escape');
    await expectEventually(async () => on.where()).toBe('');
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await expectEventually(async () => on.where()).toMatch(/^received:/);
  });

  test('the events of the range can be replayed and exported', async () => {
    await on.open();
    await on.drag(0.5, 0.8);
    await page.getByRole('button', { name: 'Replay these…' }).click();
    const count = await on.countOf();
    await page.getByRole('dialog').getByText(`${count} events, `).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Export these…' }).click();
    await page.getByRole('dialog').getByText(on.where()).waitFor();
    await page.keyboard.press('Escape');
  });

  test('a range of the filter that was typed is shown, counted, and named', async () => {
    await on.open('?where=received%3E65m');
    await page.locator('.chip-text', { hasText: 'in the last 65 minutes' }).waitFor();
    await page.locator('.range-brush').waitFor();
    await expectEventually(async () => (await on.countOf()) === (await on.matching())).toBe(true);
  });

  test('is counted again when events come, but not for each one, and not while the page is hidden', async () => {
    await page.clock.install();
    const asked: string[] = [];
    page.on('request', request => request.url().includes('/timeline') && asked.push(request.url()));
    await on.open();
    await expectEventually(async () => asked.length).toBe(1);
    const before = await on.countOf();
    const hide = (isHidden: boolean) =>
      page.evaluate(hidden => {
        Object.defineProperty(document, 'hidden', { value: hidden, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));
      }, isHidden);
    await hide(true);
    for (let n = 0; n < 10; n++) await deliver(on.address, `{"type":"late.${n}"}`);
    await page.locator('.event-row', { hasText: 'late.9' }).first().waitFor();
    await page.clock.fastForward(15_000);
    expect(asked).toHaveLength(1);
    await hide(false);
    await head()
      .getByText(`${before + 10} events`)
      .waitFor();
    expect(asked).toHaveLength(2);
    for (let n = 0; n < 10; n++) await deliver(on.address, `{"type":"later.${n}"}`);
    await page.locator('.event-row', { hasText: 'later.9' }).first().waitFor();
    expect(asked).toHaveLength(2);
    await page.clock.fastForward(10_000);
    await head()
      .getByText(`${before + 20} events`)
      .waitFor();
    await page.clock.resume();
    page.removeAllListeners('request');
  });

  test('a search that is not finished is hatched, and goes on when asked', async () => {
    let calls = 0;
    await page.route('**/timeline?*', async route => {
      const answer = await route.fetch();
      const timeline = await answer.json();
      const isFirst = !new URL(route.request().url()).searchParams.has('cursor');
      calls++;
      for (const [at, bucket] of timeline.buckets.entries())
        bucket.count = bucket.accepted = at >= timeline.buckets.length - 16 === isFirst ? 2 : 0;
      const url = new URL(route.request().url());
      url.searchParams.delete('cursor');
      await route.fulfill({ json: { ...timeline, complete: !isFirst, nextCursor: isFirst ? 'more' : null } });
    });
    // The cursor is not the server's.
    await page.route('**/timeline?*cursor=more*', async route => {
      const url = new URL(route.request().url());
      url.searchParams.delete('cursor');
      const timeline = await (await fetch(url, { headers: route.request().headers() })).json();
      for (const [at, bucket] of timeline.buckets.entries())
        bucket.count = bucket.accepted = at >= timeline.buckets.length - 16 ? 0 : 2;
      await route.fulfill({ json: { ...timeline, complete: true, nextCursor: null } });
    });
    await on.open('?where=about');
    await page.locator('.chart-uncounted').waitFor();
    await page.getByText(/^32 events so far, back to .*\d\d:\d0\./).waitFor();
    await page.getByRole('button', { name: 'Keep counting' }).click();
    await page.locator('.chart-uncounted').waitFor({ state: 'detached' });
    await on.axis().focus();
    for (const key of ['Home', 'End']) {
      await page.keyboard.press(key);
      expect(await on.axis().getAttribute('aria-valuetext')).toEndWith(': 2 events');
    }
    expect(calls).toBe(1);
    await page.unrouteAll();
  });

  test('a failure is one line, and the list stays', async () => {
    let isBroken = true;
    await page.route('**/timeline?*', route =>
      isBroken ? route.fulfill({ status: 500, json: { error: 'disk is full' } }) : route.continue(),
    );
    await page.goto(on.list);
    await page.locator('.event-row').first().waitFor();
    await page.getByRole('alert').filter({ hasText: "Couldn't count the events. Disk is full." }).waitFor();
    isBroken = false;
    await page.getByRole('button', { name: 'Try again' }).click();
    await on.axis().waitFor();
    await page.unrouteAll();
  });

  test('without an event in the period it says so, and leads to all', async () => {
    await page.goto(`${on.list}?from=2026-01-01T00:00Z&to=2026-01-02T00:00Z`);
    await head()
      .getByText(/^No events from /)
      .waitFor();
    await page.getByRole('button', { name: 'Look at all events' }).click();
    await expectEventually(async () => new URL(page.url()).searchParams.get('from')).toBe('all');
    await head().getByText(/since/).waitFor();
  });

  test('is accessible in both themes, on a phone, and takes a finger', async () => {
    await on.open();
    await on.drag(0.5, 0.8);
    await page.locator('.range-brush').waitFor();
    expect(await violationsInBothThemes(page)).toEqual([]);
    const phone = await on.dashboard.open({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
    await phone.context().addCookies(await page.context().cookies());
    await on.open('', phone);
    const box = await on.axis(phone).boundingBox();
    if (!box) throw new Error('no axis');
    const session = await phone.context().newCDPSession(phone);
    const touch = (type: string, x: number) =>
      session.send('Input.dispatchTouchEvent', {
        type: type as 'touchStart',
        touchPoints: type === 'touchEnd' ? [] : [{ x, y: box.y + 20 }],
      });
    await touch('touchStart', box.x + box.width * 0.3);
    for (let step = 1; step <= 5; step++) await touch('touchMove', box.x + box.width * (0.3 + step * 0.08));
    await touch('touchEnd', 0);
    await expectEventually(async () => on.where(phone)).toMatch(/^received:/);
    await phone.getByRole('button', { name: 'Replay these…' }).waitFor();
    expect(await violationsInBothThemes(phone)).toEqual([]);
    expect(await phone.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    await phone.context().close();
  });

  test('no dialog, policy violation, foreign request or script error occurred', () =>
    expect(on.dashboard.problems).toEqual({ dialogs: [], violations: [], foreign: [], errors: [] }));
});
