import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page } from 'playwright-core';
import type { Tunnel } from '../../features/sessions/model.ts';
import { violationsInBothThemes } from './accessibility.ts';
import { browserTitle, hasNoBrowser } from './chromium.ts';
import { createEndpoint, type Dashboard, openDashboard, openEndpoint } from './dashboard.ts';
import { takeShots } from './shots.ts';

setDefaultTimeout(120_000);

describe.skipIf(hasNoBrowser)(browserTitle('the tunnel'), () => {
  let dashboard: Dashboard;
  let page: Page;
  let tunnel: Tunnel = {
    program: 'cloudflared',
    state: 'down',
    origin: 'https://calm-river.trycloudflare.com',
    previousOrigin: null,
    message: 'the tunnel is down, because cloudflared ended with exit code 1. It is started again',
  };

  beforeAll(async () => {
    dashboard = await openDashboard();
    page = await dashboard.open();
    await page.clock.install();
    await page.route('**/api/session', async route => {
      const response = await route.fetch();
      const isSignedIn = response.status() === 200;
      await route.fulfill({ response, ...(isSignedIn && { json: { ...(await response.json()), tunnel } }) });
    });
    await dashboard.setUp(page);
  });
  afterAll(() => dashboard?.close());

  test('that is down, and one that has a new address, are shown on every page', async () => {
    const { listUrl } = await createEndpoint(page, 'Stripe');
    await page.goto(listUrl);
    const isDown = page.getByText("Platforms can't reach this server:");
    await isDown.waitFor();
    await page.getByText('cloudflared ended with exit code 1').waitFor();
    await page.getByRole('heading', { name: 'Stripe is ready' }).waitFor();
    await takeShots(page, 'TUNNEL_SHOTS', 'down');
    expect(await violationsInBothThemes(page)).toEqual([]);

    // The page notices it by itself.
    const { origin: previousOrigin } = tunnel;
    tunnel = { ...tunnel, state: 'up', origin: 'https://wide-meadow.trycloudflare.com', previousOrigin };
    await page.clock.fastForward(11_000);
    const hasChanged = page.getByText('The tunnel has a new address: https://wide-meadow.trycloudflare.com.');
    await hasChanged.waitFor();
    expect(await isDown.count()).toBe(0);
    await takeShots(page, 'TUNNEL_SHOTS', 'changed');
    expect(await violationsInBothThemes(page)).toEqual([]);

    await page.goto(`${dashboard.origin}/app`);
    await hasChanged.waitFor();
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await hasChanged.waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('heading', { name: 'Endpoints' }).waitFor();
    expect(await hasChanged.count()).toBe(0);
  });

  test('the first page of an endpoint that no platform can reach offers the command', async () => {
    await openEndpoint(page, 'Private');
    await page.getByText('hooktape serve --tunnel auto').waitFor();
    expect(await page.getByRole('button', { name: 'Copy command' }).count()).toBe(1);
  });
});
