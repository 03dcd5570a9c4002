import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { violations, violationsInBothThemes } from './accessibility.ts';
import { browserTitle, hasNoBrowser } from './chromium.ts';
import { callApi, createEndpoint, type Dashboard, openDashboard } from './dashboard.ts';
import { expectEventually } from './expect-eventually.ts';

setDefaultTimeout(120_000);

const hostileName = '<img src=x onerror=alert(1)>';

describe.skipIf(hasNoBrowser)(browserTitle('answers'), () => {
  let dashboard: Dashboard;
  let page: Page;
  let id: string;
  let address: string;
  let listUrl: string;

  beforeAll(async () => {
    dashboard = await openDashboard();
    page = await dashboard.open({ reducedMotion: 'reduce' });
    await dashboard.setUp(page);
  });
  afterAll(() => dashboard?.close());

  beforeEach(async () => {
    const events = Array.from({ length: 4 }, (_, n) => ({
      body: JSON.stringify({ order: { id: `o-${n}` } }),
      path: `/orders?page=${n}`,
      ...(n % 2 === 1 && { type: 'push' }),
    }));
    ({ id, address, listUrl } = await createEndpoint(page, 'Shop', events));
  });

  const rules = () => page.locator('.rule');
  const names = () => page.locator('.rule-toggle strong').allTextContents();
  const previewed = () => page.locator('.preview-rows li');
  const save = async (): Promise<void> => {
    await page.keyboard.press('Control+s');
    await page.getByText('Answers saved.').first().waitFor();
    await page.getByRole('button', { name: 'Dismiss' }).first().click();
  };
  const stored = (): Promise<{ rules: Record<string, unknown>[] }> =>
    callApi(page, 'GET', `/api/endpoints/${id}/answers`);
  const setRules = (...given: object[]): Promise<unknown> =>
    callApi(page, 'PUT', `/api/endpoints/${id}/answers`, { rules: given });
  const push = (body: string): Promise<Response> =>
    fetch(address, { method: 'POST', headers: { 'x-github-event': 'push' }, body });
  const refusesPush = { name: 'rule-1', when: 'type:push', answer: { status: 503 } };
  /** Opens the page of the answers with one rule, whose fields are shown. */
  const openRule = async (): Promise<void> => {
    await setRules(refusesPush);
    await page.goto(`${listUrl}/answers`);
    await page.locator('.rule-toggle').click();
  };

  test('a rule is written with completion, checked while it is typed, tried on the last deliveries, and saved', async () => {
    await page.goto(listUrl);
    await page.locator('.event-row').first().waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('go to answers');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Answers', level: 1 }).waitFor();
    await previewed().nth(3).waitFor();
    await expectEventually(() => previewed().getByText('default').count()).toBe(4);
    await page.getByRole('button', { name: 'Add a rule' }).click();
    await previewed().getByText('rule-1').nth(3).waitFor();
    const condition = page.getByRole('combobox', { name: 'Filter' });
    await condition.focus();
    await page.keyboard.type('tpye:push');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('There is no field "tpye"').waitFor();
    await expectEventually(() => page.locator('.rule .search-mirror mark').textContent()).toBe('tpye');
    await page.getByRole('button', { name: 'Use “type”' }).click();
    await expectEventually(() => condition.inputValue()).toBe('type:push');
    await previewed().getByText('default').nth(1).waitFor();
    await expectEventually(() => previewed().getByText('rule-1').count()).toBe(2);
    // Known only to the server, and shown at the field before anything is saved.
    await condition.fill('is:pinned');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('Is is not known before the answer').waitFor();
    await condition.fill('t');
    await page.getByRole('option', { name: 'type:push' }).waitFor();
    await expectEventually(() => page.getByRole('option', { name: 'tag:' }).count()).toBe(0);
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
    await expectEventually(() => page.getByLabel('Body', { exact: true }).inputValue()).toBe(
      '{"order":"{{body.order.id}}"}',
    );
    await page.getByLabel('Status').fill('503');
    await save();
    await expectEventually(stored).toMatchObject({
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
    await openRule();
    const focused = () =>
      page.evaluate(
        () => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? '',
      );
    await page.getByRole('button', { name: 'Duplicate rule-1' }).focus();
    await page.keyboard.press('Enter');
    await expectEventually(names).toEqual(['rule-1', 'rule-2']);
    await expectEventually(focused).toContain('rule-2');
    await page.keyboard.press('Alt+ArrowUp');
    await expectEventually(names).toEqual(['rule-2', 'rule-1']);
    await expectEventually(focused).toContain('rule-2');
    await page.getByText('rule-2 is now rule 1 of 2.').waitFor({ state: 'attached' });
    await page.getByRole('button', { name: 'Move rule-2 down' }).focus();
    await page.keyboard.press('Enter');
    await expectEventually(names).toEqual(['rule-1', 'rule-2']);
    await expectEventually(focused).toBe('Move rule-2 down');
    // At the end, the button stays where it is.
    await page.keyboard.press('Enter');
    expect([await names(), await focused()]).toEqual([['rule-1', 'rule-2'], 'Move rule-2 down']);
    await page.getByRole('button', { name: 'Remove rule-2' }).focus();
    await page.keyboard.press('Enter');
    await expectEventually(names).toEqual(['rule-1']);
    await expectEventually(focused).toContain('rule-1');
    await page.getByRole('button', { name: 'Save', exact: true }).and(page.locator(':disabled')).waitFor();
  });

  test('unsaved changes survive leaving the page, and are saved only without mistakes', async () => {
    await openRule();
    await page.getByLabel('Name', { exact: true }).fill(hostileName);
    await page.getByLabel('First N only').fill('two');
    await page.locator('.tabbar').getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('heading', { name: /^Settings of / }).waitFor();
    await page.locator('.tabbar').getByRole('link', { name: 'Answers' }).click();
    await page.getByText('Your unsaved changes are still here').waitFor();
    await expectEventually(names).toEqual([hostileName]);
    await page.keyboard.press('Control+s');
    await page.getByLabel('First N only').and(page.locator(':focus')).waitFor();
    expect((await stored()).rules[0]?.['name']).toBe('rule-1');
    await page.getByLabel('First N only').fill('2');
    await page.getByLabel('Count', { exact: true }).selectOption('Attempts, per delivery');
    await page.getByLabel('Fault').selectOption('Close the connection without an answer');
    await page.getByText('first 2 attempts of each delivery that match type:push').waitFor();
    await save();
    expect((await stored()).rules[0]).toMatchObject({ name: hostileName, per: 'delivery', first: 2 });
  });

  test('the endpoint is marked, and events say what their sender got', async () => {
    await setRules(refusesPush);
    expect((await push('1')).status).toBe(503);
    const closing = { name: hostileName, when: 'type:push', per: 'delivery', first: 2, answer: { fault: 'close' } };
    await setRules(closing);
    expect(await push('2').catch(() => 'cut')).toBe('cut');
    await page.goto(listUrl);
    const closed = page.locator('.event-row').getByText('Connection closed');
    await expectEventually(() => closed.getAttribute('title')).toContain(hostileName);
    await page.locator('.tabbar .pill[title*="close the connection: first 2 attempts"]').waitFor();
    expect(await violationsInBothThemes(page)).toEqual([]);
    await page.locator('.event-row').filter({ hasText: 'Answered 503' }).locator('.event-link').click();
    await page.getByText('Responded with 503, rule “rule-1”.').waitFor();
    await page.getByRole('button', { name: 'Filter by answered:503' }).click();
    await page.waitForURL(url => url.searchParams.get('where') === 'answered:503');
    await page.waitForFunction(() => document.querySelectorAll('.event-row').length === 1);
    await page.setViewportSize({ width: 360, height: 740 });
    await expectEventually(() =>
      page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
    ).toBeLessThanOrEqual(0);
    expect(await violations(page)).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  test('the page is accessible in both themes and fits a phone; presets and the way back to the default', async () => {
    await setRules(refusesPush);
    await page.goto(`${listUrl}/answers`);
    await rules().first().waitFor();
    await page.getByRole('button', { name: 'Use the preset Rate-limited' }).click();
    await page.locator('.rule').getByText('requests above 5 per 60 s').waitFor();
    // The browser asks before it leaves the page.
    expect(await page.goto(listUrl).catch(() => 'stayed')).toBe('stayed');
    expect(dashboard.problems.dialogs.splice(0)).toEqual(['']);
    await page.locator('.rule-toggle').click();
    expect(await violationsInBothThemes(page)).toEqual([]);
    await page.setViewportSize({ width: 360, height: 740 });
    await expectEventually(() =>
      page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
    ).toBeLessThanOrEqual(0);
    expect(await violations(page)).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole('button', { name: 'Discard changes' }).click();
    await page.getByRole('button', { name: 'Reset to the default answer' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Reset' }).click();
    await page.getByText('No rules: senders get 200').waitFor();
    await expectEventually(stored).toEqual({ rules: [] });
    const { dialogs, violations: broken, foreign, errors } = dashboard.problems;
    expect([dialogs, broken, foreign, errors]).toEqual([[], [], [], []]);
  });

  test('a rate has the limit of the server, shown while it is typed', async () => {
    await page.goto(`${listUrl}/answers`);
    await page.getByRole('button', { name: 'Add a rule' }).click();
    await page.getByLabel('Rate limit: requests').fill('1001');
    await page.getByText('A whole number from 1 to 1,000.').waitFor();
    await page.getByLabel('Rate limit: requests').fill('1000');
    await page.getByLabel('Rate limit: seconds').fill('1');
    await save();
    expect(await callApi<object>(page, 'GET', `/api/endpoints/${id}/answers`)).toMatchObject({
      rules: [{ rate: { max: 1000, perS: 1 } }],
    });
  });
});
