import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import { createClient } from '@libsql/client';
import type { Page } from 'playwright-core';
import { isRemote } from '../remote/databases.ts';
import { browserTitle, hasNoBrowser } from './chromium.ts';
import { type Dashboard, deliver, openDashboard, shownAddress } from './dashboard.ts';
import { expectEventually } from './expect-eventually.ts';

setDefaultTimeout(300_000);

/** Each page of them is read in turn: a larger number takes minutes and finds the same faults. */
const events = 30_000;
/** The duration of a frame at 60 Hz. */
const frameMs = 1000 / 60;

/** Makes `amount` events of the one event that the database holds, a hundred for each millisecond. */
async function multiply(dataDir: string, amount: number): Promise<void> {
  const client = createClient({ url: `file:${join(dataDir, 'hooktape.db')}` });
  await client.batch(
    [
      {
        sql: `INSERT INTO events (nonce, endpoint, received_at, size, encoding, method, source_ip, sha256, path, preview, content)
              SELECT nonce, endpoint, received_at + i / 100, size, encoding, method, source_ip, sha256, path,
                     CAST('{"n":' || i || '}' AS BLOB), content
              FROM events, (WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) SELECT i FROM n)`,
        args: [amount - 1],
      },
      'UPDATE endpoints SET event_count = (SELECT count(*) FROM events), last_received_at = (SELECT max(received_at) FROM events)',
    ],
    'write',
  );
  client.close();
}

/** @returns a function that returns the seconds of script, style and layout work on the page's main thread since this call */
async function measureMainThread(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const total = async (): Promise<number> => {
    const { metrics } = await session.send('Performance.getMetrics');
    const counted = ['ScriptDuration', 'LayoutDuration', 'RecalcStyleDuration'];
    return metrics.filter(({ name }) => counted.includes(name)).reduce((sum, { value }) => sum + value, 0);
  };
  const before = await total();
  return async () => (await total()) - before;
}

// The copies are inserted into the file.
describe.skipIf(hasNoBrowser || isRemote)(browserTitle(`${events.toLocaleString('en')} events`), () => {
  let dashboard: Dashboard;
  let page: Page;
  let address: string;

  beforeAll(async () => {
    dashboard = await openDashboard();
    page = await dashboard.open();
    await dashboard.setUp(page);
    address = await shownAddress(page);
    const list = page.url();
    await page.goto(`${dashboard.origin}/app`);
    await deliver(address, '{"n":0}');
    await dashboard.whileStopped(dataDir => multiply(dataDir, events));
    await page.goto(list);
    await page.locator('.event-row.selected').waitFor();
  });
  afterAll(() => dashboard?.close());

  test('scroll from end to end within the frame budget and with few rows in the document', async () => {
    const work = await measureMainThread(page);
    const result = await page.evaluate(async () => {
      const list = document.querySelector('.event-list') as HTMLElement;
      const frames: number[] = [];
      let mostRows = 0;
      let last = performance.now();
      for (let idle = 0; idle < 400; ) {
        const before = list.scrollTop;
        list.scrollTop += 12_000;
        await new Promise(requestAnimationFrame);
        const now = performance.now();
        frames.push(now - last);
        last = now;
        mostRows = Math.max(mostRows, list.querySelectorAll('.event-row').length);
        idle = list.scrollTop === before ? idle + 1 : 0;
        if (idle > 0 && list.querySelector('.event-row:last-child')?.textContent?.includes('{"n":0}')) break;
      }
      frames.sort((a, b) => a - b);
      return {
        height: list.scrollHeight,
        mostRows,
        median: frames[Math.floor(frames.length / 2)] ?? 0,
        frames: frames.length,
        shown: list.querySelector('.event-row:last-child')?.textContent ?? '',
      };
    });
    expect(result.height).toBe(events * 56);
    expect(result.shown).toContain('{"n":0}');
    expect(result.mostRows).toBeLessThan(60);
    // CPU time of the thread, so that a busy machine matters less. At this speed every frame loads two pages of events.
    expect(((await work()) * 1000) / result.frames).toBeLessThan(frameMs);
    expect(result.median).toBeLessThan(50);
  });

  test('the visible rows stay in place while new events are added above', async () => {
    const place = () =>
      page.evaluate(() => {
        const list = document.querySelector('.event-list') as HTMLElement;
        const row = [...list.querySelectorAll('.event-row')].find(one => one.getBoundingClientRect().top > 150);
        return {
          text: row?.querySelector('.preview')?.textContent,
          top: Math.round(row?.getBoundingClientRect().top ?? 0),
        };
      });
    const before = await place();
    for (let n = 0; n < 5; n++) await deliver(address, `{"late":${n}}`);
    await page.getByRole('button', { name: '5 new events' }).waitFor();
    await expectEventually(place).toEqual(before);
  });

  test('no dialog, policy violation, foreign request or script error occurred', () =>
    expect(dashboard.problems).toEqual({ dialogs: [], violations: [], foreign: [], errors: [] }));
});
