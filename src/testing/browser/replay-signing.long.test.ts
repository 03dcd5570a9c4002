import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page } from 'playwright-core';
import type { SecretList } from '../../features/secrets/model.ts';
import { violationsInBothThemes } from './accessibility.ts';
import { browserTitle, hasNoBrowser } from './chromium.ts';
import { callApi, createEndpoint, type Dashboard, openDashboard } from './dashboard.ts';
import { expectEventually } from './expect-eventually.ts';
import { body, deliverSigned, openHandler, secret, signatureOf } from './replay-handler.ts';
import { takeShots } from './shots.ts';

setDefaultTimeout(120_000);

describe.skipIf(hasNoBrowser)(browserTitle('replays signed with a saved secret'), () => {
  let dashboard: Dashboard;
  let page: Page;
  let handler: ReturnType<typeof openHandler>;
  let endpoint: string;
  let eventUrl: string;

  beforeAll(async () => {
    dashboard = await openDashboard();
    page = await dashboard.open();
    await dashboard.setUp(page);
  });
  afterAll(() => dashboard?.close());

  beforeEach(async () => {
    handler = openHandler();
    const { id, address, listUrl } = await createEndpoint(page, 'Shop');
    endpoint = id;
    eventUrl = `${listUrl}/events/${await deliverSigned(address)}`;
    await page.goto(eventUrl);
    await page.locator('.event-row.selected').waitFor();
  });
  afterEach(() => handler.stop());

  const dialog = () => page.getByRole('dialog');
  const shot = (name: string): Promise<void> => takeShots(page, 'REPLAY_SHOTS', name);
  const checkAccessibility = async (): Promise<void> => {
    expect(await violationsInBothThemes(page)).toEqual([]);
  };
  const changed = body.replace('paid', 'refunded');
  /** The handler answers 404. The dialog stays open. */
  const sendFirst = async (): Promise<void> => {
    await page.keyboard.press('r');
    await dialog().getByLabel('Destination').fill(`${handler.host}/hooks`);
    await page.keyboard.press('Enter');
    await dialog().getByText('Not Found · ').waitFor();
  };

  test('a saved secret signs replays once the settings of the endpoint allow it', async () => {
    await sendFirst();
    await callApi(page, 'POST', `/api/endpoints/${endpoint}/secrets`, { platform: 'github', secret });
    await page.goto(`${dashboard.origin}/app/endpoints/${endpoint}/settings/secrets`);
    const signing = page.locator('.secret-signing');
    const may = page.getByRole('switch', { name: 'May sign replays: GitHub, ending in hook' });
    await page.route('**/secrets/*', route => route.fulfill({ status: 500, json: { error: 'not now' } }));
    await may.click();
    await page.getByText('Not now.').waitFor();
    expect(await may.isChecked()).toBe(false);
    await page.unrouteAll();
    await may.check();
    await signing.locator('summary').click();
    await signing.getByLabel('Another destination').fill('staging.example.com/hooks');
    await signing.getByText('Will add https://staging.example.com').waitFor();
    await page.keyboard.press('Enter');
    await signing.getByRole('button', { name: 'Remove https://staging.example.com' }).waitFor();
    await signing.getByText('May sign for this server, https://staging.example.com').waitFor();
    await shot('secret-signing');
    await checkAccessibility();
    await page.goto(eventUrl);
    await page.locator('.event-row.selected').waitFor();
    await page.keyboard.press('r');
    await dialog().getByLabel('Destination').fill(`${handler.host}/hooks`);
    await dialog().locator('summary').filter({ hasText: 'Signature' }).click();
    await dialog().getByLabel('Broken').check();
    await dialog().getByLabel('Sign with').selectOption({ label: 'GitHub …hook' });
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await dialog().getByText('OK · ').waitFor();
    const last = handler.received.at(-1);
    expect(last?.signature).toMatch(/^sha256=[0-9a-f]{64}$/);
    expect(last?.signature).not.toBe(signatureOf(body));
    await page.keyboard.press('Escape');
  });

  test('a saved secret that may not sign for the destination is allowed to once, and signs', async () => {
    await callApi(page, 'POST', `/api/endpoints/${endpoint}/secrets`, { platform: 'github', secret });
    await page.reload();
    await page.locator('.event-row.selected').waitFor();
    const ask = async (): Promise<void> => {
      await page.keyboard.press('r');
      await dialog().getByLabel('Destination').fill(`${handler.host}/hooks`);
      await dialog().locator('summary').filter({ hasText: 'Signature' }).click();
      await dialog().getByLabel('Fresh').check();
      await expectEventually(() => dialog().getByLabel('Sign with').locator(':checked').textContent()).toBe(
        'GitHub …hook',
      );
    };
    await ask();
    await shot('replay-allow');
    await checkAccessibility();
    await dialog()
      .getByRole('button', { name: `Allow for ${handler.host} and sign` })
      .click();
    const question = page.getByRole('dialog', { name: `Allow signing for ${handler.host}?` });
    await question.getByText("this server's own machine (loopback). The secret").waitFor();
    await question.getByRole('button', { name: 'Cancel' }).click();
    expect(handler.received).toEqual([]);
    await dialog()
      .getByRole('button', { name: `Allow for ${handler.host} and sign` })
      .click();
    await shot('replay-allow-question');
    await question.getByRole('button', { name: 'Allow and sign' }).click();
    await dialog().getByText('Not Found · ').waitFor();
    expect(handler.received[0]?.signature).toBe(signatureOf(body));
    await dialog().getByRole('button', { name: 'Send again' }).click();
    await dialog().getByText('OK · ').waitFor();
    await page.keyboard.press('Escape');

    // Another machine: whether it is allowed, only the server knows.
    await ask();
    await dialog().getByLabel('Destination').fill('10.1.2.3:3000/x');
    await page.route('**/replay', route => route.fulfill({ status: 403, json: { error: 'not listed' } }));
    await dialog().getByRole('button', { name: /^Send/ }).click();
    const allow = dialog().getByRole('button', { name: 'Allow for 10.1.2.3:3000 and sign' });
    await allow.waitFor();
    await page.unrouteAll();
    await allow.click();
    await page.getByText('(loopback), http://10.1.2.3:3000.').waitFor();
    await page.getByRole('button', { name: 'Allow and sign', exact: true }).click();
    await dialog().getByText('HOOKTAPE_REPLAY_ALLOW=10.1.2.3:3000').waitFor();
    const { secrets } = await callApi<SecretList>(page, 'GET', `/api/endpoints/${endpoint}/secrets`);
    expect(secrets).toMatchObject([{ maySign: true, destinations: ['http://10.1.2.3:3000'] }]);

    // It never signs what was changed.
    await dialog().locator('summary').filter({ hasText: /^Body/ }).click();
    await dialog().getByLabel('Body', { exact: true }).fill(changed);
    await dialog().getByText('A saved secret signs only an unchanged event.').waitFor();
    await page.keyboard.press('Escape');
  });

  test('nothing was asked, violated or thrown', () =>
    expect(dashboard.problems).toEqual({ dialogs: [], violations: [], foreign: [], errors: [] }));
});
