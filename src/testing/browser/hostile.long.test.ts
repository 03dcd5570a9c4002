import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { request } from 'node:http';
import type { Page } from 'playwright-core';
import { eventually } from '../poll.ts';
import { cases, isProof } from '../proofs.ts';
import { browserTitle, hasNoBrowser } from './chromium.ts';
import { type Dashboard, deliver, followLink, openDashboard, shownAddress } from './dashboard.ts';
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

/** One payload of five, which still cover every kind of body; a proof shows all. */
const payloads = [...xssPayloads.entries()].filter(([at]) => isProof || at % 5 === 0);

const header = (text: string): string => text.replace(/[^\x20-\x7e]/g, '').trim();
const multipart = (text: string): string =>
  `--cut\r\nContent-Disposition: form-data; name="${header(text).replaceAll('"', '%22')}"; filename="${header(text).replaceAll('"', '%22')}"\r\nContent-Type: ${header(text)}\r\n\r\n${text}\r\n--cut--\r\n`;

/**
 * In the page: opens every view of the body of each event, and every tab of those with parameters, from the selected one to the last. Each
 * press or click through the browser would take several frames. @returns how many events were shown
 */
async function walk(count: number): Promise<number> {
  const all = <T extends Element = HTMLElement>(selector: string): T[] => [...document.querySelectorAll<T>(selector)];
  const shown = new Set<string | undefined>();
  const selected = (): string | undefined => all<HTMLAnchorElement>('.event-row.selected .event-link')[0]?.href;
  const until = async (isTrue: () => boolean): Promise<void> => {
    const deadline = performance.now() + 60_000;
    do {
      await new Promise(done => setTimeout(done, 5));
      if (performance.now() > deadline) throw new Error(`not true at event ${shown.size}: ${isTrue}`);
    } while (!isTrue());
    // What a style would load is loaded now.
    document.body.getBoundingClientRect();
  };
  const press = (key: string): void => void dispatchEvent(new KeyboardEvent('keydown', { key }));
  const isReady = (): boolean => all('#event-panel .skeleton').length === 0;
  const isLoaded = (): boolean => all('.event-actions button:disabled').length === 0 && isReady();
  while (shown.size < count) {
    await until(() => isLoaded() && !shown.has(selected()));
    // Only some have parameters.
    const tabs = all('#tab-query').length > 0 ? all('.tabs [role=tab]') : [];
    for (const tab of tabs) {
      tab.click();
      await until(() => tab.ariaSelected === 'true' && isReady());
    }
    if (tabs.length > 0) press('1');
    await until(() => all('.body-panel .segmented button').length > 0);
    for (const view of all('.body-panel .segmented [aria-pressed=false]')) {
      view.click();
      await until(isReady);
    }
    shown.add(selected());
    press('j');
  }
  return shown.size;
}

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
    for (const [at, [index, text]] of payloads.entries()) {
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
      // One event of eight has the headers and parameters of all eight, and its tabs are opened.
      const together = at % 8 === 0 ? payloads.slice(at, at + 8).map(([, one]) => one) : [];
      const headers = {
        'content-type': type,
        'x-github-event': header(text).slice(0, 150) || 'x',
        'user-agent': header(text) || 'x',
        ...Object.fromEntries(together.map((one, n) => [`x-evil-${n}`, header(one)])),
      };
      const parameters = together.map(
        one => `${encodeURIComponent(one)}=${encodeURIComponent(one)}&raw=${header(one).replace(/[\s#]/g, '')}`,
      );
      await sendRaw(address, `/${query}${parameters.length > 0 ? '?' : ''}${parameters.join('&')}`, headers, body);
    }
    await page.goto(listUrl);
    await page.locator('.event-row.selected').waitFor();
    expect(await page.evaluate(walk, payloads.length)).toBe(payloads.length);
  });

  test('payloads in names, searches and comparisons are shown as text', async () => {
    const list = new URL(listUrl).pathname.replace(/\/events\/.*/, '');
    for (const text of xssPayloads.slice(0, cases(20))) {
      await followLink(page, `${list}?where=${encodeURIComponent(text)}`);
      await page.locator('.list-pane :is(.event-row, .empty, [role=alert])').first().waitFor();
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
    expect((await page.locator('.event-head').boundingBox())?.height).toBeLessThan(250);
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
