import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { request } from 'node:http';
import type { Page } from 'playwright-core';
import { eventually } from '../poll.ts';
import { browserTitle, hasNoBrowser } from './chromium.ts';
import { type Dashboard, deliver, openDashboard, shownAddress } from './dashboard.ts';
import { xssPayloads } from './xss.ts';

setDefaultTimeout(180_000);

/** Sends target and headers unchanged; fetch would normalise them. */
const sendRaw = (address: string, suffix: string, headers: Record<string, string>, body: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const url = new URL(address);
    const sent = request(
      { host: url.hostname, port: url.port, method: 'POST', path: url.pathname + suffix, headers },
      response => {
        response.resume();
        response.on('end', () =>
          response.statusCode === 200 ? resolve() : reject(new Error(`status ${response.statusCode}`)),
        );
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });

/** All payloads in CI, where the browser is required; otherwise one of seven, which still cover every kind of body. */
const isComplete = process.env['HOOKTAPE_REQUIRE_BROWSER'] === '1';
const payloads = [...xssPayloads.entries()].filter(([at]) => isComplete || at % 7 === 0);

const header = (text: string): string => text.replace(/[^\x20-\x7e]/g, '').trim();
const multipart = (text: string): string =>
  `--cut\r\nContent-Disposition: form-data; name="${header(text).replaceAll('"', '%22')}"; filename="${header(text).replaceAll('"', '%22')}"\r\nContent-Type: ${header(text)}\r\n\r\n${text}\r\n--cut--\r\n`;

describe.skipIf(hasNoBrowser)(browserTitle('hostile content'), () => {
  let dashboard: Dashboard;
  let page: Page;
  let address: string;
  let listUrl: string;

  beforeAll(async () => {
    dashboard = await openDashboard();
    page = await dashboard.open();
    await dashboard.setUp(page);
    address = await shownAddress(page);
    listUrl = page.url();
  });
  afterAll(() => dashboard?.close());

  test('there are at least 100 different payloads', () =>
    expect(new Set(xssPayloads).size).toBeGreaterThanOrEqual(100));

  test('payloads in the body, headers, path, query, event type, form and parts are shown as text', async () => {
    for (const [index, text] of payloads) {
      const query = encodeURIComponent(text);
      const kinds: [string, string][] = [
        ['application/json', JSON.stringify({ [text]: text, list: [text], action: text })],
        ['text/html', text],
        ['application/x-www-form-urlencoded', `${query}=${query}`],
        ['multipart/form-data; boundary=cut', multipart(text)],
        ['image/svg+xml', `<svg xmlns="http://www.w3.org/2000/svg">${text}</svg>`],
        [header(text) || 'text/plain', text],
      ];
      const [type, body] = kinds[index % kinds.length] ?? ['text/plain', text];
      const headers = {
        'content-type': type,
        'x-github-event': header(text).slice(0, 150) || 'x',
        'user-agent': header(text) || 'x',
        'x-evil': header(text),
      };
      await sendRaw(address, `/${query}?${query}=${query}&raw=${header(text).replace(/[\s#]/g, '')}`, headers, body);
    }
    await page.goto(listUrl);
    await page.locator('.event-row.selected').waitFor();
    for (let at = 0; at < payloads.length; at++) {
      for (const key of ['1', '2', '3', '4']) await page.keyboard.press(key);
      const views = page.locator('.body-panel .segmented button');
      await page.keyboard.press('1');
      await views.first().waitFor();
      for (let view = 0; view < (await views.count()); view++) await views.nth(view).click();
      const before = page.url();
      await page.keyboard.press('j');
      if (at < payloads.length - 1) await page.waitForURL(url => url.href !== before);
    }
  });

  test('payloads in names, searches and comparisons are shown as text', async () => {
    for (const text of xssPayloads.slice(0, isComplete ? 12 : 4)) {
      await page.goto(`${listUrl.replace(/\/events\/.*/, '')}?q=${encodeURIComponent(text)}`);
      await page.locator('.event-row, .empty').first().waitFor();
    }
    await page.goto(`${dashboard.origin}/app`);
    await page.getByRole('button', { name: 'New endpoint' }).click();
    await page.getByLabel('Name').fill('<img src=x onerror=alert(1)>');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: '<img src=x onerror=alert(1)> is ready' }).waitFor();
    for (const text of xssPayloads.slice(0, 2)) await deliver(address, JSON.stringify({ [text]: text, n: text }));
    await page.goto(listUrl);
    await page.getByRole('link', { name: 'Compare' }).first().click();
    await page.getByRole('heading', { name: 'Body' }).waitFor();
  });

  test('names cannot reverse the text around them, and a long path does not hide it', async () => {
    await page.goto(`${dashboard.origin}/app`);
    await page.getByRole('button', { name: 'New endpoint' }).click();
    await page.getByLabel('Name').fill(`\u200fliah\u200e ${'W'.repeat(80)} \u{1f469}\u200d\u{1f52c}`);
    await page.getByRole('button', { name: 'Create' }).click();
    await page
      .getByRole('heading', { name: /^‹U\+200F›liah‹U\+200E› W+ \u{1f469}\u200d\u{1f52c} is ready$/u })
      .waitFor();
    await sendRaw(await shownAddress(page), `/${'long/'.repeat(1000)}`, {}, 'hi');
    await page.locator('.text-view').waitFor();
    expect((await page.locator('.event-head').boundingBox())?.height).toBeLessThan(200);
    await page.goto(`${dashboard.origin}/app`);
    await page.locator('.endpoint-card').nth(1).waitFor();
    for (const card of await page.locator('.endpoint-card').all()) {
      const [main, facts] = [card.locator('.endpoint-main a'), card.locator('.figures').first()];
      const [name, numbers] = [await main.boundingBox(), await facts.boundingBox()];
      expect((name?.x ?? 0) + (name?.width ?? 0)).toBeLessThanOrEqual(numbers?.x ?? 0);
    }
  });

  test('the raw body is downloaded as an attachment, never rendered', async () => {
    const id = await deliver(address, '<script>alert(1)</script>', { headers: { 'content-type': 'text/html' } });
    const answer = await page.evaluate(async path => {
      const response = await fetch(path);
      return [
        response.headers.get('content-type'),
        response.headers.get('content-disposition'),
        response.headers.get('x-content-type-options'),
      ];
    }, `/api/events/${id}/raw`);
    expect(answer[0]).toBe('application/octet-stream');
    expect(answer[1]).toStartWith('attachment');
    expect(answer[2]).toBe('nosniff');
  });

  test('no dialog, policy violation, foreign request or script error occurred', () =>
    expect(dashboard.problems).toEqual({ dialogs: [], violations: [], foreign: [], errors: [] }));

  test('the checks detect such problems', async () => {
    await page.evaluate(() => {
      const image = document.createElement('img');
      image.src = 'http://evil.test/pixel.png';
      document.body.append(image);
      setTimeout(() => {
        alert('seen');
        throw new Error('detected');
      });
    });
    await eventually(() => dashboard.problems.errors.length > 0);
    expect(dashboard.problems.dialogs).toEqual(['seen']);
    expect(dashboard.problems.violations.join()).toContain('img-src');
    expect(dashboard.problems.errors.join()).toContain('detected');
  });
});
