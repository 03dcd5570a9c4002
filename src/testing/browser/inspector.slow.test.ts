import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { browserTitle, hasNoBrowser } from './chromium.ts';
import { type Dashboard, deliver, openDashboard, openEndpoint } from './dashboard.ts';
import { expectEventually } from './expect-eventually.ts';

setDefaultTimeout(120_000);

describe.skipIf(hasNoBrowser)(browserTitle('inspector'), () => {
  let dashboard: Dashboard;
  let page: Page;
  let address: string;
  let listUrl: string;
  const received: { method: string; body: string; replayOf: string | null }[] = [];
  const receiver = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      received.push({
        method: request.method,
        body: await request.text(),
        replayOf: request.headers.get('x-service-replay'),
      });
      return new Response('thank you', { status: received.length === 3 ? 500 : 200 });
    },
  });

  beforeAll(async () => {
    dashboard = await openDashboard();
    page = await dashboard.open({ permissions: ['clipboard-read', 'clipboard-write'] });
    await dashboard.setUp(page);
  });
  afterAll(async () => {
    await receiver.stop(true);
    await dashboard?.close();
  });
  beforeEach(async () => {
    const events = Array.from({ length: 12 }, (_, n) => ({
      body: `{"n":${n + 1},"big":12345678901234567890,"fruit":"${n % 2 ? 'pear' : 'apple'}"}`,
    }));
    ({ address, listUrl } = await openEndpoint(page, 'Shop', events));
    await page.locator('.event-row.selected').waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
  });

  const rows = () => page.locator('.event-row');
  const waitForSelected = async (n: number): Promise<void> => {
    await page.getByRole('treeitem', { name: `n: ${n}`, exact: true }).waitFor();
  };

  test('large numbers are shown exactly as sent', async () => {
    await page.getByRole('treeitem', { name: 'big: 12345678901234567890' }).waitFor();
  });

  test('a compressed body is shown decompressed, and downloaded as stored', async () => {
    const body = gzipSync('{"inside":"gzip"}');
    await deliver(address, body, { headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' } });
    await page.getByText('binary data').first().waitFor();
    await page.keyboard.press('g');
    await page.getByRole('treeitem', { name: 'inside: "gzip"' }).waitFor();
    await page.getByRole('button', { name: 'Show as sent' }).click();
    await page.getByText('1f 8b').waitFor();
  });

  test('1 MB of JSON and 100,000 levels are shown without delay', async () => {
    const items = Array.from({ length: 9000 }, (_, n) => ({
      id: n,
      name: `item ${n}`,
      tags: ['a', 'b'],
      text: 'x'.repeat(60),
    }));
    await deliver(address, JSON.stringify({ items, long: 'y'.repeat(400_000) }));
    await page.getByText('"name":"item 0"').first().waitFor();
    await page.keyboard.press('g');
    await page.getByRole('treeitem', { name: /^items: \[… 9,000 items \]/ }).click();
    await page.getByRole('button', { name: 'Expand all' }).click();
    await page.getByRole('treeitem', { name: 'id: 0', exact: true }).waitFor();
    await expectEventually(() => page.locator('.tree-row').count()).toBeLessThan(100);
    await page.getByRole('button', { name: 'Collapse' }).click();
    await page.getByRole('treeitem', { name: /^long/ }).click();
    await page.locator('.tree-foot').getByRole('button', { name: 'Show whole value' }).click();
    await page.getByRole('button', { name: /Show more/ }).waitFor();
    await page.keyboard.press('Escape');
    const levels = 100_000;
    await deliver(address, '['.repeat(levels) + ']'.repeat(levels));
    await page.getByText('[[[[').first().waitFor();
    await page.keyboard.press('g');
    await page.getByRole('button', { name: 'Expand all' }).click();
    await page.locator('.tree').evaluate(tree => tree.scrollTo(0, 1_000_000));
    await page
      .getByText(/level \d+/)
      .first()
      .waitFor();
  });

  test('the search finds payload text, reports when nothing matches, and survives a reload', async () => {
    await page.getByRole('combobox', { name: 'Search and filter events' }).fill('APPLE');
    await page.waitForFunction(() => document.querySelectorAll('.event-row').length === 6);
    expect(page.url()).toContain('where=APPLE');
    await page.reload();
    await page.waitForFunction(() => document.querySelectorAll('.event-row').length === 6);
    await page.getByRole('combobox', { name: 'Search and filter events' }).fill('no such thing');
    await page.getByText('Nothing found').waitFor();
    await page.getByRole('button', { name: 'Clear search' }).click();
    await page.waitForFunction(() => document.querySelectorAll('.event-row').length >= 12);
  });

  test('during a search, new events are added only when they match', async () => {
    await page.getByRole('combobox', { name: 'Search and filter events' }).fill('kiwi');
    await page.getByText('Nothing found').waitFor();
    await deliver(address, '{"fruit":"plum"}');
    await deliver(address, '{"fruit":"kiwi"}');
    await rows().first().waitFor();
    await expectEventually(() => rows().count()).toBe(1);
  });

  test('while paused, new events are counted and the list does not change', async () => {
    const before = await rows().count();
    await page.keyboard.press('p');
    await page.getByText('Paused').waitFor();
    await deliver(address, '{"n":101}');
    await deliver(address, '{"n":102}');
    await page.getByText('2 new, paused').waitFor();
    await expectEventually(() => rows().count()).toBe(before);
    await page.keyboard.press('p');
    await page.waitForFunction(count => document.querySelectorAll('.event-row').length >= count, before + 1);
  });

  test('a new event does not change the selection', async () => {
    const at = page.url();
    await deliver(address, '{"n":103}');
    await page.getByText('"n":103').first().waitFor();
    expect(page.url()).toBe(at);
  });

  test('a row shows what matters of a known payload, as text, and the beginning of any other', async () => {
    const title = '<b>Fix</b> \u202eit';
    await deliver(address, JSON.stringify({ action: 'opened', number: 12, pull_request: { title } }), {
      headers: { 'x-github-event': 'pull_request' },
    });
    const preview = rows().first().locator('.preview');
    await rows().first().getByText('pull_request · opened').waitFor();
    await expectEventually(() => preview.textContent()).toBe('<b>Fix</b> \ufffdit · #12');
    await deliver(address, '{"n":150}');
    await rows().first().getByText('{"n":150}').waitFor();
  });

  test('keyboard shortcuts: j and k move, g selects the newest, 1 to 5 switch tabs, ? lists the shortcuts', async () => {
    await deliver(address, '{"n":201}');
    await deliver(address, '{"n":202}');
    await page.getByText('"n":202').first().waitFor();
    await page.keyboard.press('g');
    await waitForSelected(202);
    await page.keyboard.press('j');
    await waitForSelected(201);
    await page.keyboard.press('k');
    await waitForSelected(202);
    for (const [key, tab] of [
      ['2', 'Headers'],
      ['4', 'Signature'],
      ['5', 'Replays'],
      ['1', 'Body'],
    ] as const) {
      await page.keyboard.press(key);
      await page.getByRole('tab', { name: tab, selected: true }).waitFor();
    }
    await page.keyboard.press('/');
    expect(
      await page
        .getByRole('combobox', { name: 'Search and filter events' })
        .evaluate(box => box === document.activeElement),
    ).toBe(true);
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await page.keyboard.press('Escape');
  });

  test('c copies a curl command that sends the same bytes', async () => {
    await page.keyboard.press('g');
    await page.getByRole('treeitem').first().waitFor();
    await page.keyboard.press('c');
    await page.getByText('Copied as a curl command to the endpoint URL.').waitFor();
    const command = await page.evaluate(() => navigator.clipboard.readText());
    expect(command).toStartWith('curl ');
    expect(command).toContain(address);
    const child = Bun.spawn(['sh', '-c', command], { stdout: 'pipe', stderr: 'pipe' });
    expect(JSON.parse(await new Response(child.stdout).text())).toMatchObject({ ok: true });
  });

  test('a replay sends the event, shows the response, and is listed in the history', async () => {
    await deliver(address, '{"n":301}');
    await page.getByText('"n":301').first().waitFor();
    await page.keyboard.press('g');
    await waitForSelected(301);
    await page.keyboard.press('r');
    const destination = `http://127.0.0.1:${receiver.port}/hooks`;
    await page.getByLabel('Destination').fill(destination);
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('thank you').waitFor();
    expect(received.at(-1)).toEqual({
      method: 'POST',
      body: '{"n":301}',
      replayOf: page.url().split('/').at(-1) ?? '',
    });
    await page.keyboard.press('Escape');
    await page.keyboard.press('5');
    await page.getByRole('tabpanel').getByText(destination, { exact: true }).waitFor();
    await page.keyboard.press('r');
    await expectEventually(() => page.getByLabel('Destination').inputValue()).toBe(destination);
    await page.keyboard.press('Escape');
  });

  test('a forbidden destination is reported with the setting that opens it', async () => {
    await page.keyboard.press('r');
    await page.getByLabel('Destination').fill('http://169.254.169.254/latest');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.locator('dialog .notice.bad').getByText('HOOKTAPE_REPLAY_ALLOW=169.254.169.254').waitFor();
    await page.keyboard.press('Escape');
  });

  test('several events are replayed one after the other, oldest first, with progress', async () => {
    const before = received.length;
    for (const n of [401, 402]) await deliver(address, `{"n":${n}}`);
    await page.getByText('"n":402').first().waitFor();
    await page.keyboard.press('g');
    await waitForSelected(402);
    await page.keyboard.press('x');
    await page.keyboard.press('j');
    await waitForSelected(401);
    await page.keyboard.press('x');
    await page.getByText('2 selected').waitFor();
    await page.keyboard.press('r');
    await page.getByLabel('Destination').fill(`http://127.0.0.1:${receiver.port}/hooks`);
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('2 of 2 sent').waitFor();
    expect(received.slice(before).map(one => one.body)).toEqual(['{"n":401}', '{"n":402}']);
    await page.keyboard.press('Escape');
  });

  test('two events are compared by structure', async () => {
    await page.getByRole('link', { name: 'Compare' }).first().click();
    await page.getByRole('heading', { name: 'Compare' }).waitFor();
    await page.getByRole('row', { name: /^Changed n/ }).waitFor();
  });

  test('copying works without the Clipboard API', async () => {
    const plain = await dashboard.open();
    await plain.addInitScript(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
    await plain.context().addCookies(await page.context().cookies());
    await plain.goto(listUrl);
    await plain.getByRole('treeitem').first().waitFor();
    await plain.keyboard.press('c');
    await plain.getByText('Copied as a curl command to the endpoint URL.').waitFor();
    await plain.context().close();
  });

  test('no dialog, policy violation, foreign request or script error occurred', () =>
    expect(dashboard.problems).toEqual({ dialogs: [], violations: [], foreign: [], errors: [] }));
});
