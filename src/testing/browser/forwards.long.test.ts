/* Forwards in the dashboard: made, watched while their destination fails, operated by event and by filter, deleted. */
import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page } from 'playwright-core';
import type { Forward } from '../../features/forwards/model.ts';
import { eventually } from '../poll.ts';
import { violations, violationsInBothThemes } from './accessibility.ts';
import { browserTitle, hasNoBrowser } from './chromium.ts';
import { callApi, createEndpoint, type Dashboard, deliver, makeCross, openDashboard } from './dashboard.ts';
import { expectEventually } from './expect-eventually.ts';

setDefaultTimeout(120_000);

const hostile = '<img src=x onerror=alert(1)>';
const hostilePath = '/<img/src=x/onerror=alert(1)>';
const later = { for: '24h', first: '1h', max: '1h' };
const atOnce = { for: '24h', first: '1ms', max: '1ms' };

describe.skipIf(hasNoBrowser)(browserTitle('forwards'), () => {
  let dashboard: Dashboard;
  let page: Page;
  let address: string;
  let endpoint: string;
  const opened: { stop: (now: boolean) => Promise<void> }[] = [];
  const destination = (statusOf: (body: { n?: number }) => number): string => {
    const answer = async (request: Request): Promise<Response> =>
      new Response(null, { status: statusOf((await request.json().catch(() => ({}))) as { n?: number }) });
    const http = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: answer });
    opened.push(http);
    return `http://127.0.0.1:${http.port}`;
  };

  beforeAll(async () => {
    dashboard = await openDashboard({ HOOKTAPE_REPLAY_ALLOW: '127.0.0.0/8' });
    page = await dashboard.open({ reducedMotion: 'reduce' });
    await dashboard.setUp(page);
  });
  afterAll(async () => {
    for (const one of opened) await one.stop(true);
    await dashboard?.close();
  });

  beforeEach(async () => {
    ({ id: endpoint, address } = await createEndpoint(page, 'Shop'));
  });

  const send = async (count: number, kind: string): Promise<void> => {
    for (let n = 0; n < count; n++)
      await deliver(address, JSON.stringify({ n, kind, lane: n % 2 }), {
        headers: { 'content-type': 'application/json', 'x-github-event': kind },
      });
  };
  const create = async (body: object): Promise<string> => {
    const { id } = await callApi<{ id: string }>(page, 'POST', `/api/endpoints/${endpoint}/forwards`, body);
    return `${dashboard.origin}/app/endpoints/${endpoint}/destinations/${id}`;
  };
  /** Waits for the numbers of events, so that what follows shows them at once. */
  const until = (forward: string, wanted: Partial<Forward>): Promise<unknown> =>
    eventually(async () => {
      const found = await read(
        new URL(forward).pathname.replace('/app/', '/api/').replace('/destinations/', '/forwards/'),
      );
      return Object.entries(wanted).every(([name, value]) => found[name] === value);
    }, 120_000);
  const read = (path: string): Promise<Record<string, unknown>> => callApi(page, 'GET', path);
  const fitsPhone = async (within = 'html'): Promise<void> => {
    await page.setViewportSize({ width: 360, height: 740 });
    await expectEventually(() =>
      page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
    ).toBeLessThanOrEqual(0);
    expect(await violations(page, { within, withoutColours: true })).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 800 });
  };
  const dialog = () => page.getByRole('dialog');
  const rows = () => page.locator('.forward-rows > li');
  /** The number of events in a state, once it is this one. */
  const figure = (label: string, amount: number) =>
    page.getByRole('navigation', { name: /^Events of/ }).getByRole('link', { name: `${amount} ${label}` });
  const remove = async (): Promise<void> => {
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await dialog().getByRole('button', { name: 'Delete forward' }).click();
    await page.getByRole('heading', { name: 'Forwards', exact: true }).waitFor();
  };

  test('a forward is made with completion, and problems stand at their fields', async () => {
    await send(1, 'push');
    await page.goto(`${dashboard.origin}/app/endpoints/${endpoint}`);
    await page.locator('.event-row').waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('go to forwards');
    await page.keyboard.press('Enter');
    await page.getByText('A forward delivers every event to a destination').waitFor();
    expect(await violationsInBothThemes(page)).toEqual([]);
    await page.getByRole('link', { name: 'Add a forward' }).click();
    await page.getByRole('heading', { name: 'New forward', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Create forward' }).click();
    await page.getByText('Enter a name.').waitFor();
    await page.getByLabel('Name', { exact: true }).and(page.locator(':focus')).waitFor();
    await page.getByLabel('Name', { exact: true }).fill(hostile);
    // Known only to the server.
    await page.getByLabel('URL', { exact: true }).fill(address);
    await page.keyboard.press('Enter');
    await page.getByText('it is an ingest URL of this server').waitFor();
    await page.getByLabel('URL', { exact: true }).and(page.locator(':focus')).waitFor();
    expect(await violationsInBothThemes(page)).toEqual([]);
    await fitsPhone();
    await page.getByLabel('URL', { exact: true }).fill(destination(() => 204) + hostilePath);
    const filter = page.getByRole('combobox', { name: 'Filter' });
    await filter.fill('t');
    await page.getByRole('option', { name: 'type:push' }).waitFor();
    await expectEventually(() => page.getByRole('option', { name: 'tag:' }).count()).toBe(0);
    await filter.fill('tpye:push');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Use “type”' }).click();
    await page.getByLabel('Order', { exact: true }).selectOption('In order, one at a time');
    await page.getByLabel('Lane').fill('body.items[].id');
    await page.getByRole('button', { name: 'Create forward' }).click();
    await page.getByText('Must lead to one value').waitFor();
    await page.getByLabel('Lane').fill('body.lane');
    await page.getByText('More options').click();
    await page.getByRole('button', { name: 'Add a header' }).click();
    await page.getByLabel('Name of header 1').fill('X-Note');
    await page.getByLabel('Value of X-Note').fill(hostile);
    await page.getByRole('button', { name: 'Create forward' }).click();
    await page.getByRole('heading', { name: hostile, level: 1 }).waitFor();
    await page.getByText('Up to date', { exact: true }).waitFor();
    await page.getByText(`X-Note: ${hostile}`).waitFor();
    await page.getByText('In order per body.lane, oldest first').waitFor();
    await expectEventually(() => page.locator('main img').count()).toBe(0);
    expect(await violationsInBothThemes(page)).toEqual([]);
    await fitsPhone();
  });

  test('how far it has come with an event stands on the way of the delivery, with what it sent', async () => {
    await create({ name: hostile, url: destination(() => 204) });
    const event = await deliver(address, '{"n":1}', { headers: { 'x-github-event': 'push' } });
    await eventually(async () => ((await read(`/api/events/${event}`))['replays'] as object[]).length > 0, 15_000);
    await page.goto(`${dashboard.origin}/app/endpoints/${endpoint}/events/${event}`);
    const way = page.getByRole('list', { name: 'The way of this delivery' });
    await way.getByRole('link', { name: /^Replays None/ }).click();
    await page.getByText('Not replayed yet').waitFor();
    await way.getByRole('link', { name: /^Forwards 1 of 1 delivered/ }).click();
    await expectEventually(() => page.getByRole('tab', { name: 'Forwards 1', selected: true }).count()).toBe(1);
    await page.getByText('delivered; 1 attempt, last returned 204', { exact: true }).waitFor();
    expect(await violationsInBothThemes(page)).toEqual([]);
    await fitsPhone();
    await page.getByText(`Forwarded by “${hostile}”`).waitFor();
    await page.locator('.attempt').getByText('204').waitFor();
    await expectEventually(() => page.locator('main img').count()).toBe(0);
    await page.locator('.tabbar').getByRole('link', { name: 'Destinations' }).click();
    await page.getByRole('link', { name: hostile }).click();
    await page.getByRole('link', { name: 'Edit' }).click();
    await page.getByLabel('Name', { exact: true }).fill('orders');
    // Leaving the page loses nothing, and discarding shows what is saved.
    await page.getByRole('link', { name: `← ${hostile}` }).click();
    await page.getByRole('link', { name: 'Edit' }).click();
    await page.getByText('Your unsaved changes are still here').waitFor();
    await expectEventually(() => page.getByLabel('Name', { exact: true }).inputValue()).toBe('orders');
    await page.getByRole('button', { name: 'Discard changes' }).click();
    await page.getByText('Your unsaved changes are still here').waitFor({ state: 'detached' });
    await expectEventually(() => page.getByLabel('Name', { exact: true }).inputValue()).toBe(hostile);
    await page.getByLabel('Name', { exact: true }).fill('orders');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'orders', level: 1 }).waitFor();
    await remove();
    await page.getByText('No forwards').waitFor();
  });

  test('a healthy forward shows what it delivered, and its state only while it is known', async () => {
    const { pathname } = new URL(await create({ name: 'orders', url: destination(() => 204) }));
    const stats = `${pathname.replace('/app/', '/api/').replace('/destinations/', '/forwards/')}/stats`;
    await send(3, 'order');
    await eventually(async () => (await read(stats))['delivered'] === 3, 30_000);
    await page.goto(`${dashboard.origin}/app/endpoints/${endpoint}/destinations`);
    const card = page.locator('.forward-card');
    await card.getByRole('img', { name: '3 delivered, 0 failed attempts' }).waitFor();
    await card.getByText('Up to date', { exact: true }).waitFor();
    await expectEventually(() => card.locator('.forward-figures').textContent()).toMatch(
      /^delivered3success100 %p50\d+ msp95\d+ ms$/,
    );
    await expectEventually(() => card.locator('.forward-trouble').count()).toBe(0);
    await page.route('**/forwards', route => route.fulfill({ status: 400, json: { error: 'not now' } }));
    await page.route('**/stats', route => route.fulfill({ status: 400, json: { error: 'not now' } }));
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    await card.getByText('Unknown', { exact: true }).waitFor();
    await card.getByText("Couldn't refresh the figures").waitFor();
    await expectEventually(() => card.locator('.forward-figures').textContent()).toContain('delivered3success');
    expect(await violationsInBothThemes(page)).toEqual([]);
    await page.unrouteAll();
  });

  test('of a destination that is down it says since when and why, and asks it at once', async () => {
    let status = 503;
    const url = destination(() => status);
    const forward = await create({ name: 'billing', url, retry: later });
    await send(10, 'invoice');
    await until(forward, { state: 'probing', failed: 10 });
    await send(2, 'invoice');
    await until(forward, { waiting: 2 });
    await page.goto(`${dashboard.origin}/app/endpoints/${endpoint}`);
    await page.getByRole('link', { name: /^Destinations Forward .* is down$/ }).waitFor();
    expect(await violationsInBothThemes(page)).toEqual([]);
    await fitsPhone();
    await page.getByRole('link', { name: /^Destinations Forward .* is down$/ }).click();
    await page.getByText(/Failing since \d\d:\d\d .* next try in /).waitFor();
    await page.getByText('503 Service Unavailable').waitFor();
    expect(await violationsInBothThemes(page)).toEqual([]);
    await fitsPhone();
    await page.getByRole('link', { name: 'billing', exact: true }).click();
    await rows().nth(9).waitFor();
    await expectEventually(() => rows().first().textContent()).toContain('1 attempt, next in ');
    expect(await violationsInBothThemes(page)).toEqual([]);
    await fitsPhone();
    await figure('Waiting', 2).click();
    await rows().getByText('first attempt when the destination is back').nth(1).waitFor();
    // The page follows by itself.
    status = 200;
    await page.getByRole('button', { name: 'Try now' }).click();
    await figure('Waiting', 0).waitFor();
    await page.getByText('Retrying', { exact: true }).waitFor();
    await figure('Failed', 9).click();
    await rows().nth(8).waitFor();
    await page.getByRole('button', { name: 'Retry by filter…' }).click();
    await dialog().getByRole('combobox', { name: 'Filter' }).fill('body.n>=0');
    await dialog().getByRole('button', { name: 'Retry 9 events' }).click();
    await page.getByText('Up to date', { exact: true }).waitFor();
    await page.getByText('No failed events.').waitFor();
    expect(page.url()).toStartWith(forward);
    await remove();
  });

  test('given up events are retried and removed, one, by filter or all, and the focus stays near', async () => {
    let status = 404;
    const url = destination(({ n = 0 }) => (n === 5 ? 200 : status));
    const forward = await create({ name: 'strict', url, retry: atOnce });
    await send(6, 'order');
    await until(forward, { givenUp: 5, failed: 0, waiting: 0 });
    await page.goto(`${dashboard.origin}/app/endpoints/${endpoint}`);
    await page.getByRole('link', { name: /^Destinations Forward .* gave up on 5 events$/ }).waitFor();
    await page.goto(forward);
    await rows().nth(4).waitFor();
    await expectEventually(() => rows().first().textContent()).toContain(
      '404 Not Found: Answered 404, 3 times with a status that is not tried again3 attempts',
    );
    await page.getByRole('button', { name: 'Retry by filter…' }).click();
    await dialog().getByRole('combobox', { name: 'Filter' }).fill('nope:1');
    await dialog().getByText('There is no field "nope"').waitFor();
    await expectEventually(() => dialog().getByRole('button', { name: 'Retry', exact: true }).isDisabled()).toBe(true);
    await dialog().getByRole('combobox', { name: 'Filter' }).fill('body.n:7');
    await dialog().getByText('No waiting, failed or given-up event matches.').waitFor();
    await dialog().getByRole('combobox', { name: 'Filter' }).fill('body.n<2');
    await dialog().getByRole('button', { name: 'Retry 2 events' }).waitFor();
    expect(await violationsInBothThemes(page, { within: 'dialog' })).toEqual([]);
    await fitsPhone('dialog');
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Retry by filter…' }).and(page.locator(':focus')).waitFor();
    // By keyboard: one is removed, the focus goes to the next.
    await page.getByRole('button', { name: 'Remove order' }).first().focus();
    await page.keyboard.press('Enter');
    await dialog().getByText('can no longer be retried here').waitFor();
    // What is listed after it arrives while the next event is being retried.
    await makeCross(page, '**/deliveries?*', '**/retry');
    await dialog().getByRole('button', { name: 'Remove', exact: true }).click();
    await figure('Given up', 4).waitFor();
    await page.getByRole('button', { name: 'Remove order' }).first().and(page.locator(':focus')).waitFor();
    status = 200;
    await page.getByRole('button', { name: 'Retry order' }).nth(1).focus();
    await page.keyboard.press('Enter');
    await figure('Given up', 3).waitFor();
    await page.getByRole('button', { name: 'Retry order' }).nth(1).and(page.locator(':focus')).waitFor();
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Retry all given up' }).click();
    await dialog().getByText(url).waitFor();
    await dialog().getByRole('button', { name: 'Retry 3 events' }).click();
    await page.getByText('No events were given up.').waitFor();
    await page.getByText('Up to date', { exact: true }).waitFor();
    await remove();
  });

  test('what blocks lanes is skipped; it is paused, resumed and deleted with what waits', async () => {
    const url = destination(({ n = 0 }) => (n < 2 ? 503 : 200));
    const forward = await create({ name: 'in order', url, mode: 'ordered', orderBy: 'body.lane', retry: later });
    await send(8, 'step');
    await page.goto(forward);
    await figure('Failed', 2).waitFor();
    await figure('Waiting', 6).click();
    await rows().getByText('first attempt after earlier events in its lane').nth(5).waitFor();
    await page.getByRole('button', { name: 'Skip blocking events' }).click();
    await dialog().getByText('The events behind them are sent next.').waitFor();
    await dialog().getByRole('button', { name: 'Skip 2 events' }).click();
    await page.getByText('Up to date', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Pause' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('Paused. Events are queued until you resume it.').waitFor();
    await page.getByRole('button', { name: 'Resume' }).and(page.locator(':focus')).waitFor();
    await send(53, 'late');
    await page.reload();
    await figure('Waiting', 53).waitFor();
    await page.getByText('50 of 53 events').waitFor();
    await page.getByRole('button', { name: 'Show more' }).click();
    await page.getByText('53 of 53 events').waitFor();
    await expectEventually(() => rows().count()).toBe(53);
    await page.getByRole('button', { name: 'Skip late' }).last().focus();
    await page.keyboard.press('Enter');
    await dialog().getByRole('button', { name: 'Skip the event' }).click();
    await figure('Waiting', 52).waitFor();
    await page.getByRole('button', { name: 'Skip late' }).last().and(page.locator(':focus')).waitFor();
    await expectEventually(() => rows().count()).toBe(52);
    await page.getByRole('button', { name: 'Skip by filter…' }).click();
    await dialog().getByRole('combobox', { name: 'Filter' }).fill('body.n>=50');
    await dialog().getByRole('button', { name: 'Skip 2 events' }).click();
    await figure('Waiting', 50).waitFor();
    await page.goto(`${dashboard.origin}/app/endpoints/${endpoint}/destinations`);
    await page.getByText('Paused', { exact: true }).waitFor();
    expect(await violationsInBothThemes(page)).toEqual([]);
    await page.getByRole('link', { name: 'in order', exact: true }).click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await dialog().getByText("50 events waiting won't be sent.").waitFor();
    expect(await violationsInBothThemes(page, { within: 'dialog' })).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Delete', exact: true }).and(page.locator(':focus')).waitFor();
    await remove();
    await page.goto(forward);
    await page.getByText("Couldn't load this forward").waitFor();
  });

  test('nothing that must not happen has happened', () => {
    const { dialogs, violations: broken, foreign, errors } = dashboard.problems;
    expect([dialogs, broken, foreign, errors]).toEqual([[], [], [], []]);
  });
});
