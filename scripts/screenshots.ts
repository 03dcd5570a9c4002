/*
 * `bun scripts/screenshots.ts [DIRECTORY]`: takes screenshots of the main pages (light, dark, phone) from a real server with sample
 * deliveries, some with valid signatures. Needs Chromium. Without a DIRECTORY it also updates the images of the README and docs.
 */
import { createHmac } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { type Dashboard, deliver, openDashboard, shownAddress } from '../src/testing/browser/dashboard.ts';

const outputDir = process.argv[2] ?? join(import.meta.dir, '../dist/screenshots');
const docsDir = join(import.meta.dir, '../docs');
const docsImages = ['inspector-light.png', 'signature-dark.png', 'filter-light.png'];
const stripeSecret = 'whsec_screenshots_only';
const githubSecret = 'screenshots only';
const sampleFilter = 'type:charge.* -verdict:invalid';
const savedFilters = [
  { name: 'Failed checks', where: 'verdict:invalid' },
  { name: 'Charges', where: sampleFilter },
  { name: 'Large', where: 'size>100k' },
];
const eventTypes = [
  'charge.succeeded',
  'invoice.paid',
  'customer.subscription.updated',
  'payment_intent.created',
  'charge.refunded',
  'checkout.session.completed',
];

const hmac = (secret: string, text: string): string => createHmac('sha256', secret).update(text).digest('hex');

const stripeEvent = (n: number): string => {
  const type = eventTypes[n % eventTypes.length];
  return `{"id":"evt_1Q${n}xZ8sJ","object":"event","api_version":"2026-06-30","created":1795200${100 + n},"data":{"object":{"id":"ch_3Q${n}","object":"charge","amount":${4900 + n * 100},"currency":"eur","balance_transaction":12345678901234567890,"billing_details":{"address":{"city":"Köln","country":"DE"},"email":"anna@example.com","name":"Anna Weber"},"captured":true,"metadata":{"order_id":"A-${1000 + n}","tags":["new","eu"]},"outcome":{"network_status":"approved_by_network","risk_level":"normal","risk_score":12.0},"refunded":false}},"livemode":true,"pending_webhooks":1,"request":{"id":"req_8sJ","idempotency_key":null},"type":"${type}"}`;
};

async function sendStripe(address: string, n: number, secret = stripeSecret): Promise<void> {
  const body = stripeEvent(n);
  const at = Math.floor(Date.now() / 1000);
  await deliver(address, body, {
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      'User-Agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks)',
      'Stripe-Signature': `t=${at},v1=${hmac(secret, `${at}.${body}`)}`,
    },
  });
}

async function sendGithub(address: string): Promise<void> {
  const body =
    '{"ref":"refs/heads/main","before":"a10867b14bb761a232cd80139fbd4c0d33264240","after":"1b2f9a4c","repository":{"id":186853002,"full_name":"anna/tape","private":false},"pusher":{"name":"anna"},"commits":[{"id":"1b2f9a4c","message":"Keep the header order","added":[],"modified":["src/front.ts"]}]}';
  await deliver(address, body, {
    headers: {
      'Content-Type': 'application/json',
      'User-Agent': 'GitHub-Hookshot/044aadd',
      'X-GitHub-Event': 'push',
      'X-GitHub-Delivery': '72d3162e-cc78-11e3-81ab-4c9367dc0958',
      'X-Hub-Signature-256': `sha256=${hmac(githubSecret, body)}`,
    },
  });
}

async function sendSamples(address: string): Promise<void> {
  for (let n = 0; n < 9; n++) await sendStripe(address, n);
  const form = new FormData();
  form.set('from', 'Jo <jo@example.com>');
  form.set('subject', 'Invoice');
  form.set('attachment', new File(['{"total":1}'], 'invoice.json', { type: 'application/json' }));
  await fetch(address, { method: 'POST', body: form });
  await deliver(`${address}/orders/7`, '<?xml version="1.0"?><order id="7"><line sku="X1">2</line></order>', {
    method: 'PUT',
    headers: { 'content-type': 'text/xml' },
  });
  await sendGithub(address);
  await deliver(
    address,
    new Uint8Array(4096).map((_, at) => (at * 7919) & 255),
    {
      headers: { 'content-type': 'application/octet-stream' },
    },
  );
  await sendStripe(address, 9, 'whsec_of_another_webhook');
  for (let n = 10; n < 14; n++) await sendStripe(address, n);
}

