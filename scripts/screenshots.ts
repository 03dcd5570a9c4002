/*
 * `bun scripts/screenshots.ts [DIRECTORY]`: takes screenshots of every page and the important dialogs (light, dark, phone) from a real
 * server with sample deliveries, some with valid signatures. Needs Chromium. Without a DIRECTORY it also updates the images of the
 * README and docs. `ONLY=phone` takes the screenshots of one layout.
 */
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { deliver, openDashboard, shownAddress } from '../src/testing/browser/dashboard.ts';
import { eventually } from '../src/testing/poll.ts';
import { githubSecret, sendSamples, stripeSecret } from './lib/sample-deliveries.ts';
import {
  type Layout,
  layouts,
  type SceneContext,
  sampleFilter,
  takeDialogs,
  takeInspector,
  takePages,
  takePaused,
  takeSignedOut,
} from './lib/screenshot-scenes.ts';

const outputDir = process.argv[2] ?? join(import.meta.dir, '../dist/screenshots');
const docsDir = join(import.meta.dir, '../docs');
const docsImages = ['inspector-light.png', 'signature-dark.png', 'filter-light.png'];
const savedFilters = [
  { name: 'Failed checks', where: 'verdict:invalid' },
  { name: 'Charges', where: sampleFilter },
  { name: 'Large', where: 'size>100k' },
];

/** Calls the API from the page, with its session. @returns the JSON of the response */
const callApi = (page: Page, path: string, body: unknown): Promise<Record<string, unknown>> =>
  page.evaluate(
    async ([path, text]) => {
      const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: text };
      return (await (await fetch(path, init)).json()) as Record<string, unknown>;
    },
    [path, JSON.stringify(body)] as const,
  );

/** Fonts for containers, where the default interface font is ugly. */
function fontSettings(): Record<string, string> {
  if (!existsSync('/usr/share/fonts/truetype/liberation')) return {};
  const file = join(mkdtempSync(join(tmpdir(), 'hooktape-fonts-')), 'fonts.conf');
  const alias = (from: string, to: string): string =>
    `<match target="pattern"><test name="family"><string>${from}</string></test><edit name="family" mode="assign" binding="same"><string>${to}</string></edit></match>`;
  writeFileSync(
    file,
    `<fontconfig><include>/etc/fonts/fonts.conf</include>${alias('Inter', 'Liberation Sans')}${alias('system-ui', 'Liberation Sans')}${alias('ui-monospace', 'DejaVu Sans Mono')}</fontconfig>`,
  );
  return { FONTCONFIG_FILE: file };
}

const takeIn =
  (page: Page, { name: layout, width, height }: Layout): SceneContext['take'] =>
  async (name, isWhole = false) => {
    await page.evaluate(() => document.fonts.ready);
    const path = join(outputDir, `${name}-${layout}.png`);
    if (isWhole) {
      // The dashboard scrolls within the window, so the window is made as high as its content.
      const content = await page.evaluate(() => {
        const main = document.querySelector('main');
        return main ? main.scrollHeight + main.getBoundingClientRect().top + scrollY : 0;
      });
      await page.setViewportSize({ width, height: Math.max(height, Math.ceil(content)) });
    }
    await page.screenshot({ path, animations: 'disabled' });
    if (isWhole) await page.setViewportSize({ width, height });
  };

