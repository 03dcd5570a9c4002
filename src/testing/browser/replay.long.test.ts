import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page } from 'playwright-core';
import type { ListenerReplay } from '../../features/listeners/model.ts';
import { violationsInBothThemes } from './accessibility.ts';
import { browserTitle, hasNoBrowser } from './chromium.ts';
import { callApi, createEndpoint, type Dashboard, openDashboard } from './dashboard.ts';
import { expectEventually } from './expect-eventually.ts';
import { body, deliverSigned, openHandler, secret, signatureOf } from './replay-handler.ts';
import { takeShots } from './shots.ts';

setDefaultTimeout(120_000);

describe.skipIf(hasNoBrowser)(browserTitle('replaying an event'), () => {
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
  const panel = () => page.getByRole('tabpanel');
  const shot = (name: string): Promise<void> => takeShots(page, 'REPLAY_SHOTS', name);
  const checkAccessibility = async (within = 'dialog'): Promise<void> => {
    expect(await violationsInBothThemes(page, { within })).toEqual([]);
  };
  const isInSight = (selector: string): Promise<boolean> =>
    page.locator(selector).evaluate(element => {
      const { top, bottom } = element.getBoundingClientRect();
      return top >= 0 && bottom <= innerHeight;
    });
  const changed = body.replace('paid', 'refunded');
  const callBytes = (path: string | null): Promise<string> =>
    page.evaluate(async url => (await fetch(url)).text(), path ?? '');
  /** The handler answers 404. The dialog stays open. */
  const sendFirst = async (): Promise<void> => {
    await page.keyboard.press('r');
    await dialog().getByLabel('Destination').fill(`${handler.host}/hooks`);
    await page.keyboard.press('Enter');
    await dialog().getByText('Not Found · ').waitFor();
  };
  const sendEdited = async (): Promise<void> => {
    await dialog().locator('summary').filter({ hasText: /^Body/ }).click();
    await dialog().getByLabel('Body', { exact: true }).fill(changed);
    await dialog().getByLabel('Fresh').check();
    await dialog().getByLabel('Signing secret').fill(secret);
    await dialog().getByRole('button', { name: /^Send/ }).click();
    await dialog().getByText('OK · ').waitFor();
    await page.keyboard.press('Escape');
  };

  test('the destination has the focus, and whether the path is appended is remembered with it', async () => {
    const append = () => dialog().getByLabel('Append original path and query');
    const destination = () => dialog().getByLabel('Destination');
    await page.keyboard.press('r');
    await destination().and(page.locator(':focus')).waitFor();
    await page.keyboard.type(`${handler.host}/all`);
    await append().uncheck();
    await destination().fill(`${handler.host}/other`);
    expect(await append().isChecked()).toBe(true);
    await page.keyboard.press('Enter');
    await dialog().getByText('Not Found · ').waitFor();
    await destination().fill(`${handler.host}/all`);
    expect(await append().isChecked()).toBe(false);
    await page.keyboard.press('Enter');
    await dialog().getByText('OK · ').waitFor();
    expect(handler.received.map(({ path }) => path)).toEqual(['/other/orders?shop=7', '/all']);
    await page.reload();
    await page.locator('.event-row.selected').waitFor();
    await page.keyboard.press('r');
    await expectEventually(() => append().isChecked()).toBe(false);
    await destination().fill(`${handler.host}/other`);
    await expectEventually(() => append().isChecked()).toBe(true);
    await page.keyboard.press('Escape');
  });

  test('the target is shown before it is sent, and a host without a scheme is http', async () => {
    await page.keyboard.press('r');
    await dialog().getByLabel('Destination').fill(`${handler.host}/hooks`);
    await dialog().locator('.replay-target').getByText(`POST http://${handler.host}/hooks/orders?shop=7`).waitFor();
    await page.keyboard.press('Enter');
    await dialog().getByText('Not Found · ').waitFor();
    expect(handler.received).toEqual([
      { path: '/hooks/orders?shop=7', body, signature: signatureOf(body), edited: null },
    ]);
  });

  test('an edited event is signed anew with a typed secret, after a look at the request', async () => {
    await sendFirst();
    await dialog().locator('summary').filter({ hasText: /^Body/ }).click();
    await dialog().getByLabel('Body', { exact: true }).fill(`${changed},`);
    await dialog().getByText('No longer valid JSON (line 1, column 31)').waitFor();
    await dialog().getByLabel('Body', { exact: true }).fill(changed);
    await dialog().getByRole('button', { name: 'Show changes' }).click();
    await dialog().locator('.lines .added', { hasText: 'refunded' }).locator('ins').waitFor();
    // Escape asks before it throws the change away.
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Keep editing' }).click();
    // The change has opened the part about the signature.
    await dialog().getByText("doesn't match your changes").waitFor();
    await dialog().getByLabel('Fresh').check();
    await dialog().getByLabel('Signing secret').fill(secret);
    await shot('replay-dialog');
    await checkAccessibility();
    await dialog().getByRole('button', { name: 'Show the request' }).click();
    await dialog().locator('pre').getByText(signatureOf(changed)).waitFor();
    await expectEventually(() => isInSight('#request-preview')).toBe(true);
    expect(handler.received).toHaveLength(1);
    await dialog().getByRole('button', { name: /^Send/ }).click();
    await dialog().getByText('OK · ').waitFor();
    expect(handler.received[1]).toEqual({
      path: '/hooks/orders?shop=7',
      body: changed,
      signature: signatureOf(changed),
      edited: '1',
    });
    await shot('replay-sent');
    // From a field of several lines, Enter alone does not send.
    await dialog().getByLabel('Body', { exact: true }).press('Control+Enter');
    await expectEventually(async () => handler.received.length).toBe(3);
    await dialog().getByRole('button', { name: 'Undo changes' }).click();
    await expectEventually(() => dialog().getByLabel('Body', { exact: true }).inputValue()).toBe(body);
    await page.keyboard.press('Escape');
  });

  test('R sends the same again; each replay says how it went, and two answers can be compared', async () => {
    await sendFirst();
    await sendEdited();
    await page.keyboard.press('Shift+R');
    await page.getByText('Sent again: 200 OK · ').waitFor();
    expect(handler.received[2]).toEqual(handler.received[1]);
    await page.keyboard.press('5');
    const attempts = panel().locator('.attempt');
    await attempts.nth(2).waitFor();
    await expectEventually(() => attempts.nth(0).textContent()).toContain(
      'Edited and re-signed, sent from the dashboard by',
    );
    const request = attempts.nth(0).locator('.sent-request');
    await request.getByText(`POST http://${handler.host}/hooks/orders?shop=7`).waitFor();
    await request.locator('tr.added', { hasText: 'x-hooktape-edited' }).waitFor();
    await expectEventually(() => request.locator('tr.changed th').allTextContents()).toEqual([
      'Changed x-hub-signature-256',
      'Changed state',
    ]);
    await request.locator('tr.changed', { hasText: 'state' }).locator('ins', { hasText: 'refunde' }).waitFor();
    const download = await callBytes(await request.getByRole('link', { name: 'Download' }).getAttribute('href'));
    expect(download).toBe(changed);
    await page.route('**/replays/*/request', route => route.fulfill({ status: 410, json: { error: 'not kept' } }));
    await attempts.nth(1).locator('summary').click();
    await attempts.nth(1).getByText("the changed body wasn't stored").waitFor();
    await page.unrouteAll();
    await attempts.nth(2).locator('summary').click();
    await attempts.nth(2).getByText('The body is as captured.').waitFor();
    await attempts.nth(2).getByText('Only the first 4 KiB of the body are stored.').waitFor();
    await attempts.nth(2).getByRole('checkbox').check();
    await attempts.nth(0).getByRole('checkbox').check();
    const changes = panel().locator('.answer-comparison .changes').first();
    await changes.getByText('404 Not Found').waitFor();
    await changes.getByText('200 OK').waitFor();
    await shot('replays');
    await checkAccessibility('#event-panel');
  });

  test('a secret that is missing is asked for at its field, also when its section is closed', async () => {
    await page.keyboard.press('r');
    await dialog().getByLabel('Destination').fill(`${handler.host}/hooks`);
    const section = dialog().locator('summary').filter({ hasText: 'Signature' });
    await section.click();
    await dialog().getByLabel('Fresh').check();
    await section.click();
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await dialog().getByText('Enter the secret.').waitFor();
    await expectEventually(() => dialog().getByLabel('Signing secret').and(page.locator(':focus')).count()).toBe(1);
    expect(handler.received).toEqual([]);
    await page.keyboard.press('Escape');
  });

  test('a refused destination says which setting opens it', async () => {
    await page.keyboard.press('r');
    await dialog().getByLabel('Destination').fill('10.1.2.3:3000/x');
    await page.keyboard.press('Enter');
    await dialog().getByText('HOOKTAPE_REPLAY_ALLOW=10.1.2.3:3000').waitFor();
    // The field has the focus again, and says what is wrong with it.
    await dialog().locator('input[aria-invalid]:focus').waitFor();
    await expectEventually(() => dialog().getByLabel('Destination').getAttribute('aria-invalid')).toBe('true');
    await shot('replay-refused');
    await page.keyboard.press('Escape');
  });

  test('a copied command names its target: the endpoint, unless another is chosen', async () => {
    await sendFirst();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Copy as…' }).click();
    const target = dialog().locator('.replay-target');
    await target.getByText('/orders?shop=7').waitFor();
    await expectEventually(() => target.textContent()).toContain('/in/');
    await dialog().getByRole('button', { name: 'Last replay' }).click();
    await target.getByText(`http://${handler.host}/hooks/orders?shop=7`).waitFor();
    await dialog().getByRole('button', { name: 'Another URL' }).click();
    await dialog().getByLabel('Another URL', { exact: true }).fill('localhost:9');
    await dialog().locator('pre').getByText("'http://localhost:9/orders?shop=7'").waitFor();
    await shot('copy-as');
    await checkAccessibility();
    await page.keyboard.press('Escape');
  });

  test('a connected listener can be chosen, as it comes and goes, and its answer stands in the replays', async () => {
    await page.keyboard.press('5');
    const { key } = await callApi<{ key: string }>(page, 'POST', '/api/keys', { name: 'listener' });
    const listeners = `${dashboard.origin}/api/endpoints/${endpoint}/listeners`;
    const authorization = { authorization: `Bearer ${key}` };
    const call = async (more: object): Promise<ListenerReplay[]> => {
      const response = await fetch(`${listeners}/laptop-shop`, {
        method: 'POST',
        headers: { ...authorization, 'content-type': 'application/json' },
        body: JSON.stringify({ instance: 'of-a-test', targets: ['http://localhost:3000/<b>hooks'], ...more }),
      });
      return ((await response.json()) as { replays: ListenerReplay[] }).replays;
    };
    await page.keyboard.press('r');
    await dialog().getByLabel('Destination').waitFor();
    await expectEventually(() => dialog().getByText('Send to').count()).toBe(0);
    const taking = call({ wait: 25 });
    const choice = dialog().getByRole('radio', { name: 'laptop-shop http://localhost:3000/<b>hooks · ' });
    await choice.check();
    await dialog().getByText('sends it to its own target').waitFor();
    await dialog().locator('summary').filter({ hasText: 'Signature' }).click();
    await dialog().getByLabel('Fresh').check();
    await dialog().getByText("Saved secrets don't sign for listeners").waitFor();
    await shot('replay-listener');
    await checkAccessibility();
    await dialog().getByLabel('As captured').check();
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    const [taken] = await taking;
    expect(taken).toMatchObject({ event: { path: '/orders' }, query: 'shop=7', body });
    const response = { headers: [], body: '<b>from the laptop</b>', bodyEncoding: 'utf8', truncated: false };
    const answer = { id: taken?.id, destination: 'http://localhost:3000/hooks', status: 422, durationMs: 7, response };
    await call({ answers: [answer], leaving: true });
    await dialog().getByText('Unprocessable Content · 7 ms').waitFor();
    await dialog().getByText('<b>from the laptop</b>').waitFor();
    await dialog().getByText('disconnected').waitFor();
    await page.keyboard.press('Escape');
    const newest = panel().locator('.attempt').first();
    await newest.getByText('Unprocessable Content · 7 ms', { exact: true }).waitFor();
    await expectEventually(() => newest.textContent()).toContain('Sent by hooktape listen by');
    const again = call({ wait: 25 });
    // An event for a listener that is not connected is refused, and its button is there before the listener is.
    await expectEventually(async () => (await fetch(listeners, { headers: authorization })).text()).toContain(
      'laptop-shop',
    );
    await newest.getByRole('button', { name: 'Send again' }).click();
    await call({ answers: [{ ...answer, id: (await again)[0]?.id, status: 201 }], leaving: true });
    await page.getByText('Sent again: 201 Created · 7 ms').waitFor();
    await shot('replays-listener');
  });

  test('nothing was asked, violated or thrown', () =>
    expect(dashboard.problems).toEqual({ dialogs: [], violations: [], foreign: [], errors: [] }));
});