/** Calls the API from the page, with its session. */
const callApi = (page: Page, path: string, body: unknown) =>
  page.evaluate(
    async ([path, text]) => {
      await fetch(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: text });
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

const layouts = [
  { name: 'light', colorScheme: 'light', width: 1360, height: 860 },
  { name: 'dark', colorScheme: 'dark', width: 1360, height: 860 },
  { name: 'phone', colorScheme: 'light', width: 360, height: 740 },
] as const;

async function takeScreenshots(dashboard: Dashboard, page: Page, endpoint: string): Promise<void> {
  const pages: [name: string, path: string, ready: string][] = [
    ['endpoints', '/app', '.endpoint-card .sparkline rect.some'],
    ['inspector', endpoint, '.event-row'],
    ['endpoint-settings', `${endpoint}/settings`, '.danger-zone'],
    ['keys', '/app/settings/keys', '.settings-body .section'],
    ['account', '/app/settings/account', '.settings-body .rows li'],
  ];
  for (const layout of layouts) {
    await page.setViewportSize(layout);
    await page.emulateMedia({ colorScheme: layout.colorScheme });
    const takeScreenshot = async (name: string): Promise<void> => {
      await page.evaluate(() => document.fonts.ready);
      await page.screenshot({ path: join(outputDir, `${name}-${layout.name}.png`), animations: 'disabled' });
    };
    for (const [name, path, ready] of pages) {
      await page.goto(dashboard.origin + path);
      await page.locator(ready).first().waitFor();
      if (name === 'inspector' && layout.name !== 'phone') await page.locator('.tree-row').first().waitFor();
      await takeScreenshot(name);
    }
    await page.goto(`${dashboard.origin}${endpoint}?where=${encodeURIComponent(sampleFilter)}`);
    await page
      .locator(layout.name === 'phone' ? '.event-row' : '.tree-row')
      .first()
      .waitFor();
    await page.getByRole('navigation', { name: 'Saved filters' }).waitFor();
    await takeScreenshot('filter');
    await page.keyboard.press('/');
    await page.keyboard.press('End');
    // A phone shows no event beside the list, whose fields could be suggested.
    await page.keyboard.type(layout.name === 'phone' ? ' is:' : ' body.data.object.');
    await page.getByRole('listbox', { name: 'Suggestions' }).waitFor();
    await takeScreenshot('suggestions');
    await page.goto(dashboard.origin + endpoint);
    await page.locator('.event-row').filter({ hasText: 'Invalid' }).locator('.event-link').click();
    await page.locator('.tree-row').first().waitFor();
    if (layout.name === 'phone') await takeScreenshot('event');
    await page.keyboard.press('4');
    await page.locator('.verdict').waitFor();
    await takeScreenshot('signature');
    await page.getByRole('link', { name: 'Compare' }).first().click();
    await page.locator('.changes').first().waitFor();
    await takeScreenshot('compare');
  }
}

mkdirSync(outputDir, { recursive: true });
const dashboard = await openDashboard({}, fontSettings());
try {
  const page = await dashboard.open();
  await dashboard.setUp(page);
  await page.screenshot({ path: join(outputDir, 'first-run-light.png'), animations: 'disabled' });
  const endpoint = new URL(page.url()).pathname;
  const id = endpoint.split('/').at(-1);
  await callApi(page, `/api/endpoints/${id}/secrets`, { platform: 'stripe', secret: stripeSecret });
  await callApi(page, `/api/endpoints/${id}/secrets`, { platform: 'github', secret: githubSecret });
  for (const filter of savedFilters) await callApi(page, `/api/endpoints/${id}/filters`, filter);
  await sendSamples(await shownAddress(page));
  await takeScreenshots(dashboard, page, endpoint);
} finally {
  await dashboard.close();
}
if (process.argv[2] === undefined)
  for (const file of docsImages) copyFileSync(join(outputDir, file), join(docsDir, file));
console.log(outputDir);
