import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { browserTitle, hasNoBrowser } from './chromium.ts';
import { callApi, type Dashboard, deliver, followLink, openDashboard, owner, shownAddress } from './dashboard.ts';
import { expectEventually } from './expect-eventually.ts';

setDefaultTimeout(120_000);

/** More than the list loads without scrolling. */
const events = 600;

describe.skipIf(hasNoBrowser)(browserTitle('navigation and recovery'), () => {
  let dashboard: Dashboard;
  let page: Page;
  let address: string;
  let listUrl: string;
  const ids: string[] = [];
  /** Resolved to let the receiver respond, even when the replay reaches it later. */
  const released = Promise.withResolvers<void>();
  const receiver = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async () => {
      await released.promise;
      return new Response('late');
    },
  });

  beforeAll(async () => {
    dashboard = await openDashboard();
    page = await dashboard.open();
    await dashboard.setUp(page);
    address = await shownAddress(page);
    listUrl = page.url();
    for (let n = 0; n < events; n++) ids.push(await deliver(address, `{"n":${n},"tenth":"no ${n % 10}"}`));
  });
  afterAll(async () => {
    released.resolve();
    await receiver.stop(true);
    await dashboard?.close();
  });

  /** Waits until the selected row of the list is this event and fully visible. */
  const shownInList = async (n: number): Promise<void> => {
    const row = page.locator('.event-row.selected', { hasText: `{"n":${n},` });
    await row.waitFor();
    await page.waitForFunction(
      element => {
        const [own, list] = [
          element?.getBoundingClientRect(),
          element?.closest('.event-list')?.getBoundingClientRect(),
        ];
        return own && list && own.top >= list.top && own.bottom <= list.bottom;
      },
      await row.elementHandle(),
    );
  };

  test.each([0, 30, 300, events - 1])(
    'an event opened by its URL is selected and visible in the list: event %d',
    async n => {
      await page.goto(`${listUrl}/events/${ids[n]}`);
      await shownInList(n);
    },
  );

  test('earlier addresses lead to the pages of today, and keep their query', async () => {
    const id = listUrl.split('/').at(-1);
    const { id: forward } = await callApi<{ id: string }>(page, 'POST', `/api/endpoints/${id}/forwards`, {
      name: 'shop',
      url: 'http://127.0.0.1:9/',
      enabled: false,
    });
    const job = await callApi<{ id: string }>(page, 'POST', '/api/replay-jobs', {
      endpointId: id,
      where: 'body.n:1',
      dest: 'http://127.0.0.1:9/',
    });
    await page.goto(`${dashboard.origin}/app`);
    let isLoaded = false;
    for (const [old, now] of [
      [`${listUrl}/forwards`, '/destinations'],
      [`${listUrl}/forwards/${forward}?state=given_up`, `/destinations/${forward}?state=given_up`],
      [`${listUrl}/forwards/${forward}/edit`, `/destinations/${forward}/edit`],
      [`${listUrl}/forwards/new`, '/destinations/new'],
      [`${dashboard.origin}/app/jobs?endpoint=${id}`, '/destinations'],
      [`${dashboard.origin}/app/jobs/${job.id}?outcome=failed`, `/jobs/${job.id}?outcome=failed`],
    ] as const) {
      // The first one as an address, the others as links.
      await (isLoaded ? followLink(page, old) : page.goto(old));
      isLoaded = true;
      await page.waitForURL(listUrl + now);
      await page.locator('.tabbar [aria-current]', { hasText: 'Destinations' }).waitFor();
      await page.goBack();
      await page.waitForURL('**/app');
    }
    await page.goto(`${listUrl}/settings#secrets`);
    await page.waitForURL(`${listUrl}/settings/secrets`);
    await followLink(page, '/app/jobs');
    await page.getByRole('heading', { name: 'Replay jobs', level: 1 }).waitFor();
  });

  test('[ and ] open the tab before and after, and the palette has each by its name', async () => {
    await page.goto(`${listUrl}/activity`);
    const current = (name: string) => page.locator('.tabbar [aria-current]', { hasText: name }).waitFor();
    await current('Activity');
    for (const [key, name] of [
      [']', 'Destinations'],
      ['[', 'Activity'],
      ['[', 'Events'],
      ['[', 'Events'],
    ] as const) {
      await page.keyboard.press(key);
      await current(name);
    }
    await page.keyboard.press('Control+k');
    await page.keyboard.type('go to schemas');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${listUrl}/schemas`);
  });

  test('Tab goes through the bars from left to right, and then into the page', async () => {
    await page.goto(`${listUrl}/settings`);
    await page.locator('.connection.live').waitFor();
    await page.locator('.skip').first().focus();
    const order: string[] = [];
    for (let n = 0; n < 19; n++) {
      const name = () => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent;
      order.push((await page.evaluate(name)) ?? '');
      await page.keyboard.press('Tab');
    }
    const top = [
      'Skip to content',
      'Hooktape, all endpoints',
      'Endpoint',
      'Go to…Ctrl+K',
      'Settings',
      'API',
      'Account menu',
    ];
    const tabs = ['Events', 'Activity', 'Destinations', 'Answers', 'Alerts', 'Schemas', 'Settings'];
    const end = ['Copy URL (y)', 'Connect', 'General', 'Access', 'Secrets'];
    expect(order).toEqual([...top, ...tabs, ...end]);
  });

  test('an event URL with the wrong endpoint redirects to the right one', async () => {
    await page.goto(`${dashboard.origin}/app/endpoints/ep_none/events/${ids[300]}`);
    await shownInList(300);
    expect(page.url()).toBe(`${listUrl}/events/${ids[300]}`);
  });

  test('a new event does not move a list that the user has scrolled', async () => {
    await page.goto(`${listUrl}/events/${ids[events - 1]}`);
    await shownInList(events - 1);
    const list = page.locator('.event-list');
    await list.evaluate(element => element.scrollTo(0, 3000));
    await deliver(address, '{"late":1}');
    await page.getByRole('button', { name: '1 new event' }).waitFor();
    await expectEventually(() => list.evaluate(element => element.scrollTop)).toBe(3056);
  });

  test('after a search is cleared, the event that it found stays selected in the full list', async () => {
    await page.goto(listUrl);
    await page.getByRole('combobox', { name: 'Search and filter events' }).fill('"\\"n\\":77,"');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.querySelectorAll('.event-row').length === 1);
    await page.locator('.event-row.selected').waitFor();
    await page.getByRole('button', { name: 'Clear search' }).click();
    await shownInList(77);
    await page.locator('.event-row', { hasText: '{"n":76,' }).waitFor();
  });

  test('the newest event that a search found is open as soon as its row is there, so that Enter goes into it', async () => {
    await page.goto(listUrl);
    await page.locator('.event-row.selected').waitFor();
    await page.evaluate(() => {
      const observer = new MutationObserver(() => {
        if (document.querySelectorAll('.event-row').length !== 1) return;
        observer.disconnect();
        // The next task: no key can come before it.
        setTimeout(() => {
          const isOpen = document.querySelector('.event-row.selected') !== null;
          document.documentElement.dataset['openAtFirst'] = String(isOpen);
        });
      });
      observer.observe(document, { childList: true, subtree: true });
    });
    await page.getByRole('combobox', { name: 'Search and filter events' }).fill('"\\"n\\":78,"');
    await page.keyboard.press('Enter');
    await page.locator('[data-open-at-first]').waitFor({ state: 'attached' });
    await expectEventually(() => page.locator('html').getAttribute('data-open-at-first')).toBe('true');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Enter');
    await page.locator('#event:focus').waitFor();
  });

  test('a list that failed to load offline loads by itself when the connection is back', async () => {
    await page.goto(listUrl);
    await page.getByText('Live', { exact: true }).waitFor();
    await page.context().setOffline(true);
    await page.getByRole('combobox', { name: 'Search and filter events' }).fill('"no 3"');
    await page.getByText("Couldn't load the events").waitFor();
    await page.getByText('Reconnecting').waitFor();
    await page.getByRole('button', { name: 'Try again' }).first().waitFor();
    await page.context().setOffline(false);
    await page.locator('.event-row', { hasText: 'body.tenth: no 3' }).first().waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    await expectEventually(() => page.getByText("Couldn't load").count()).toBe(0);
  });

  test('an event and a settings page that failed to load offline load by themselves when the connection is back', async () => {
    await page.goto(listUrl);
    await page.locator('.event-row.selected').waitFor();
    await page.context().setOffline(true);
    await page.locator('.event-row').nth(5).locator('a').click();
    await page.getByText("Couldn't load the event").waitFor();
    await page.context().setOffline(false);
    await page.getByRole('treeitem').first().waitFor();
    await page.context().setOffline(true);
    await page.locator('.topbar').getByRole('link', { name: 'Settings', exact: true }).click();
    await page.getByText("Couldn't load this part").waitFor();
    await page.context().setOffline(false);
    await page.locator('.facts').getByText(owner.email).waitFor();
    await expectEventually(() => page.getByText("Couldn't load this part").count()).toBe(0);
  });

  test('the result of a replay is shown and listed although its dialog was closed', async () => {
    await page.goto(`${listUrl}/events/${ids[events - 2]}`);
    await page.getByRole('treeitem').first().waitFor();
    await page.keyboard.press('r');
    const destination = `http://127.0.0.1:${receiver.port}/slow`;
    const arrived = page.waitForRequest(request => request.url().endsWith('/replay'));
    await page.getByLabel('Destination').fill(destination);
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await arrived;
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('5');
    await page.getByText('Not replayed yet').waitFor();
    released.resolve();
    await page.getByText('Replayed: 200 OK').waitFor();
    await page.getByRole('tabpanel').getByText(destination).first().waitFor();
  });

  test('no dialog, policy violation, foreign request or script error occurred', () =>
    expect(dashboard.problems).toEqual({ dialogs: [], violations: [], foreign: [], errors: [] }));
});
