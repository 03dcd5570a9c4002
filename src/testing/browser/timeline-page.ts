/* An endpoint with one event every two minutes, for five hours, and what the tests of timelines do on its pages. */
import { join } from 'node:path';
import { createClient } from '@libsql/client';
import type { Locator, Page } from 'playwright-core';
import { type Dashboard, deliver, openDashboard, shownAddress } from './dashboard.ts';

const minuteMs = 60_000;
export const copies = 150;

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

export type TimelinePage = {
  dashboard: Dashboard;
  page: Page;
  /** Where deliveries go. */
  address: string;
  /** The list of the endpoint. */
  list: string;
  endpointId: string;
  axis: (on?: Page) => Locator;
  /** The filter of the page. */
  where: (on?: Page) => string;
  /** The list, with its timeline. */
  open: (query?: string, on?: Page) => Promise<void>;
  /** Drags from one share of the axis to another. */
  drag: (from: number, to: number, on?: Page) => Promise<void>;
  /** The number above the list: of the range, or of all events. */
  countOf: () => Promise<number>;
  /** How many events the server counts for the filter of the page. */
  matching: () => Promise<number>;
  /** In the page Activity: the buttons of the range. */
  rangeBar: () => Locator;
};

export async function openTimelinePage(): Promise<TimelinePage> {
  const dashboard = await openDashboard({ HOOKTAPE_REPLAY_ALLOW: '127.0.0.0/8' });
  const page = await dashboard.open({ viewport: { width: 1440, height: 900 } });
  await dashboard.setUp(page);
  const address = await shownAddress(page);
  const list = page.url();
  const endpointId = list.split('/').at(-1) ?? '';
  await page.goto(`${dashboard.origin}/app`);
  for (const type of ['invoice.paid', 'charge.refunded', 'orders/create'])
    await deliver(address, JSON.stringify({ type, note: `about ${type}` }));
  await dashboard.whileStopped(spread);

  const axis = (on = page): Locator => on.getByRole('slider', { name: /^Time/ });
  const where = (on = page): string => new URL(on.url()).searchParams.get('where') ?? '';
  return {
    dashboard,
    page,
    address,
    list,
    endpointId,
    axis,
    where,
    open: async (query = '', on = page) => {
      await on.goto(list + query);
      await on.locator('.event-row').first().waitFor();
      await axis(on).waitFor();
    },
    drag: async (from, to, on = page) => {
      const plot = on.locator('.chart-plot').first();
      await plot.scrollIntoViewIfNeeded();
      const { x, y, width, height } = (await plot.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
      await on.mouse.move(x + width * from, y + height / 2);
      await on.mouse.down();
      await on.mouse.move(x + width * to, y + height / 2, { steps: 5 });
      await on.mouse.up();
    },
    countOf: async () => Number((await page.locator('.list-time figcaption strong').textContent())?.replace(/\D/g, '')),
    matching: () =>
      page.evaluate(
        async ([endpoint, filter]) => {
          const answer = await fetch(`/api/endpoints/${endpoint}/events/count?where=${encodeURIComponent(filter)}`);
          return ((await answer.json()) as { count: number }).count;
        },
        [endpointId, where()] as const,
      ),
    rangeBar: () => page.getByRole('group', { name: 'The chosen range' }),
  };
}
