import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { browserTitle, hasNoBrowser } from './chromium.ts';
import { callApi, type Dashboard, openDashboard, openEndpoint } from './dashboard.ts';
import { expectEventually } from './expect-eventually.ts';

setDefaultTimeout(120_000);

/** A local handler that accepts everything and keeps the paths. */
function openHandler() {
  const paths: string[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: request => {
      const { pathname, search } = new URL(request.url);
      paths.push(pathname + search);
      return new Response('ok');
    },
  });
  return { paths, host: `127.0.0.1:${server.port}`, stop: () => server.stop(true) };
}

const events = Array.from({ length: 3 }, (_, n) => ({ body: `{"n":${n}}`, path: `/orders/${n}?shop=7` }));

describe.skipIf(hasNoBrowser)(browserTitle('replaying many events'), () => {
  let dashboard: Dashboard;
  let page: Page;
  let handler: ReturnType<typeof openHandler>;

  beforeAll(async () => {
    handler = openHandler();
    dashboard = await openDashboard();
    page = await dashboard.open();
    await dashboard.setUp(page);
  });
  afterAll(async () => {
    await dashboard?.close();
    await handler?.stop();
  });

  const dialog = () => page.getByRole('dialog');
  const destination = () => dialog().getByLabel('Destination', { exact: true });
  const append = () => dialog().getByLabel('Append original path and query');
  const send = () => dialog().getByRole('button', { name: /^Send/ });
  /** The selected text of the field that has the focus. */
  const selected = () =>
    page.evaluate(() => {
      const field = document.activeElement;
      return field instanceof HTMLInputElement
        ? field.value.slice(field.selectionStart ?? 0, field.selectionEnd ?? 0)
        : `${field?.tagName} ${field?.getAttribute('aria-label')}`;
    });
  const close = (): Promise<void> => page.keyboard.press('Escape');
  const sendOne = async (url: string): Promise<void> => {
    await page.locator('.event-row.selected').waitFor();
    await page.keyboard.press('r');
    await destination().fill(url);
    await page.keyboard.press('Enter');
    await dialog().getByText('OK · ').waitFor();
    await close();
  };
  const pickAll = async (): Promise<void> => {
    await page.keyboard.press('x');
    await page.getByRole('button', { name: 'Select all events' }).click();
    await page.getByText('All 3 events selected').waitFor();
  };

  test('a URL that is typed while the events of “all” are loaded is the one that they are sent to', async () => {
    await openEndpoint(page, 'all', events);
    await sendOne(`${handler.host}/stored`);
    await pickAll();
    const isTyped = Promise.withResolvers<void>();
    await page.route('**/api/events?*', async route => {
      await isTyped.promise;
      await route.continue();
    });
    await page.keyboard.press('r');
    await expectEventually(selected).toBe(`http://${handler.host}/stored`);
    await page.keyboard.type(`${handler.host}/typed`);
    await page.keyboard.press('Enter');
    await send()
      .and(page.locator(':disabled'))
      .or(dialog().getByRole('button', { name: /^Loading/ }))
      .waitFor();
    isTyped.resolve();
    await send().and(page.locator(':enabled')).waitFor();
    await page.unrouteAll();
    handler.paths.length = 0;
    await page.keyboard.press('Enter');
    await dialog().getByText('OK · ').nth(2).waitFor();
    expect(handler.paths).toEqual(events.map(({ path }) => `/typed${path}`));
    await close();
  });

  test('the button of the bar and the job focus the URL field, with the stored URL selected', async () => {
    await openEndpoint(page, 'focus', events);
    await sendOne(`${handler.host}/stored`);
    const stored = `http://${handler.host}/stored`;
    await page.keyboard.press('x');
    await page
      .getByRole('region', { name: 'Selected events' })
      .getByRole('button', { name: 'Replay', exact: true })
      .click();
    await expectEventually(selected).toBe(stored);
    await close();
    await page.keyboard.press('Escape');
    // The first dialog of a job waits for its style, too.
    await page.getByRole('button', { name: 'List menu' }).click();
    await page.getByRole('button', { name: 'Replay all events…' }).click();
    await expectEventually(selected).toBe(stored);
    await page.keyboard.type(`${handler.host}/job`);
    handler.paths.length = 0;
    await dialog().getByRole('button', { name: 'Start replay' }).click();
    await page.waitForURL(/\/jobs\/job_/);
    await expectEventually(async () => handler.paths.length).toBe(3);
    expect(handler.paths.every(path => path.startsWith('/job'))).toBe(true);
  });

  test('a dialog that a key opens as soon as another one has closed stays open', async () => {
    await openEndpoint(page, 'keys', events.slice(0, 1));
    await page.locator('.event-row.selected').waitFor();
    await page.keyboard.press('r');
    for (let round = 0; round < 10; round++) {
      await destination().fill(`http://round-${round}`);
      await Promise.all([close(), page.keyboard.press('r')]);
      // The report of the browser that a dialog was closed comes in a later task than the key.
      await page.evaluate(() => new Promise(done => requestAnimationFrame(() => setTimeout(done))));
      expect(await dialog().count()).toBe(1);
      expect(await destination().inputValue()).toBe('');
    }
    await close();
    expect(await dialog().count()).toBe(0);
  });

  test('a destination is remembered together with “Append original path and query”', async () => {
    await openEndpoint(page, 'append', events.slice(0, 1));
    await sendOne(`${handler.host}/appended`);
    await page.keyboard.press('r');
    await destination().fill(`${handler.host}/as-it-is`);
    await append().uncheck();
    handler.paths.length = 0;
    await page.keyboard.press('Enter');
    await dialog().getByText('OK · ').waitFor();
    await close();
    await page.reload();
    await page.locator('.event-row.selected').waitFor();
    await page.keyboard.press('r');
    await expectEventually(() => append().isChecked()).toBe(false);
    await page.keyboard.press('Enter');
    await dialog().getByText('OK · ').waitFor();
    expect(handler.paths).toEqual(['/as-it-is', '/as-it-is']);
    await destination().fill(`${handler.host}/appended`);
    await expectEventually(() => append().isChecked()).toBe(true);
    await close();
  });

  test('a URL that is typed before the listeners are known stays, though the last replay went to a listener', async () => {
    const { id } = await openEndpoint(page, 'listener', events.slice(0, 1));
    await page.evaluate(id => localStorage.setItem(`hooktape.listener.${id}`, 'laptop'), id);
    const { key } = await callApi<{ key: string }>(page, 'POST', '/api/keys', { name: 'listener' });
    const listener = fetch(`${dashboard.origin}/api/endpoints/${id}/listeners/laptop`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ instance: 'of-a-test', targets: ['http://localhost:3000/'], wait: 25 }),
    });
    listener.catch(() => {});
    const listeners = `/api/endpoints/${id}/listeners`;
    await expectEventually(async () => JSON.stringify(await callApi(page, 'GET', listeners))).toContain('laptop');
    const isTyped = Promise.withResolvers<void>();
    await page.route(`**${listeners}`, async route => {
      await isTyped.promise;
      await route.continue();
    });
    await page.locator('.event-row.selected').waitFor();
    await page.keyboard.press('r');
    await destination().waitFor();
    await page.keyboard.type('localhost:4000/typed');
    isTyped.resolve();
    await dialog().getByRole('radio', { name: 'laptop' }).waitFor();
    await expectEventually(() => destination().inputValue()).toBe('localhost:4000/typed');
    await page.unrouteAll();
    await close();
    // Nothing is typed: the listener is chosen, and Enter sends to it.
    await page.keyboard.press('r');
    await page.waitForFunction(() => document.activeElement?.matches('dialog [type="radio"]:checked') === true);
    await close();
  });

  test('nothing was asked, violated or thrown', () =>
    expect(dashboard.problems).toEqual({ dialogs: [], violations: [], foreign: [], errors: [] }));
});
