/* The API explorer at `/docs`, on the host of HOOKTAPE_BASE_URL and on another host name of the same server. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Cookie, Page } from 'playwright-core';
import { violationsInBothThemes } from './accessibility.ts';
import { browserTitle, hasNoBrowser } from './chromium.ts';
import { type Dashboard, openDashboard, owner } from './dashboard.ts';
import { expectEventually } from './expect-eventually.ts';

setDefaultTimeout(180_000);

type Description = {
  paths: Record<string, Record<string, { operationId?: string }>>;
  components: { schemas: Record<string, unknown> };
};

describe.skipIf(hasNoBrowser)(browserTitle('the explorer'), () => {
  let dashboard: Dashboard;
  let key: string;
  /** The cookies of the owner's session. */
  let session: Cookie[];

  beforeAll(async () => {
    dashboard = await openDashboard();
    const page = await dashboard.open();
    await dashboard.setUp(page);
    session = await page.context().cookies();
    key = await page.evaluate(async () => {
      const headers = { 'content-type': 'application/json' };
      const made = await fetch('/api/keys', { method: 'POST', headers, body: '{"name":"explorer"}' });
      return (await made.json()).key as string;
    });
    await page.context().close();
  });
  afterAll(() => dashboard?.close());

  /** Every click renders all operations again: one test looks at the full description, the others get a few operations only. */
  const shorten = (page: Page, ...operations: string[]): Promise<unknown> =>
    page.route('**/docs/openapi.json', async route => {
      const response = await route.fetch();
      const { paths, components, ...rest } = (await response.json()) as Description;
      const short: Description['paths'] = {};
      for (const [path, methods] of Object.entries(paths))
        for (const [method, operation] of Object.entries(methods))
          if (operations.includes(operation.operationId ?? '')) short[path] = { ...short[path], [method]: operation };
      const schemas: Record<string, unknown> = {};
      const add = (part: unknown): void => {
        for (const [, name = ''] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
          if (name in schemas) continue;
          schemas[name] = components.schemas[name];
          add(schemas[name]);
        }
      };
      add([short, { ...components, schemas: {} }]);
      await route.fulfill({ response, json: { ...rest, paths: short, components: { ...components, schemas } } });
    });

  const opened = new Map<string, Page>();
  /** The page without a session at a host name; two tests use the same one. */
  const pageAt = async (host: string): Promise<Page> => {
    const known = opened.get(host);
    if (known) return known;
    const page = await dashboard.open();
    opened.set(host, page);
    await shorten(page, 'signIn', 'signOut', 'getTeam', 'getMe', 'listEvents');
    await page.goto(`${dashboard.origin.replace('127.0.0.1', host)}/docs`);
    return page;
  };

  /** Fills in the parameters of an operation and executes it. @returns the status and body of the response */
  const tryOut = async (
    page: Page,
    operation: string,
    given: Record<string, string> = {},
  ): Promise<[string, string]> => {
    const block = page.locator(`[id$="-${operation}"]`);
    await block.locator('.opblock-summary-control').click();
    for (const [name, value] of Object.entries(given))
      await block.locator(`tr[data-param-name="${name}"]`).locator('input, select').fill(value);
    await block.getByRole('button', { name: 'Execute' }).click();
    const answer = block.locator('.live-responses-table .response');
    await answer.waitFor();
    const text = async (part: string): Promise<string> => ((await answer.locator(part).textContent()) ?? '').trim();
    return [await text('.response-col_status'), await text('.response-col_description')];
  };

  /** The curl command that the page shows after it executed an operation. */
  const curlOf = async (page: Page, operation: string): Promise<string> => {
    await tryOut(page, operation);
    return (await page.locator(`[id$="-${operation}"] .curl-command`).textContent()) ?? '';
  };

  const paste = async (page: Page): Promise<void> => {
    await page.locator('.auth-wrapper .authorize').click();
    await page.getByLabel('auth-bearer-value').fill(key);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Close' }).first().click();
  };

  test('shows every operation', async () => {
    const page = await dashboard.open();
    await page.goto(`${dashboard.origin}/docs`);
    // More than a hundred of them are drawn at once.
    await page.locator('.opblock').first().waitFor({ timeout: 120_000 });
    const { paths } = (await (await fetch(`${dashboard.origin}/openapi.json`)).json()) as Description;
    const operations = Object.values(paths).reduce((sum, path) => sum + Object.keys(path).length, 0);
    expect(operations).toBeGreaterThan(50);
    await expectEventually(() => page.locator('.opblock').count()).toBe(operations);
    await page.context().close();
  });

  test('is accessible in both themes, with operations, schemas and the dialog opened, and fits a phone', async () => {
    const page = await dashboard.open();
    await shorten(page, 'getMe', 'listEvents');
    // The link to an operation opens it.
    await page.goto(`${dashboard.origin}/docs#/Account/getMe`);
    await page.locator('#operations-Account-getMe.is-open').waitFor();
    await page.goto('about:blank');
    await page.goto(`${dashboard.origin}/docs`);
    const operations = page.locator('.opblock-summary-control');
    await operations.first().waitFor();
    expect(await violationsInBothThemes(page, { within: '.opblock' })).toEqual([]);
    // By keyboard.
    for (const operation of await operations.all()) {
      await operation.focus();
      await page.keyboard.press('Enter');
    }
    await expectEventually(() => page.locator('.opblock.is-open').count()).toBe(await operations.count());
    await page.locator('[id$="-getMe"]').getByRole('button', { name: 'Execute' }).click();
    await page.locator('[id$="-getMe"] .live-responses-table .response').waitFor();
    await page.getByRole('tab', { name: 'Schema' }).first().click();
    await page.locator('.models .json-schema-2020-12-accordion').first().click();
    expect(await page.getByLabel('limit').count()).toBeGreaterThan(0);
    expect(await violationsInBothThemes(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 740 });
    const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    await expectEventually(overflow).toBeLessThanOrEqual(0);
    await page.locator('.auth-wrapper .authorize').click();
    await page.locator('.modal-ux').waitFor();
    expect(await violationsInBothThemes(page, { within: '.modal-ux' })).toEqual([]);
    await expectEventually(overflow).toBeLessThanOrEqual(0);
    expect(dashboard.problems).toEqual({ dialogs: [], foreign: [], violations: [], errors: [] });
    await page.context().close();
  });

  test('fills in the example of a request body; open operations get no placeholder for a key', async () => {
    const page = await pageAt('127.0.0.1');
    expect(await curlOf(page, 'signOut')).toContain('Authorization: Bearer htk_YOUR_API_KEY');
    expect(await curlOf(page, 'signIn')).not.toContain('Authorization');
    const body = await page.locator('[id$="-signIn"] .body-param__text').inputValue();
    expect(JSON.parse(body)).toEqual({ email: 'ada@example.com', password: 'a quiet river at noon' });
  });

  test.each(['127.0.0.1', 'localhost'])(
    'opened at %s, executes operations on that host with a pasted key',
    async host => {
      const origin = dashboard.origin.replace('127.0.0.1', host);
      const page = await pageAt(host);
      const asked: string[] = [];
      page.on('request', request => void asked.push(request.url()));
      await paste(page);

      expect(await curlOf(page, 'getTeam')).toContain(`-H 'Authorization: Bearer ${key}'`);
      const [status, body] = await tryOut(page, 'getMe');
      expect(status).toStartWith('200');
      expect(body).toContain(owner.email);
      expect((await tryOut(page, 'listEvents', { endpointId: 'ep_none', limit: '7' }))[0]).toStartWith('404');

      expect(asked).toContain(`${origin}/api/me`);
      expect(asked).toContain(`${origin}/api/events?endpointId=ep_none&limit=7`);
      expect(asked.filter(url => !url.startsWith(`${origin}/`) && !url.startsWith('data:'))).toEqual([]);
      expect(dashboard.problems).toMatchObject({ violations: [], errors: [] });
      await page.context().close();
    },
  );

  test('with the session of the dashboard, curl gets a placeholder for a key, and a link leads back', async () => {
    const page = await dashboard.open({ colorScheme: 'light' });
    await shorten(page, 'getMe', 'getSession');
    await page.context().addCookies(session);
    await page.goto(`${dashboard.origin}/app/settings/account`);
    await page.getByRole('button', { name: 'Account' }).click();
    await page.getByRole('button', { name: 'Dark' }).click();
    await page.goto(`${dashboard.origin}/docs`);
    expect(await curlOf(page, 'getMe')).toContain("-H 'Authorization: Bearer htk_YOUR_API_KEY'");
    // The placeholder was not sent: the session answered.
    expect(
      await page.locator('[id$="-getMe"] .live-responses-table .response-col_status').last().textContent(),
    ).toContain('200');
    expect(await curlOf(page, 'getSession')).not.toContain('Authorization');
    const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    await expectEventually(background).toBe('rgb(18, 18, 19)');
    await page.getByRole('link', { name: '← Dashboard' }).click();
    await page.getByRole('heading', { name: 'Endpoints' }).waitFor();
    expect(dashboard.problems).toMatchObject({ violations: [], errors: [] });
    await page.context().close();
  });

  test('a pasted key is forgotten when the page is closed and when the user signs out in another tab', async () => {
    const page = await dashboard.open();
    await shorten(page, 'getMe');
    await page.goto(`${dashboard.origin}/docs`);
    // Version 1.0 stored the key here.
    await page.evaluate(() => localStorage.setItem('authorized', '{"bearer":{"value":"htk_old"}}'));
    await page.reload();
    const lock = (kind: 'locked' | 'unlocked') => page.locator(`.auth-wrapper .authorize.${kind}`).waitFor();
    await lock('unlocked');
    await paste(page);
    await lock('locked');
    expect(await page.evaluate(() => JSON.stringify([localStorage, sessionStorage]))).not.toContain('htk_');
    await page.reload();
    await lock('unlocked');

    await paste(page);
    await lock('locked');
    const other = await page.context().newPage();
    await other.context().addCookies(session);
    await other.goto(`${dashboard.origin}/app/settings/account`);
    await other.getByRole('button', { name: 'Account' }).click();
    await other.getByRole('button', { name: 'Sign out' }).click();
    await other.getByRole('heading', { name: 'Sign in' }).waitFor();
    await lock('unlocked');
    await page.context().close();
  });
});
