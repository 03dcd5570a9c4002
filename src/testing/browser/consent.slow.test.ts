import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { createHash } from 'node:crypto';
import type { Page } from 'playwright-core';
import { violationsInBothThemes } from './accessibility.ts';
import { browserTitle, hasNoBrowser } from './chromium.ts';
import { type Dashboard, openDashboard, owner } from './dashboard.ts';
import { expectEventually } from './expect-eventually.ts';

setDefaultTimeout(120_000);

const verifier = 'a-verifier-that-is-long-enough-for-every-rule-0001';

describe.skipIf(hasNoBrowser)(browserTitle('consent'), () => {
  let dashboard: Dashboard;
  let page: Page;
  let client: ReturnType<typeof Bun.serve>;
  let landingPage: ReturnType<typeof Bun.serve>;
  let clientId: string;
  let redirectUri: string;
  const answers: URL[] = [];

  beforeAll(async () => {
    dashboard = await openDashboard();
    page = await dashboard.open();
    await dashboard.setUp(page);
    const open = (fetch: (request: Request) => Response) => Bun.serve({ port: 0, hostname: '127.0.0.1', fetch });
    landingPage = open(() => new Response('<h1>Connected</h1>', { headers: { 'content-type': 'text/html' } }));
    client = open(request => {
      answers.push(new URL(request.url));
      return Response.redirect(`http://localhost:${landingPage.port}/done`, 302);
    });
    redirectUri = `http://127.0.0.1:${client.port}/cb`;
    const response = await fetch(`${dashboard.origin}/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        client_name: '<img src=x onerror=alert(1)> editor',
        redirect_uris: [redirectUri],
        token_endpoint_auth_method: 'none',
      }),
    });
    clientId = ((await response.json()) as { client_id: string }).client_id;
  });
  afterAll(async () => {
    await client?.stop(true);
    await landingPage?.stop(true);
    await dashboard?.close();
  });

  const address = (): string => {
    const query = new URLSearchParams({
      client_id: clientId,
      redirect_uri: redirectUri,
      response_type: 'code',
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      state: 'the state',
    });
    return `${dashboard.origin}/authorize?${query}`;
  };

  test('after consent the browser follows the redirects of the client, and the code can be exchanged for a token', async () => {
    await page.goto(address());
    await page.getByRole('heading', { name: 'wants to connect' }).waitFor();
    await expectEventually(() => page.locator('img').count()).toBe(0);
    await page.getByText('self-registered, not verified').waitFor();
    await page.getByText(owner.email).waitFor();
    await page.getByRole('note').waitFor();
    await expectEventually(() => page.getByRole('link', { name: 'Hooktape' }).getAttribute('href')).toBe('/app');
    await page.getByRole('button', { name: 'Connect' }).click();
    await page.getByRole('heading', { name: 'Connected' }).waitFor();
    const answer = answers.at(-1)?.searchParams;
    expect([answer?.get('state'), answer?.get('iss')]).toEqual(['the state', dashboard.origin]);
    const response = await fetch(`${dashboard.origin}/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        client_id: clientId,
        code: answer?.get('code') ?? '',
        code_verifier: verifier,
      }),
    });
    const { access_token } = (await response.json()) as { access_token: string };
    const me = await fetch(`${dashboard.origin}/api/me`, { headers: { authorization: `Bearer ${access_token}` } });
    expect(((await me.json()) as { email: string }).email).toBe(owner.email);
  });

  test('without scripts, the decision is in view at every size, and what the app cannot do can be unfolded', async () => {
    const storageState = await page.context().storageState();
    const plain = await dashboard.open({ storageState, reducedMotion: 'reduce' });
    for (const [width, height] of [
      [1440, 900],
      [390, 740],
      [720, 450],
    ] as const) {
      await plain.setViewportSize({ width, height });
      await plain.goto(address());
      expect(await plain.locator('script').count()).toBe(0);
      const isInView = () =>
        plain.getByRole('button', { name: 'Connect' }).evaluate(button => {
          const { x, y, bottom } = button.getBoundingClientRect();
          return bottom <= innerHeight && button.contains(document.elementFromPoint(x + 5, y + 5));
        });
      expect([width, await isInView()]).toEqual([width, true]);
      expect(await violationsInBothThemes(plain)).toEqual([]);
      await plain.getByText("It won't be able to…").click();
      await plain.getByText('see or change the answers that senders get').waitFor();
      expect([width, await isInView()]).toEqual([width, true]);
      expect(await violationsInBothThemes(plain)).toEqual([]);
      const overflow = await plain.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect(overflow).toBeLessThanOrEqual(0);
    }
    await plain.goto(`${dashboard.origin}/authorize?client_id=none`);
    await plain.getByRole('heading', { name: "This app can't be connected" }).waitFor();
    expect(await violationsInBothThemes(plain)).toEqual([]);
    await plain.context().close();
  });

  test('cancelling redirects to the client with an error', async () => {
    await page.goto(address());
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('heading', { name: 'Connected' }).waitFor();
    expect(answers.at(-1)?.searchParams.get('error')).toBe('access_denied');
  });

  test('a user who is not signed in signs in first and then sees the consent page', async () => {
    const other = await dashboard.open();
    await other.goto(address());
    await other.getByLabel('Email').fill(owner.email);
    await other.getByLabel('Password').fill(owner.password);
    await other.getByRole('button', { name: 'Sign in' }).click();
    await other.getByRole('heading', { name: 'wants to connect' }).waitFor();
    await other.context().close();
  });

  test('the page cannot be framed by another site', async () => {
    const framing = await dashboard.open();
    await framing.goto(`http://localhost:${landingPage.port}/`);
    await framing.setContent(`<iframe src="${address()}"></iframe>`);
    const frame = framing.frames().at(-1);
    await framing.waitForLoadState();
    await expectEventually(async () => frame?.getByRole('button', { name: 'Connect' }).count()).toBe(0);
    await framing.context().close();
  });
});
