import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import { createClient } from '@libsql/client';
import type { Page } from 'playwright-core';
import { isRemote } from '../remote/databases.ts';
import { violationsInBothThemes } from './accessibility.ts';
import { browserTitle, hasNoBrowser } from './chromium.ts';
import { type Dashboard, deliver, openDashboard, shownAddress } from './dashboard.ts';
import { expectEventually } from './expect-eventually.ts';

setDefaultTimeout(120_000);

const minuteMs = 60_000;
/** One event every two minutes, for five hours. */
const copies = 150;

/** Makes copies of the events that the database holds, in turn, which came before now. */
async function spread(dataDir: string): Promise<void> {
  const client = createClient({ url: `file:${join(dataDir, 'hooktape.db')}` });
  await client.execute({
    sql: `INSERT INTO events (nonce, endpoint, received_at, size, encoding, method, source_ip, sha256, path, preview, content, event_type)
          SELECT nonce, endpoint, ? - i * ?, size, encoding, method, source_ip, sha256, path, preview, content, event_type
          FROM (SELECT *, row_number() OVER (ORDER BY seq) - 1 AS n, count(*) OVER () AS all_of FROM events) AS known,
               (WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) SELECT i FROM n)
          WHERE i % all_of = n`,
    args: [Date.now(), 2 * minuteMs, copies],
  });
  client.close();
}

