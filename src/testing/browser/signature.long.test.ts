import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import type { Page } from 'playwright-core';
import { violationsInBothThemes } from './accessibility.ts';
import { browserTitle, hasNoBrowser } from './chromium.ts';
import { callApi, createEndpoint, type Dashboard, deliver, openDashboard } from './dashboard.ts';
import { expectEventually } from './expect-eventually.ts';

setDefaultTimeout(120_000);

const secret = 'whsec_the_right_one';
const bodyOf = (n: number): string => `{"id":"evt_${n}","type":"charge.refunded","amount":4900}`;
const wrongSecret = 'whsec_of_another_webhook';
const signatureOf = (at: number, body: string, key = secret): string =>
  createHmac('sha256', key).update(`${at}.${body}`).digest('hex');

describe.skipIf(hasNoBrowser)(browserTitle('mending a signature'), () => {
  let dashboard: Dashboard;
  let page: Page;
  let address: string;
  let endpointId: string;
  /** When the newer event was signed, in seconds. */
  let at: number;

  beforeAll(async () => {
    dashboard = await openDashboard();
    page = await dashboard.open();
    await dashboard.setUp(page);
  });
  afterAll(() => dashboard?.close());

  beforeEach(async () => {
    const opened = await createEndpoint(page, 'Shop');
    const { id, listUrl } = opened;
    ({ address } = opened);
    endpointId = id;
    at = Math.floor(Date.now() / 1000);
    await send(at - 10_920, bodyOf(1));
    await send(at, bodyOf(2));
    // Registered elsewhere, and wrong.
    const wrong = { platform: 'stripe', secret: wrongSecret };
    await callApi(page, 'POST', `/api/endpoints/${id}/secrets`, wrong);
    await page.goto(listUrl);
    await page.locator('.event-row').first().getByText('Invalid').waitFor();
    await page.locator('.event-row.selected').waitFor();
    await page.keyboard.press('4');
    await panel().getByRole('heading', { name: 'Signed string' }).waitFor();
  });

  // Its secrets would be tried on the events of the next test.
  afterEach(() => callApi(page, 'DELETE', `/api/endpoints/${endpointId}`));

  const panel = () => page.getByRole('tabpanel');
  const send = (signedAt: number, body: string, { key = secret, sent = body } = {}): Promise<string> =>
    deliver(address, sent, {
      headers: {
        'content-type': 'application/json',
        'stripe-signature': `t=${signedAt},v1=${signatureOf(signedAt, body, key)}`,
      },
    });
  const shot = async (name: string): Promise<void> => {
    const folder = Bun.env['SIGNATURE_SHOTS'];
    if (!folder) return;
    const size = page.viewportSize() ?? { width: 1280, height: 800 };
    for (const [layout, colorScheme, width] of [
      ['light', 'light', 1360],
      ['dark', 'dark', 1360],
      ['phone', 'light', 360],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      await page.screenshot({ path: `${folder}/${name}-${layout}.png`, animations: 'disabled' });
    }
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize(size);
  };
  const checkAccessibility = async (): Promise<void> => {
    expect(await violationsInBothThemes(page, { within: '.event' })).toEqual([]);
  };

  test('the panel shows what was signed, and what the sender presents only when asked', async () => {
    const parts = panel().locator('.signed-string .signed-part');
    await expectEventually(() => parts.allTextContents()).toEqual([String(at), '.', bodyOf(2)]);
    expect(await panel().locator('.signature-side').textContent()).not.toContain(signatureOf(at, bodyOf(2)));
    await panel().getByRole('button', { name: 'Show', exact: true }).click();
    await panel()
      .locator('.signature-side')
      .getByText(signatureOf(at, bodyOf(2)))
      .waitFor();
    await panel().getByText('It is never computed from a saved secret.').waitFor();
    await panel().getByRole('button', { name: 'Hex' }).click();
    await panel().getByText('00000000').waitFor();
    await panel().getByRole('button', { name: 'Text', exact: true }).click();
    await shot('signature');
  });

  test('a wrong secret is named as wrong, the right one is checked without being kept, then saved', async () => {
    const field = panel().getByLabel('Signing secret');
    await expectEventually(() => panel().getByLabel('Platform', { exact: true }).inputValue()).toBe('stripe');
    await page.locator('#tab-signature').focus();
    await field.fill('whsec_a_wrong_one');
    await page.keyboard.press('Enter');
    await panel().getByText("The signature doesn't match this secret.").waitFor();
    await panel().getByText('Expected with this secret: different').waitFor();
    await shot('signature-wrong');
    await checkAccessibility();
    await page.route('**/signature/check', route =>
      route.fulfill({
        status: 400,
        json: { error: 'secret: is too odd', problems: [{ path: 'secret', message: 'is too odd' }] },
      }),
    );
    await page.keyboard.press('Enter');
    await panel().getByText('Is too odd.').waitFor();
    await expectEventually(() => field.getAttribute('aria-invalid')).toBe('true');
    expect(await panel().getByText("The signature doesn't match this secret.").count()).toBe(0);
    await page.unrouteAll();
    await field.fill(` ${secret} `);
    await page.keyboard.press('Enter');
    await panel().getByText('The signature is valid with this secret.').waitFor();
    await expectEventually(() => page.locator('#signature-verdict').textContent()).toContain('Signature invalid');
    await panel().getByRole('button', { name: 'Save this secret' }).click();
    await page.locator('#signature-verdict').getByText('Signature valid').waitFor();
    await page.locator('.event-row.selected').getByText('Invalid').waitFor({ state: 'detached' });
    await expectEventually(() => page.evaluate(() => document.activeElement?.id)).toBe('tab-signature');
    await expectEventually(() => page.getByText('Check with another secret').count()).toBe(1);
  });

  test('what saved secrets and other events say stands above the form', async () => {
    const tried = panel().getByRole('list', { name: 'Saved secrets that were tried' });
    const rows = () => tried.getByRole('listitem').allTextContents();
    const show = async (n: number): Promise<void> => {
      await page.reload();
      await page.locator('.event-row').nth(n).getByRole('link').click();
      await panel().getByRole('heading', { name: 'Signed string' }).waitFor();
    };
    await expectEventually(rows).toEqual([
      'Saved secrets of this endpoint1 tried: …hookNo match',
      'Usual changes on the wayThe prefix of the secret, a final line break, line breaks, rewritten JSONNo match',
    ]);
    await panel().getByText('1 other Stripe event within a minute is invalid, too, and none is valid.').waitFor();
    await send(at, bodyOf(3), { key: wrongSecret });
    await send(at, bodyOf(4), { key: wrongSecret, sent: `${bodyOf(4)}\n` });
    await show(2);
    await panel()
      .getByText('1 other Stripe event within a minute is valid with the secret …hook, so this sender probably')
      .waitFor();
    await shot('signature-neighbours');
    const isAboveForm = () =>
      tried.evaluate(list => {
        const form = list.closest('[role=tabpanel]')?.querySelector('.secret-form');
        return Boolean(form && list.compareDocumentPosition(form) & Node.DOCUMENT_POSITION_FOLLOWING);
      });
    expect(await isAboveForm()).toBe(true);
    await checkAccessibility();

    await show(0);
    await tried.getByText('A line break at the end of the body was added or removed on the way.').waitFor();
    expect(await panel().getByText('so this sender').count()).toBe(0);
    await show(1);
    await panel().getByText('Its secret is …hook.').waitFor();

    const other = await callApi<{ id: string }>(page, 'POST', '/api/endpoints', { name: 'Staging' });
    await callApi(page, 'POST', `/api/endpoints/${other.id}/secrets`, { platform: 'stripe', secret });
    await show(2);
    await tried.getByText('The secret …_one of Staging matches. Enter it below to save it here, too.').waitFor();
    await expectEventually(() => tried.getByRole('link', { name: 'Staging' }).getAttribute('href')).toBe(
      `/app/endpoints/${other.id}`,
    );
    await shot('signature-other-endpoint');
    await checkAccessibility();
    await callApi(page, 'DELETE', `/api/endpoints/${other.id}`);
  });

  test('an old signature says how old, and what is allowed', async () => {
    await page.keyboard.press('j');
    await panel().getByText('Signed 3 h 2 min before it was received; Stripe allows 5 min.').waitFor();
    await shot('signature-old');
    await checkAccessibility();
  });

  test('nothing was asked, violated or thrown', () =>
    expect(dashboard.problems).toEqual({ dialogs: [], violations: [], foreign: [], errors: [] }));
});
