/* Alerts in the dashboard: made, tested against a real receiver, changed, fired, deleted. */
import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { Webhook } from 'standardwebhooks';
import { openMailServer, openReceiver } from '../receivers.ts';
import { violations, violationsInBothThemes } from './accessibility.ts';
import { browserTitle, hasNoBrowser } from './chromium.ts';
import { callApi, createEndpoint, type Dashboard, deliver, openDashboard } from './dashboard.ts';
import { expectEventually } from './expect-eventually.ts';

setDefaultTimeout(120_000);

const hostileName = '<img src=x onerror=alert(1)> & co';

describe.skipIf(hasNoBrowser)(browserTitle('alerts'), () => {
  let dashboard: Dashboard;
  let page: Page;
  let id: string;
  let endpointUrl: string;
  let address: string;
  let status = 200;
  const receiver = openReceiver(() => new Response('', { status }));

  beforeAll(async () => {
    dashboard = await openDashboard({ HOOKTAPE_REPLAY_ALLOW: '127.0.0.0/8' });
    page = await dashboard.open({ reducedMotion: 'reduce' });
    await dashboard.setUp(page);
  });
  afterAll(async () => {
    await dashboard?.close();
    await receiver.close();
  });

  beforeEach(async () => {
    const event = { body: '{"zen":"one"}', type: 'push' };
    ({ id, address, listUrl: endpointUrl } = await createEndpoint(page, 'Shop', [event]));
  });

  const look = async (name: string): Promise<void> => {
    const folder = Bun.env['HOOKTAPE_SCREENSHOTS'];
    if (!folder) return;
    await page.evaluate(() => Promise.all(document.getAnimations().map(one => one.finished.catch(() => {}))));
    await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
  };
  const isAccessible = async (name: string): Promise<void> => {
    expect(await violationsInBothThemes(page)).toEqual([]);
    await look(`${name}-light`);
    if (Bun.env['HOOKTAPE_SCREENSHOTS']) {
      await page.emulateMedia({ colorScheme: 'dark' });
      await look(`${name}-dark`);
      await page.emulateMedia({ colorScheme: 'light' });
    }
    await page.setViewportSize({ width: 360, height: 740 });
    await expectEventually(() =>
      page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
    ).toBeLessThanOrEqual(0);
    expect(await violations(page, { withoutColours: true })).toEqual([]);
    await look(`${name}-360`);
    await page.setViewportSize({ width: 1280, height: 800 });
  };
  const cards = () => page.locator('.alert-card');
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? '');
  const path = () => `/api/endpoints/${id}/alerts`;
  const stored = async (): Promise<Record<string, unknown>[]> =>
    (await callApi<{ alerts: Record<string, unknown>[] }>(page, 'GET', path())).alerts;
  /** Alerts about silence and about invalid signatures; opens their page. */
  const openAlerts = async (): Promise<void> => {
    const webhook = { type: 'webhook', url: `${receiver.origin}/hook` };
    const silence = { name: hostileName, kind: 'silence', minutes: 30, where: 'type:push', channel: webhook };
    const ntfy = { type: 'ntfy', url: `${receiver.origin}/topic`, secret: 'tk_one' };
    const signatures = { name: 'Invalid signatures', kind: 'bad_signatures', count: 1, minutes: 5, channel: ntfy };
    for (const alert of [silence, signatures]) await callApi(page, 'POST', path(), alert);
    await page.goto(`${endpointUrl}/alerts`);
    await cards().nth(1).waitFor();
  };

  test('an empty page explains alerts, and its first one is made by keyboard, with completion', async () => {
    await page.goto(endpointUrl);
    await page.locator('.event-row').waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('go to alerts');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Know when webhooks stop arriving' }).waitFor();
    await isAccessible('empty');
    await page.getByRole('button', { name: 'Alert me when it goes silent' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('Fires when no event arrives for 30 minutes.').waitFor();
    await expectEventually(() => page.getByRole('radio', { name: /^Silence/ }).isChecked()).toBe(true);
    const filter = page.getByRole('combobox', { name: 'Count only events that match' });
    await filter.focus();
    await page.keyboard.type('tpye:push');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('There is no field "tpye"').waitFor();
    await page.getByRole('button', { name: 'Use “type”' }).click();
    await filter.fill('t');
    await page.getByRole('option', { name: 'type:push' }).waitFor();
    await page.keyboard.press('Escape');
    await filter.fill('type:push');
    await page.getByText('Fires when no event that matches type:push arrives for 30 minutes.').waitFor();
    await isAccessible('form');
    // What is missing is said at its field, which gets the focus.
    await page.getByRole('button', { name: 'Create alert' }).click();
    await page.getByText('Enter the URL.').waitFor();
    await page.waitForFunction(() => document.activeElement?.getAttribute('aria-invalid') === 'true');
    await page.getByLabel('Webhook URL').fill('http://exa mple.com');
    await page.keyboard.press('Enter');
    await page.getByText('Must be an absolute http or https URL.').waitFor();
    await isAccessible('problem');
    await page.getByLabel('Channel').selectOption('Webhook');
    await page.getByLabel('URL', { exact: true }).fill(`${receiver.origin}/hook`);
    await page.getByLabel('Name').fill(hostileName);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Save the signing secret' }).waitFor();
    await page.getByRole('dialog').getByRole('button', { name: "I've saved it" }).click();
    await page.getByRole('heading', { name: hostileName }).waitFor();
    await expectEventually(stored).toMatchObject([{ name: hostileName, minutes: 30, where: 'type:push' }]);
  });

  test('the secret is shown once, and a test reaches the receiver, signed with it', async () => {
    await page.goto(`${endpointUrl}/alerts`);
    await page.getByRole('button', { name: 'Alert me when it goes silent' }).click();
    await page.getByLabel('Channel').selectOption('Webhook');
    await page.getByLabel('URL', { exact: true }).fill(`${receiver.origin}/hook`);
    await page.getByLabel('Name').fill(hostileName);
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Save the signing secret' });
    const secret = (await dialog.locator('code').textContent()) ?? '';
    expect(await violations(page, { within: 'dialog' })).toEqual([]);
    await look('secret');
    await dialog.getByRole('button', { name: "I've saved it" }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: hostileName }).waitFor();
    await expectEventually(() => page.locator('main img').count()).toBe(0);
    await page.getByText('Press Test to check that notifications arrive.').waitFor();
    await page.waitForFunction(() => document.activeElement?.classList.contains('alert-test'));
    await page.keyboard.press('Enter');
    await page.getByRole('status').getByText('Test delivered. The receiver responded with 200.').waitFor();
    await expectEventually(focused).toBe(`Test ${hostileName}`);
    const { text, headers } = receiver.received.at(-1) ?? { text: '', headers: {} };
    expect(new Webhook(secret).verify(text, headers)).toMatchObject({
      type: 'alert.test',
      data: { alert: { name: hostileName } },
    });
    await isAccessible('tested');
    status = 404;
    await page.keyboard.press('Enter');
    await page.getByText('Test failed. The receiver responded with 404.').waitFor();
    status = 200;
    await isAccessible('failed');
    expect(await page.content()).not.toContain(secret);
  });

  test('it is changed in its place, turned off and on', async () => {
    await openAlerts();
    await page.getByRole('button', { name: `Edit ${hostileName}` }).click();
    await expectEventually(() => page.getByRole('radio').count()).toBe(0);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.waitForFunction(() => document.activeElement?.classList.contains('alert-edit'));
    await page.keyboard.press('Enter');
    await page.getByLabel('No event for').fill('31');
    await page.getByLabel('Unit').selectOption('days');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('At most 30 days.').waitFor();
    await page.getByLabel('No event for').fill('2');
    await page.getByLabel('Name').fill('Quiet pushes');
    await page.getByLabel('Create a new signing secret').check();
    // Leaving the page loses nothing.
    await page.locator('.tabbar').getByRole('link', { name: 'Settings' }).click();
    await page.locator('.tabbar').getByRole('link', { name: 'Alerts' }).click();
    await page.getByText('Your unsaved changes are still here').waitFor();
    await expectEventually(() => page.getByLabel('Name').inputValue()).toBe('Quiet pushes');
    await isAccessible('edit');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog').getByRole('button', { name: "I've saved it" }).click();
    await cards().getByText('no event that matches type:push arrives for 2 days').waitFor();
    await expectEventually(stored).toContainEqual(
      expect.objectContaining({ name: 'Quiet pushes', minutes: 2880, where: 'type:push' }),
    );
    await page.getByRole('button', { name: 'Turn off Quiet pushes' }).click();
    const card = page.getByRole('article', { name: 'Quiet pushes' });
    await card.getByText('Off', { exact: true }).waitFor();
    await expectEventually(stored).toContainEqual(expect.objectContaining({ name: 'Quiet pushes', enabled: false }));
    await page.getByRole('button', { name: 'Turn on Quiet pushes' }).click();
    await card.getByText('OK', { exact: true }).waitFor();
  });

  test('only the settings of a kind are offered, and email says what the operator has to do', async () => {
    await openAlerts();
    const newAlert = async (): Promise<void> => {
      await page.keyboard.press('Control+k');
      await page.keyboard.type('new alert');
      await page.keyboard.press('Enter');
      await page.getByRole('radio', { name: /^Silence/ }).waitFor();
    };
    await newAlert();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'New alert' }).waitFor();
    await newAlert();
    await page.getByRole('radio', { name: /^New event type/ }).check();
    await expectEventually(() => page.getByRole('combobox', { name: /match/ }).count()).toBe(0);
    await expectEventually(() => page.getByLabel('Unit').count()).toBe(0);
    await page.getByRole('radio', { name: /^Invalid signatures/ }).check();
    await page.getByText('Fires when 3 events have an invalid signature within 5 minutes.').waitFor();
    await page.getByLabel('Channel').selectOption('Email');
    await page.getByText('HOOKTAPE_SMTP_URL').waitFor();
    await expectEventually(() => page.getByRole('button', { name: 'Create alert' }).isDisabled()).toBe(true);
    await isAccessible('email');
    await page.getByLabel('Channel').selectOption('ntfy');
    await page.getByLabel('Topic URL').fill(`${receiver.origin}/topic`);
    await page.getByLabel('Access token').fill('tk_one');
    await page.getByLabel('Events', { exact: true }).fill('1');
    await page.getByLabel('Name').fill('Wrong signatures');
    await page.getByRole('button', { name: 'Create alert' }).click();
    await page.getByRole('heading', { name: 'Wrong signatures' }).waitFor();
  });

  test('a firing alert is marked here, at the endpoint and in the lists, without a reload', async () => {
    await openAlerts();
    await callApi(page, 'POST', `/api/endpoints/${id}/secrets`, { platform: 'github', secret: 'another secret' });
    await deliver(address, '{}', {
      headers: {
        'x-github-event': 'push',
        'x-github-delivery': 'x',
        'x-hub-signature-256': `sha256=${'0'.repeat(64)}`,
      },
    });
    const card = page.getByRole('article', { name: 'Invalid signatures' });
    await card.getByText('Firing').waitFor({ timeout: 40_000 });
    await card.getByText('Last notification').waitFor();
    expect(receiver.received.at(-1)).toMatchObject({ path: '/topic', headers: { authorization: 'Bearer tk_one' } });
    await isAccessible('firing');
    await page.goto(endpointUrl);
    await page.locator('.tabbar').getByRole('link', { name: 'Alerts Invalid signatures is firing' }).waitFor();
    expect(await violationsInBothThemes(page, { within: '.tabbar' })).toEqual([]);
    await look('tab bar');
    await page.goto(`${dashboard.origin}/app`);
    await page.locator(`.endpoint-card:has([href*="${id}"]) .badge`).getByText('is firing').waitFor();
    await look('endpoints');
  });

  test('an alert is deleted after a question, and the focus stays on the page', async () => {
    await openAlerts();
    await page.getByRole('button', { name: 'Delete Invalid signatures' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete Invalid signatures?' });
    expect(await violations(page, { within: 'dialog' })).toEqual([]);
    await page.keyboard.press('Escape');
    // By its tag: a closed dialog has no role any more, and is still there for a moment.
    await page.locator('dialog').waitFor({ state: 'detached' });
    await expectEventually(focused).toBe('Delete Invalid signatures');
    await page.keyboard.press('Enter');
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
    await cards().nth(1).waitFor({ state: 'detached' });
    await page.waitForFunction(() => document.activeElement?.classList.contains('alert-new'));
    await expectEventually(stored).toHaveLength(1);
  });

  test('nothing that must not happen has happened', () => {
    const { dialogs, violations: broken, foreign, errors } = dashboard.problems;
    expect([dialogs, broken, foreign, errors]).toEqual([[], [], [], []]);
  });
});

describe.skipIf(hasNoBrowser)(browserTitle('alerts by email'), () => {
  test('an alert is tested through the mail server of the operator', async () => {
    const mailServer = await openMailServer();
    const dashboard = await openDashboard({ HOOKTAPE_SMTP_URL: `smtp://127.0.0.1:${mailServer.port}` });
    const page = await dashboard.open({ reducedMotion: 'reduce' });
    await dashboard.setUp(page);
    await page.goto(`${page.url()}/alerts`);
    await page.getByRole('button', { name: 'Add the alert New event type' }).click();
    await page.getByLabel('Channel').selectOption('Email');
    await page.getByLabel('Email address').fill('nobody');
    await page.keyboard.press('Enter');
    await page.getByText('Must be an address like name@example.com.').waitFor();
    await page.getByLabel('Email address').fill('oncall@example.com');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Test New event types' }).click();
    await page.getByText('Test delivered. The mail server accepted it.').waitFor();
    expect(mailServer.received[0]).toMatchObject({ to: ['oncall@example.com'] });
    await dashboard.close();
    await mailServer.close();
  });
});