// The copies are inserted into the file.
describe.skipIf(hasNoBrowser || isRemote)(browserTitle('timelines'), () => {
  let dashboard: Dashboard;
  let page: Page;
  let address: string;
  let list: string;

  beforeAll(async () => {
    dashboard = await openDashboard();
    page = await dashboard.open({ viewport: { width: 1440, height: 900 } });
    await dashboard.setUp(page);
    address = await shownAddress(page);
    list = page.url();
    await page.goto(`${dashboard.origin}/app`);
    for (const type of ['invoice.paid', 'charge.refunded', 'orders/create'])
      await deliver(address, JSON.stringify({ type, note: `about ${type}` }));
    await dashboard.whileStopped(spread);
  });
  afterAll(() => dashboard?.close());

  const axis = (on = page) => on.getByRole('slider', { name: /^Time/ });
  const head = (on = page) => on.locator('.list-time figcaption');
  const where = (on = page): string => new URL(on.url()).searchParams.get('where') ?? '';
  const open = async (query = '', on = page): Promise<void> => {
    await on.goto(list + query);
    await on.locator('.event-row').first().waitFor();
    await axis(on).waitFor();
  };
  /** Drags from one share of the axis to another. */
  const drag = async (from: number, to: number, on = page): Promise<void> => {
    const { x, y, width, height } = (await axis(on).boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    await on.mouse.move(x + width * from, y + height / 2);
    await on.mouse.down();
    await on.mouse.move(x + width * to, y + height / 2, { steps: 5 });
    await on.mouse.up();
  };
  const countOf = async (on = page): Promise<number> =>
    Number((await head(on).locator('strong').textContent())?.replace(/\D/g, ''));
  /** How many events the server counts for the filter of the page. */
  const matching = (): Promise<number> =>
    page.evaluate(
      async ([endpoint, filter]) => {
        const answer = await fetch(`/api/endpoints/${endpoint}/events/count?where=${encodeURIComponent(filter)}`);
        return ((await answer.json()) as { count: number }).count;
      },
      [list.split('/').at(-1) ?? '', where()] as const,
    );

  describe('the one above the list', () => {
    test('counts the events of the last six hours', async () => {
      await open();
      await head()
        .getByText(`${copies + 3} events in the last 6 hours`)
        .waitFor();
      expect(await page.locator('.list-time .chart-plot path').count()).toBe(1);
      expect(await page.locator('.list-time .chart-plot *').count()).toBeLessThan(10);
    });

    test('a drag sets the filter, and the list and the count follow', async () => {
      await open();
      await drag(0.5, 0.8);
      await expectEventually(async () => where()).toMatch(/^received:\S+Z\.\.\S+:59\.999Z$/);
      await expectEventually(matching).toBe(await countOf());
      expect(await countOf()).toBeGreaterThan(20);
      await page.locator('.event-row').nth(5).waitFor();
      await page.locator('.chip-text', { hasText: /^Received / }).waitFor();
      const period = await page.getByRole('group', { name: 'The chosen range' }).locator('strong').textContent();
      expect(period).toMatch(/^(\d+ \w+ )?\d\d:\d0 – (\d+ \w+ )?\d\d:\d0$/);
    });

    test('a handle moves one end, up to the present, and a reload keeps the range', async () => {
      await open();
      await drag(0.5, 0.6);
      await expectEventually(async () => where()).toMatch(/\.999Z$/);
      const from = where().split('..')[0];
      const handle = await page.locator('[data-end="to"]').boundingBox();
      const over = await axis().boundingBox();
      if (!handle || !over) throw new Error('no handle');
      await page.mouse.move(handle.x + 5, handle.y + 12);
      await page.mouse.down();
      await page.mouse.move(over.x + over.width - 2, handle.y + 12, { steps: 5 });
      await page.mouse.up();
      await expectEventually(async () => where()).toBe(`${from}..`);
      await page
        .getByText(/– now$/)
        .first()
        .waitFor();
      await page.reload();
      await page.locator('.range-brush').waitFor();
      await expectEventually(matching).toBe(await countOf());
    });

    test('a click chooses one bar, and Escape or the cross clears the range, not the rest of the filter', async () => {
      await open('?where=type:invoice.*');
      await drag(0.7, 0.7);
      await expectEventually(async () => where()).toMatch(/^type:invoice\.\* received:\S+$/);
      await axis().press('Escape');
      await expectEventually(async () => where()).toBe('type:invoice.*');
      await drag(0.2, 0.3);
      await expectEventually(async () => where()).toMatch(/received/);
      await page.getByRole('button', { name: 'Clear the range (Esc)' }).click();
      await expectEventually(async () => where()).toBe('type:invoice.*');
      await head()
        .getByText(/^5\d events in the last 6 hours$/)
        .waitFor();
    });

    test('keys move, choose, zoom and clear', async () => {
      await open();
      await axis().focus();
      await page.keyboard.press('Home');
      const first = await axis().getAttribute('aria-valuetext');
      expect(first).toMatch(/^.*\d\d:\d\d to .*\d\d:\d\d: \d+ events?$/);
      await page.keyboard.press('PageDown');
      expect(await axis().getAttribute('aria-valuenow')).toBe('10');
      await page.keyboard.press('ArrowLeft');
      await page.locator('.axis-tip', { hasText: 'Refused or failed' }).waitFor();
      await page.keyboard.down('Shift');
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('PageDown');
      expect(where()).toBe('');
      await page.keyboard.up('Shift');
      await expectEventually(async () => where()).toMatch(/^received:/);
      await expectEventually(matching).toBe(await countOf());
      await page.keyboard.press('z');
      await expectEventually(async () => new URL(page.url()).searchParams.get('from')).toMatch(/Z$/);
      await head()
        .getByText(/ in .* – /)
        .waitFor();
      await axis().focus();
      await page.keyboard.press('Escape');
      await expectEventually(async () => where()).toBe('');
      await page.keyboard.press('End');
      await page.keyboard.press('Enter');
      await expectEventually(async () => where()).toMatch(/^received:/);
    });

    test('the events of the range can be replayed and exported', async () => {
      await open();
      await drag(0.5, 0.8);
      await page.getByRole('button', { name: 'Replay these…' }).click();
      const count = await countOf();
      await page.getByRole('dialog').getByText(`${count} events, `).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Export these…' }).click();
      await page.getByRole('dialog').getByText(where()).waitFor();
      await page.keyboard.press('Escape');
    });

    test('a range of the filter that was typed is shown, counted, and named', async () => {
      await open('?where=received%3E65m');
      await page.locator('.chip-text', { hasText: 'in the last 65 minutes' }).waitFor();
      await page.locator('.range-brush').waitFor();
      await expectEventually(async () => (await countOf()) === (await matching())).toBe(true);
    });

    test('is counted again when events come, but not for each one, and not while the page is hidden', async () => {
      await page.clock.install();
      const asked: string[] = [];
      page.on('request', request => request.url().includes('/timeline') && asked.push(request.url()));
      await open();
      await expectEventually(async () => asked.length).toBe(1);
      const before = await countOf();
      const hide = (isHidden: boolean) =>
        page.evaluate(hidden => {
          Object.defineProperty(document, 'hidden', { value: hidden, configurable: true });
          document.dispatchEvent(new Event('visibilitychange'));
        }, isHidden);
      await hide(true);
      for (let n = 0; n < 10; n++) await deliver(address, `{"type":"late.${n}"}`);
      await page.locator('.event-row', { hasText: 'late.9' }).first().waitFor();
      await page.clock.fastForward(15_000);
      expect(asked).toHaveLength(1);
      await hide(false);
      await head()
        .getByText(`${before + 10} events`)
        .waitFor();
      expect(asked).toHaveLength(2);
      for (let n = 0; n < 10; n++) await deliver(address, `{"type":"later.${n}"}`);
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
          bucket.count = bucket.accepted = at > 20 === isFirst ? 2 : 0;
        const url = new URL(route.request().url());
        url.searchParams.delete('cursor');
        await route.fulfill({ json: { ...timeline, complete: !isFirst, nextCursor: isFirst ? 'more' : null } });
      });
      // The cursor is not the server's.
      await page.route('**/timeline?*cursor=more*', async route => {
        const url = new URL(route.request().url());
        url.searchParams.delete('cursor');
        const timeline = await (await fetch(url, { headers: route.request().headers() })).json();
        for (const [at, bucket] of timeline.buckets.entries()) bucket.count = bucket.accepted = at > 20 ? 0 : 2;
        await route.fulfill({ json: { ...timeline, complete: true, nextCursor: null } });
      });
      await open('?where=about');
      await page.locator('.chart-uncounted').waitFor();
      await page.getByText(/^32 events so far, back to .*\d\d:\d0\./).waitFor();
      await page.getByRole('button', { name: 'Keep counting' }).click();
      await head().getByText('74 events in the last 6 hours').waitFor();
      expect(await page.locator('.chart-uncounted').count()).toBe(0);
      expect(calls).toBe(1);
      await page.unrouteAll();
    });

    test('a failure is one line, and the list stays', async () => {
      let isBroken = true;
      await page.route('**/timeline?*', route =>
        isBroken ? route.fulfill({ status: 500, json: { error: 'disk is full' } }) : route.continue(),
      );
      await page.goto(list);
      await page.locator('.event-row').first().waitFor();
      await page.getByRole('alert').filter({ hasText: "Couldn't count the events. Disk is full." }).waitFor();
      isBroken = false;
      await page.getByRole('button', { name: 'Try again' }).click();
      await axis().waitFor();
      await page.unrouteAll();
    });

    test('without an event in the period it says so, and leads to all', async () => {
      await page.goto(`${list}?from=2026-01-01T00:00Z&to=2026-01-02T00:00Z`);
      await head()
        .getByText(/^0 events in /)
        .waitFor();
      await page.getByRole('button', { name: 'Look at all events' }).click();
      await expectEventually(async () => new URL(page.url()).searchParams.get('from')).toBe('all');
      await head().getByText(/since/).waitFor();
    });

    test('is accessible in both themes, on a phone, and takes a finger', async () => {
      await open();
      await drag(0.5, 0.8);
      await page.locator('.range-brush').waitFor();
      expect(await violationsInBothThemes(page)).toEqual([]);
      const phone = await dashboard.open({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
      await phone.context().addCookies(await page.context().cookies());
      await open('', phone);
      const box = await axis(phone).boundingBox();
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
      await expectEventually(async () => where(phone)).toMatch(/^received:/);
      await phone.getByRole('button', { name: 'Replay these…' }).waitFor();
      expect(await violationsInBothThemes(phone)).toEqual([]);
      expect(await phone.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
      await phone.context().close();
    });
  });

  test('no dialog, policy violation, foreign request or script error occurred', () =>
    expect(dashboard.problems).toEqual({ dialogs: [], violations: [], foreign: [], errors: [] }));
});
