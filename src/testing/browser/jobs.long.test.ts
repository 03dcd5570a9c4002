/* Replay jobs in the dashboard: started from a filter, watched, changed; comparisons; and the audit log that says who did it. */
import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import type { Page, Route } from 'playwright-core';
import { violations, violationsInBothThemes } from './accessibility.ts';
import { browserTitle, hasNoBrowser } from './chromium.ts';
import { callApi, createEndpoint, type Dashboard, deliver, openDashboard, owner } from './dashboard.ts';
import { expectEventually } from './expect-eventually.ts';

setDefaultTimeout(120_000);

const hostile = '<img src=x onerror=alert(1)> | ` \u202e';

describe.skipIf(hasNoBrowser)(browserTitle('replay jobs'), () => {
  let dashboard: Dashboard;
  let page: Page;
  let endpoint: string;
  let listUrl: string;
  const opened: { stop: (now: boolean) => Promise<void> }[] = [];
  const destination = (answer: (body: { n: number }) => Response | Promise<Response>): string => {
    const http = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: async request => answer((await request.json()) as { n: number }),
    });
    opened.push(http);
    return `http://127.0.0.1:${http.port}/hook`;
  };

  beforeAll(async () => {
    dashboard = await openDashboard({ HOOKTAPE_REPLAY_ALLOW: '127.0.0.0/8' });
    page = await dashboard.open({ reducedMotion: 'reduce', acceptDownloads: true });
    await dashboard.setUp(page);
  });
  afterAll(async () => {
    for (const one of opened) await one.stop(true);
    await dashboard?.close();
  });

  beforeEach(async () => {
    const events = Array.from({ length: 12 }, (_, n) => ({
      body: JSON.stringify({ n, kind: n % 2 ? 'odd' : 'even' }),
    }));
    ({ id: endpoint, listUrl } = await createEndpoint(page, 'Shop', events));
  });

  const fitsPhone = async (): Promise<void> => {
    await page.setViewportSize({ width: 360, height: 740 });
    await expectEventually(() =>
      page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
    ).toBeLessThanOrEqual(0);
    expect(await violations(page, { withoutColours: true })).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 800 });
  };
  /** The events of the job that is shown. */
  const items = () => page.getByRole('region', { name: 'Events' }).getByRole('listitem');
  /** What a running job says in place of its state. */
  const running = () => page.getByText(/^(Estimating…|Still running|.* left)$/);
  /** Opens the dialog by keyboard, for the events that the list shows. */
  const openDialog = async (where: string): Promise<void> => {
    await page.goto(`${listUrl}?where=${encodeURIComponent(where)}`);
    await page.locator('.event-row').first().waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('replay all that match');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Replay all that match' }).waitFor();
  };

  test('a job is started from the filter, and its failed events are one click away', async () => {
    const url = destination(({ n }) => new Response(null, { status: n === 3 ? 500 : 204 }));
    await openDialog('body.kind:odd');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('6 events, ').waitFor();
    await expectEventually(() => dialog.getByRole('button', { name: 'Start replay' }).isDisabled()).toBe(true);
    await dialog.getByText('More options').click();
    expect(await violationsInBothThemes(page, { within: 'dialog' })).toEqual([]);
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await violations(page, { within: 'dialog' })).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'List menu' }).click();
    await page.getByRole('button', { name: 'Replay all that match…' }).click();
    await dialog.getByLabel('Pace').selectOption('Fixed rate');
    await dialog.getByLabel('Events per second').fill('many');
    await dialog.getByText('Enter a number from 0.001 to 10,000.').waitFor();
    await dialog.getByLabel('Events per second').fill('200');
    await dialog.getByLabel('Destination', { exact: true }).fill(url);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: `6 events to ${new URL(url).host}`, level: 1 }).waitFor();
    await page.getByText('Done', { exact: true }).waitFor();
    await expectEventually(() => page.title()).toBe('Replay job · Hooktape');
    await page.getByText('5 accepted').waitFor();
    await page.getByText('500 Internal Server Error').waitFor();
    await expectEventually(() => items().count()).toBe(6);
    // What came, what the destination said to it, and how long that took.
    await expectEventually(() => items().nth(1).textContent()).toMatch(
      /\{"n":3,"kind":"odd"\}500 Internal Server Error\d.* m?s\d\d:\d\d:\d\d$/,
    );
    await expectEventually(async () => (await items().nth(1).boundingBox())?.height).toBe(38);
    await page.getByText(/^today at .* by mira@example\.com$/).waitFor();
    await page.getByRole('link', { name: 'Failed 1' }).click();
    await expectEventually(() => items().count()).toBe(1);
    expect(await violationsInBothThemes(page)).toEqual([]);
    await fitsPhone();
    await page.getByRole('link', { name: 'Accepted 5' }).click();
    await items().nth(4).waitFor();
    await page.getByRole('link', { name: '← Destinations' }).click();
    await page.getByRole('link', { name: '1 failed' }).first().click();
    await page.getByText('500 Internal Server Error').waitFor();
    await items().getByRole('link').click();
    await page.getByRole('tab', { name: /Replays/ }).waitFor();
  });

  test('more than 500 events go to another machine only when their number was typed', async () => {
    const { address, listUrl: many } = await createEndpoint(page, 'many');
    for (let n = 0; n < 510; n += 30)
      await Promise.all(Array.from({ length: 30 }, (_, at) => deliver(address, `{"n":${n + at}}`)));
    await page.goto(many);
    await page.getByRole('button', { name: 'List menu' }).click();
    await page.getByRole('button', { name: 'Replay all events…' }).click();
    const dialog = page.getByRole('dialog');
    const start = dialog.getByRole('button', { name: 'Start replay' });
    await dialog.getByText('510 events, ').waitFor();
    await dialog.getByLabel('Destination', { exact: true }).fill('http://localhost:3000/hook');
    await expectEventually(() => start.isEnabled()).toBe(true);
    await dialog.getByLabel('Destination', { exact: true }).fill('https://203.0.113.9/hook');
    const number = dialog.getByLabel('Type 510 to send that many events to another machine');
    await number.fill('51');
    await expectEventually(() => start.isDisabled()).toBe(true);
    await number.fill('510');
    await expectEventually(() => start.isEnabled()).toBe(true);
    expect(await violations(page, { within: 'dialog' })).toEqual([]);
    await dialog.getByLabel('Only events that match').fill('body.n<10');
    await dialog.getByText('10 events, ').waitFor();
    await number.waitFor({ state: 'detached' });
    await dialog.getByLabel('Only events that match').fill('body.n<');
    await expectEventually(() => start.isDisabled()).toBe(true);
    await dialog.getByLabel('Destination', { exact: true }).focus();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await expectEventually(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe(
      'List menu',
    );
  });

  test('a job is paused, goes on and is cancelled; its destination is refused to another one', async () => {
    const url = destination(() => new Response(null, { status: 204 }));
    await openDialog('body.kind:even');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Destination', { exact: true }).fill(url);
    await dialog.getByLabel('Pace').selectOption('Fixed rate');
    await dialog.getByLabel('Events per second').fill('0.01');
    await dialog.getByRole('button', { name: 'Start replay' }).click();
    await page.getByText('1 of 6 events').waitFor();
    await running().waitFor();
    const jobUrl = page.url();
    await openDialog('body.kind:even');
    await dialog.getByLabel('Destination', { exact: true }).fill(url);
    await dialog.getByRole('button', { name: 'Start replay' }).click();
    await dialog.getByRole('alert').getByText('A job that is not over sends to this destination').waitFor();
    await dialog.getByRole('link', { name: 'Destinations' }).click();
    await running().waitFor();
    expect(await violationsInBothThemes(page)).toEqual([]);
    await fitsPhone();
    await page.goto(jobUrl);
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('Nothing is sent until you resume it.').waitFor();
    await page.getByRole('button', { name: 'Resume' }).click();
    await running().waitFor();
    await page.getByRole('button', { name: 'Cancel the job' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the job' }).click();
    await page.getByText('Cancelled', { exact: true }).waitFor();
    await expectEventually(() => page.getByRole('button', { name: 'Resume' }).count()).toBe(0);
  });

  test('a job is started from selected events', async () => {
    await page.goto(listUrl);
    for (const n of [0, 2]) {
      await page.locator('.event-row').nth(n).hover();
      await page.locator('.event-row').nth(n).getByRole('checkbox').click();
    }
    await page.getByText('2 selected').waitFor();
    expect(await violations(page)).toEqual([]);
    await expectEventually(() =>
      page.locator('.bulk-bar').evaluate(bar => bar.scrollWidth - bar.clientWidth),
    ).toBeLessThanOrEqual(0);
    await page.getByRole('button', { name: 'Start a replay job' }).click();
    const dialog = page.getByRole('dialog', { name: 'Replay the selected events' });
    await dialog.getByLabel('Destination', { exact: true }).fill(destination(() => new Response(null)));
    await dialog.getByRole('button', { name: 'Start replay' }).click();
    await page.getByText('2 of 2 events').waitFor();
  });

  test('a comparison shows where two handlers differ, both answers, and is kept as JSON and Markdown', async () => {
    const left = destination(({ n }) => Response.json({ items: [{ total: n }], note: 'same' }));
    const right = destination(({ n }) => Response.json({ items: [{ total: n < 4 ? hostile : n }], note: 'same' }));
    await openDialog('body.n>=0');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Destination', { exact: true }).fill(left);
    await dialog.getByText('More options').click();
    await dialog.getByLabel('Compare with a second destination').fill(right);
    await dialog.getByLabel('Ignore').fill('body.note, body.at');
    await dialog.getByRole('button', { name: 'Start replay' }).click();
    await page
      .getByRole('heading', { name: `12 events to ${new URL(left).host} and ${new URL(right).host}`, level: 1 })
      .waitFor();
    await page.getByText('4 different').waitFor();
    const group = page.getByRole('region', { name: 'Where the responses differ' }).locator('details');
    await group.getByText('4 events').waitFor();
    await expectEventually(() => group.locator('summary code').allTextContents()).toEqual(['body.items[].total']);
    await group.locator('summary').focus();
    await page.keyboard.press('Enter');
    await group.getByRole('button', { name: 'Show responses' }).first().click();
    await page.getByRole('region', { name: 'Destination B response' }).getByText('200 OK').waitFor();
    await expectEventually(() =>
      page.getByRole('region', { name: 'Destination B response' }).locator('pre').last().textContent(),
    ).toContain('<img src=x onerror=alert(1)>');
    await expectEventually(() => page.locator('main img').count()).toBe(0);
    expect(await violationsInBothThemes(page)).toEqual([]);
    await fitsPhone();
    const saved = async (name: string): Promise<string> => {
      const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name }).click()]);
      return readFileSync(await download.path(), 'utf8');
    };
    expect(JSON.parse(await saved('JSON'))).toMatchObject({
      job: { same: 8, different: 4, ignore: ['body.note', 'body.at'] },
      paths: [{ path: 'body.items[].total', events: 4 }],
      truncated: false,
    });
    const markdown = await saved('Markdown');
    expect(markdown).toContain('12 events: 8 the same, 4 different');
    expect(Bun.markdown.html(markdown)).not.toContain('<img');
  });

  test('the audit log says who did it, by person, thing and day, and is downloaded', async () => {
    const dest = destination(() => new Response(null, { status: 204 }));
    const job = { endpointId: endpoint, dest, pace: '0.01/s' };
    const { id } = await callApi<{ id: string }>(page, 'POST', '/api/replay-jobs', job);
    for (const act of ['pause', 'cancel']) await callApi(page, 'POST', `/api/replay-jobs/${id}/${act}`, {});
    await page.goto(`${dashboard.origin}/app/settings/audit`);
    const host = new URL(dest).host;
    const lines = page.locator('.audit-lines li');
    const told = (verb: string) => page.getByRole('link', { name: `${owner.email} ${verb} a replay of` }).first();
    await lines
      .filter({ hasText: `${owner.email} cancelled a replay of` })
      .filter({ hasText: host })
      .waitFor();
    expect(await violationsInBothThemes(page)).toEqual([]);
    await fitsPhone();
    const select = (label: string, option: string) =>
      page.getByLabel(label, { exact: true }).selectOption({ label: option });
    await select('Thing', 'Replay jobs');
    await lines.filter({ hasText: 'created' }).first().waitFor({ state: 'detached' });
    await told('paused').waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download as NDJSON' }).click(),
    ]);
    const file = readFileSync(await download.path(), 'utf8')
      .trim()
      .split('\n');
    const actions = new Set(file.map(line => (JSON.parse(line) as { action: string }).action.split('.')[0]));
    expect([...actions]).toEqual(['replay_job']);
    await page.reload();
    await told('paused').waitFor();
    await select('Person', 'The operator');
    await page.getByText('No entry matches these filters.').waitFor();
    await select('Person', owner.email);
    await told('paused').waitFor();
    await page.getByLabel('To', { exact: true }).fill('2020-01-31');
    await page.getByText('No entry matches these filters.').waitFor();
    await page.getByLabel('To', { exact: true }).fill(new Date().toISOString().slice(0, 10));
    await told('started').click();
    await page.getByRole('heading', { level: 1, name: /events? to / }).waitFor();
    // More than a page: the names of an endpoint.
    for (let n = 0; n < 50; n++) await callApi(page, 'PATCH', `/api/endpoints/${endpoint}`, { name: `name ${n}` });
    await page.goto(`${dashboard.origin}/app/settings/audit`);
    await page
      .getByText(/changed the settings of endpoint “name \d+”: name/)
      .nth(49)
      .waitFor();
    await page.getByRole('button', { name: 'Show older entries' }).click();
    await told('cancelled').waitFor();
  });

  test('the list of a running job grows with its answers, and shows what comes after its first page', async () => {
    const events = Array.from({ length: 4 }, (_, n) => ({ body: `{"n":${n}}` }));
    const { id: endpointId } = await createEndpoint(page, 'watched', events);
    const gates = events.map(() => Promise.withResolvers<void>());
    const dest = destination(async ({ n }) => {
      await gates[n]?.promise;
      return new Response(null, { status: n === 3 ? 500 : 204 });
    });
    const { id } = await callApi<{ id: string }>(page, 'POST', '/api/replay-jobs', { endpointId, dest });
    await page.goto(`${dashboard.origin}/app/jobs/${id}?outcome=ok`);
    await page.getByText('No events.', { exact: true }).waitFor();
    for (const n of [0, 1, 2]) {
      gates[n]?.resolve();
      await items().nth(n).waitFor();
    }
    await running().waitFor();
    await page.getByRole('link', { name: 'Waiting 1' }).click();
    await items().first().waitFor();
    // The first read after the job is over fails, and nothing changes after it.
    const isRefused = Promise.withResolvers<void>();
    const refuse = async (route: Route): Promise<void> => {
      await route.fulfill({ status: 400, json: { error: 'not now' } });
      isRefused.resolve();
    };
    await page.route('**/items?*', refuse, { times: 1 });
    gates[3]?.resolve();
    await isRefused.promise;
    await page.getByText('No events.', { exact: true }).waitFor();
  });

  test('nothing that must not happen has happened', () => {
    const { dialogs, violations: broken, foreign, errors } = dashboard.problems;
    expect([dialogs, broken, foreign, errors]).toEqual([[], [], [], []]);
  });
});
