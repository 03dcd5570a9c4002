/* Redaction in the dashboard: rules made of a field of an event and on their page, what is marked on redacted events, and erasure. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { violationsInBothThemes } from './accessibility.ts';
import { browserTitle, hasNoBrowser } from './chromium.ts';
import { callApi, type Dashboard, deliver, openDashboard, openEndpoint } from './dashboard.ts';
import { expectEventually } from './expect-eventually.ts';
import { takeShots } from './shots.ts';

setDefaultTimeout(120_000);

const email = 'ada.lovelace@example.com';
const body = JSON.stringify({ type: 'invoice.paid', customer: { email, name: 'Ada' }, amount: 12 });
const json = { 'content-type': 'application/json' };

describe.skipIf(hasNoBrowser)(browserTitle('redaction'), () => {
  let dashboard: Dashboard;
  let page: Page;
  let id: string;
  let address: string;
  let listUrl: string;

  beforeAll(async () => {
    dashboard = await openDashboard();
    page = await dashboard.open({ reducedMotion: 'reduce' });
    await dashboard.setUp(page);
    ({ id, address, listUrl } = await openEndpoint(page, 'Shop', [{ body, path: '?token=abc' }]));
  });
  afterAll(() => dashboard?.close());

  const saved = (): Promise<{ rules: object[]; otherBodies: string }> =>
    callApi(page, 'GET', `/api/endpoints/${id}/redaction`);
  const shots = (name: string): Promise<void> => takeShots(page, 'REDACTION_SHOTS', name);

  test('a field of an event becomes a rule, and later events are marked', async () => {
    await page.locator('.event-row').first().click();
    await page.getByRole('treeitem', { name: 'customer' }).waitFor();
    await page.locator('.tree-row', { hasText: email }).click();
    await page.getByRole('button', { name: 'Redact', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Always redact this field' });
    await dialog.getByText('body.customer.email').waitFor();
    await dialog.getByText(`Example: ${email} → ****.com`).waitFor();
    await shots('dialog');
    expect(await violationsInBothThemes(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Save rule' }).click();
    await expectEventually(saved).toMatchObject({ rules: [{ in: 'body', path: 'customer.email', with: 'mask' }] });
    const redacted = await deliver(address, body, { headers: json });
    await page.goto(`${listUrl}/events/${redacted}`);
    await page.getByText('Redacted: 1 field by 1 rule').click();
    await page.getByText('The SHA-256 of the original body was not kept.').waitFor();
    await expectEventually(() => page.locator('.redacted-mark').allTextContents()).toEqual(['masked']);
    await shots('event');
    expect(await violationsInBothThemes(page)).toEqual([]);
  });

  test('rules are added, refused, previewed, saved and removed on their page', async () => {
    await page.goto(`${listUrl}/settings/redaction`);
    await page.getByText('1 of the last 2 events would change.').waitFor();
    await page.getByRole('button', { name: 'Add a rule' }).click();
    const rule = page.getByRole('group', { name: 'Rule 2' });
    await expectEventually(() => rule.getByLabel('What').evaluate(one => one === document.activeElement)).toBe(true);
    await rule.getByLabel('Path').fill('customer..name');
    await page.getByText('Must be a path such as').waitFor();
    await rule.getByLabel('Path').fill('customer.name');
    await page.getByText('All of the last 2 events would change.').waitFor();
    await rule.getByLabel('How').selectOption('hash');
    await page.getByRole('button', { name: 'Add a rule' }).click();
    await page.getByRole('group', { name: 'Rule 3' }).getByLabel('What').selectOption('card');
    await page.getByLabel("Store bodies that rules can't read").check();
    await shots('rules');
    expect(await violationsInBothThemes(page)).toEqual([]);
    await page.getByRole('button', { name: 'Save redaction' }).click();
    await expectEventually(saved).toMatchObject({
      rules: [{ path: 'customer.email' }, { path: 'customer.name', with: 'hash' }, { detect: 'card', with: 'remove' }],
      otherBodies: 'keep',
    });
    // The saved rules for what is stored: a count ends with its filter and with other rules.
    const applied = page.getByText('2 events found, 2 of which would change.');
    await page.getByLabel('Only events that match').fill('received>>');
    await page.keyboard.press('Enter');
    await page.locator('.field', { hasText: 'Only events that match' }).getByText("can't be combined").waitFor();
    await page.getByLabel('Only events that match').fill('');
    await page.keyboard.press('Enter');
    await applied.waitFor();
    await page.getByLabel('Only events that match').fill('is:redacted');
    await applied.waitFor({ state: 'detached' });
    await page.getByLabel('Only events that match').fill('');
    await applied.waitFor();
    await page.getByRole('group', { name: 'Rule 2' }).getByLabel('How').selectOption('mask');
    await page.getByRole('button', { name: 'Save redaction' }).click();
    await applied.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Count', exact: true }).click();
    await page.getByRole('button', { name: /^Redact \d stored events?…/ }).click();
    await page.getByRole('button', { name: 'Redact stored events' }).click();
    await page.getByText(/\d events? redacted\./).waitFor();
    const filter = page.getByLabel('Only events that match');
    await expectEventually(() => filter.evaluate(one => one === document.activeElement)).toBe(true);
    expect(await violationsInBothThemes(page)).toEqual([]);
    for (const number of [3, 2, 1])
      await page.getByRole('button', { name: new RegExp(`^Remove rule ${number}`) }).click();
    await page.getByText('No rules: events are stored as they come.').waitFor();
    await page.getByRole('button', { name: 'Save redaction' }).click();
    await expectEventually(saved).toMatchObject({ rules: [] });
    await expectEventually(() => page.getByRole('button', { name: 'Discard changes' }).count()).toBe(0);
  });

  test('the owner counts the events with a text, then deletes them, and sees how far it is', async () => {
    const erasures: string[] = [];
    const erasure = (state: string, dryRun: boolean) => ({
      id: `era_${dryRun}`,
      state,
      dryRun,
      endpoints: state === 'searching' ? [] : [{ id, name: 'Shop', events: 2, pinned: 1 }],
      events: state === 'searching' ? 0 : 2,
    });
    // The states between need many events.
    let isDone = false;
    await page.route('**/api/erasures**', route => {
      if (route.request().method() === 'POST') erasures.push(route.request().postData() ?? '');
      const isCount = erasures.length < 2;
      const running = isCount ? 'searching' : 'deleting';
      return route.fulfill({ status: 202, json: erasure(isDone ? 'done' : running, isCount) });
    });
    await page.goto(new URL('/app/settings/erasure', listUrl).href);
    await page.getByRole('heading', { name: 'Erasure' }).waitFor();
    await page.getByLabel('Text').fill('short');
    await page.getByRole('button', { name: 'Find events' }).click();
    await page.getByText('Enter 8 to 200 characters.').waitFor();
    await page.getByLabel('Text').fill(email);
    await page.getByRole('button', { name: 'Find events' }).click();
    await page.getByText('Searching all events…').waitFor();
    isDone = true;
    await page.getByText('2 events found. Nothing is deleted yet.').waitFor();
    await page.getByText('2 events, 1 pinned').waitFor();
    await page.getByLabel('Text').fill('somebody.else@example.com');
    await page.getByText('2 events found.').waitFor({ state: 'detached' });
    await page.getByLabel('Text').fill(email);
    await page.getByText('2 events found.').waitFor();
    await shots('erasure');
    expect(await violationsInBothThemes(page)).toEqual([]);
    isDone = false;
    await page.getByRole('button', { name: 'Delete 2 events…' }).click();
    await page.getByRole('button', { name: 'Delete permanently' }).click();
    await page.getByText('Deleting 2 events').waitFor();
    isDone = true;
    await page.getByText('2 events deleted. No file of this server has the text any more.').waitFor();
    expect(erasures.map(text => JSON.parse(text))).toEqual([
      { text: email, dryRun: true },
      { text: email, dryRun: false },
    ]);
  });

  test('nothing was asked, violated or thrown', () => {
    expect(dashboard.problems).toEqual({ dialogs: [], violations: [], foreign: [], errors: [] });
  });
});