/** Registers an app, and returns the path of its request for access. */
async function requestAccess(origin: string): Promise<string> {
  const redirectUri = 'http://127.0.0.1:1/callback';
  const response = await fetch(`${origin}/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_name: 'Example editor',
      redirect_uris: [redirectUri],
      token_endpoint_auth_method: 'none',
    }),
  });
  const { client_id } = (await response.json()) as { client_id: string };
  const query = new URLSearchParams({
    client_id,
    redirect_uri: redirectUri,
    response_type: 'code',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  });
  return `/authorize?${query}`;
}

/** Adds content to the pages of the account, the team and the endpoint. @returns the id of an event with a long URL */
async function addContent(page: Page, id: string): Promise<string> {
  await callApi(page, `/api/endpoints/${id}/secrets`, { platform: 'stripe', secret: stripeSecret });
  await callApi(page, `/api/endpoints/${id}/secrets`, { platform: 'github', secret: githubSecret });
  for (const filter of savedFilters) await callApi(page, `/api/endpoints/${id}/filters`, filter);
  const address = await shownAddress(page);
  const trace = 'trace=4bf92f3577b34da6a3ce929d0e0e4736';
  const long = await deliver(`${address}/shops/berlin/orders/7?${Array(8).fill(trace).join('&')}`, '{"paid":true}');
  await sendSamples(address);
  await callApi(page, `/api/endpoints/${id}/rotate`, { overlap: '7d' });
  await callApi(page, '/api/endpoints', { name: 'GitHub, all repositories' });
  await callApi(page, '/api/keys', { name: 'Nightly import', expiresIn: '90d' });
  await callApi(page, '/api/keys', { name: 'Grafana', readOnly: true });
  await callApi(page, '/api/keys', { name: 'CI', expiresIn: '5d', readOnly: true });
  await callApi(page, '/api/team/invitations', { email: 'noor@example.com' });
  return long;
}

mkdirSync(outputDir, { recursive: true });
const dashboard = await openDashboard({}, fontSettings());
try {
  const page = await dashboard.open();
  const stranger = await dashboard.open();
  for (const one of [page, stranger]) one.setDefaultTimeout(60_000);
  await stranger.goto(dashboard.setupUrl);
  for (const layout of layouts) {
    await stranger.setViewportSize(layout);
    await stranger.emulateMedia({ colorScheme: layout.colorScheme });
    await stranger.locator('form').waitFor();
    await takeIn(stranger, layout)('setup');
  }
  await dashboard.setUp(page);
  await takeIn(page, layouts[0] as Layout)('first-run');
  const endpoint = new URL(page.url()).pathname;
  const id = endpoint.split('/').at(-1) ?? '';
  const long = await addContent(page, id);
  const { events } = await page.evaluate(
    async path => (await (await fetch(path)).json()) as { events: { id: string }[] },
    `/api/events?endpointId=${id}&limit=2`,
  );
  await eventually(
    () =>
      page.evaluate(async path => {
        const { schemas } = (await (await fetch(path)).json()) as { schemas: unknown[] };
        return schemas.length > 0;
      }, `/api/endpoints/${id}/schemas`),
    60_000,
  );
  const consent = await requestAccess(dashboard.origin);
  for (const layout of layouts.filter(({ name }) => (process.env['ONLY'] ?? name) === name)) {
    for (const one of [page, stranger]) {
      await one.setViewportSize(layout);
      await one.emulateMedia({ colorScheme: layout.colorScheme });
    }
    const { url } = await callApi(page, '/api/team/invitations', { email: 'jonas@example.com' });
    const { pathname, search } = new URL(String(url));
    const paths = {
      consent,
      join: pathname + search,
      compare: `${endpoint}/compare?a=${events[1]?.id}&b=${events[0]?.id}`,
      event: `${endpoint}/events/${events[0]?.id}`,
      long: `${endpoint}/events/${long}`,
    };
    const context = { dashboard, endpoint, isPhone: layout.name === 'phone', paths };
    const own = { ...context, page, take: takeIn(page, layout) };
    await takePages(own);
    await takeInspector(own);
    await takePaused(own);
    // Before the dialogs, which replace the link.
    await takeSignedOut({ ...context, page: stranger, take: takeIn(stranger, layout) });
    await takeDialogs(own);
  }
} finally {
  await dashboard.close();
}
if (process.argv[2] === undefined)
  for (const file of docsImages) copyFileSync(join(outputDir, file), join(docsDir, file));
console.log(outputDir);
