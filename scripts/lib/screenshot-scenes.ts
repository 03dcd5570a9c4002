/**
 * The scenes of the screenshots: every page, and the important dialogs. Each scene leaves the page in a state in which the next
 * one can continue.
 */
import type { Page } from 'playwright-core';
import type { Dashboard } from '../../src/testing/browser/dashboard.ts';

export type Layout = { name: string; colorScheme: 'light' | 'dark'; width: number; height: number };

export const layouts: readonly Layout[] = [
  { name: 'light', colorScheme: 'light', width: 1360, height: 860 },
  { name: 'dark', colorScheme: 'dark', width: 1360, height: 860 },
  { name: 'phone', colorScheme: 'light', width: 360, height: 740 },
];

export type SceneContext = {
  dashboard: Dashboard;
  page: Page;
  /** The path of the endpoint's page. */
  endpoint: string;
  isPhone: boolean;
  /** Paths of pages outside the dashboard or with tokens. */
  paths: { consent: string; join: string; compare: string; event: string; long: string };
  /** @param isWhole includes the part below the window */
  take: (name: string, isWhole?: boolean) => Promise<void>;
};

export const sampleFilter = 'type:charge.* -verdict:invalid';

const visit = async ({ dashboard, page }: SceneContext, path: string, ready: string): Promise<void> => {
  await page.goto(dashboard.origin + path);
  await page.locator(ready).first().waitFor();
  await page.locator('.skeleton').first().waitFor({ state: 'detached' });
};

/** Whole pages that need no clicks. */
export async function takePages(context: SceneContext): Promise<void> {
  const { endpoint, paths, take } = context;
  const pages: [name: string, path: string, ready: string][] = [
    ['endpoints', '/app', '.endpoint-card svg path'],
    ['activity', `${endpoint}/activity`, 'main .axis svg path'],
    ['destinations', `${endpoint}/destinations`, 'main h2'],
    ['endpoint-settings', `${endpoint}/settings`, '#pause'],
    ['endpoint-access', `${endpoint}/settings/access`, '#guard'],
    ['endpoint-secrets', `${endpoint}/settings/secrets`, '#secrets'],
    ['schemas', `${endpoint}/schemas`, '.schema-section'],
    ['compare', paths.compare, '.changes'],
    ['account', '/app/settings/account', '.settings-body .facts'],
    ['sign-in', '/app/settings/sign-in', '.settings-body .rows li'],
    ['keys', '/app/settings/keys', '.settings-body .rows li'],
    ['apps', '/app/settings/apps', '.settings-body .section'],
    ['team', '/app/settings/team', '.settings-body [aria-label="Pending invitations"] li'],
    ['plan', '/app/settings/plan', '.settings-body .usage'],
    ['audit', '/app/settings/audit', '.settings-body .section li'],
    ['not-found', '/app/nowhere', 'h1'],
    ['consent', paths.consent, 'form'],
    ['docs', '/docs', '.opblock'],
  ];
  for (const [name, path, ready] of pages) {
    await visit(context, path, ready);
    await take(name, name !== 'docs');
  }
}

/** The inspector, a search, an event with its tabs. */
export async function takeInspector(context: SceneContext): Promise<void> {
  const { page, endpoint, isPhone, take } = context;
  await visit(context, endpoint, isPhone ? '.event-row' : '.tree-row');
  await take('inspector');
  const filtered = `${endpoint}?where=${encodeURIComponent(sampleFilter)}`;
  await visit(context, filtered, isPhone ? '.event-row' : '.tree-row');
  await page.getByRole('navigation', { name: 'Saved filters' }).waitFor();
  await take('filter');
  await page.keyboard.press('/');
  await page.keyboard.press('End');
  // A phone shows no event beside the list, so no fields can be suggested.
  await page.keyboard.type(isPhone ? ' is:' : ' body.data.object.');
  await page.getByRole('listbox', { name: 'Suggestions' }).waitFor();
  await take('suggestions');
  await visit(context, endpoint, '.event-row');
  await page.locator('.event-row').filter({ hasText: 'Invalid' }).locator('.event-link').click();
  await page.locator('.tree-row').first().waitFor();
  await take('event');
  for (const [key, name, ready] of [
    ['2', 'event-headers', 'table'],
    ['4', 'signature', '.verdict'],
    ['5', 'event-replays', '.empty'],
  ] as const) {
    await page.keyboard.press(key);
    await page.locator(ready).first().waitFor();
    await page.locator('.skeleton').first().waitFor({ state: 'detached' });
    await take(name);
  }
  await takeParts(context);
}

/**
 * Parts that open inside the inspector: the bar to find in the body, the bar of selected events, a long URL, a check of a
 * secret.
 */
async function takeParts(context: SceneContext): Promise<void> {
  const { page, endpoint, paths, isPhone, take } = context;
  const list = isPhone ? '.event-row' : '.tree-row';
  await visit(context, paths.event, '.tree-row');
  await page.keyboard.press('f');
  await page.keyboard.type('anna');
  await page.locator('.find-bar').getByText('of').waitFor();
  await take('find');
  await visit(context, paths.long, '#event-panel > *');
  await page.getByRole('button', { name: 'Show whole URL' }).waitFor();
  await take('long-url');
  await page.getByRole('button', { name: 'Show whole URL' }).click();
  await take('long-url-whole');
  await visit(context, endpoint, list);
  for (const at of [1, 2, 3]) await page.locator('.event-row input[type="checkbox"]').nth(at).check({ force: true });
  await page.locator('.bulk-bar').waitFor();
  await take('selection');
  await page.locator('.bulk-bar').getByRole('button', { name: 'Clear the selection' }).click();
  await visit(context, `${paths.event}?tab=signature`, '.verdict');
  await page.locator('.skeleton').first().waitFor({ state: 'detached' });
  await page.mouse.move(0, 0);
  await page.locator('#event-panel .scroll-pane').evaluate(pane => pane.scrollTo(0, pane.scrollHeight));
  await take('signature-end');
}

type DialogScene = [name: string, path: string, ready: string, open: (page: Page) => Promise<unknown>];

const button = (name: string | RegExp) => (page: Page) => page.getByRole('button', { name }).first().click();

/** Runs a command of the palette, which exists in every layout. */
const command = (name: string) => async (page: Page) => {
  await page.keyboard.press('Control+k');
  await page.keyboard.type(name);
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name }).waitFor();
  await page.getByRole('dialog').locator('.skeleton').first().waitFor({ state: 'detached' });
};

export async function takeDialogs(context: SceneContext): Promise<void> {
  const { page, endpoint, isPhone, take } = context;
  const settings = `${endpoint}/settings`;
  const onEvent: DialogScene[] = isPhone
    ? []
    : [
        ['dialog-replay', endpoint, '.tree-row', page => page.keyboard.press('r')],
        [
          'dialog-replay-open',
          endpoint,
          '.tree-row',
          async page => {
            await page.keyboard.press('r');
            await page.getByRole('dialog').locator('input').first().fill('localhost:3000/webhooks');
            for (const part of await page.getByRole('dialog').locator('summary').all()) await part.click();
          },
        ],
        ['dialog-copy', endpoint, '.tree-row', button('Copy as…')],
        ['dialog-pin', endpoint, '.tree-row', page => page.keyboard.press('m')],
        ['dialog-help', endpoint, '.tree-row', page => page.keyboard.press('?')],
        ['dialog-export', endpoint, '.tree-row', command('Export events')],
      ];
  const scenes: DialogScene[] = [
    ...onEvent,
    ['palette', endpoint, '.event-row', page => page.keyboard.press('Control+k')],
    ['dialog-test-event', endpoint, '.event-row', command('Send a test event')],
    ['dialog-connect', endpoint, '.event-row', command('Connect a platform')],
    ['dialog-new-endpoint', '/app', '.endpoint-card', button('New endpoint')],
    ['dialog-rotate', settings, '#url', button('Rotate URL')],
    ['dialog-stop-url', settings, '#url', button('Stop now')],
    ['dialog-pause', settings, '#pause', button('Pause endpoint')],
    ['dialog-delete', `${settings}/delete`, '.danger-zone', button('Delete endpoint')],
    ['dialog-revoke-key', '/app/settings/keys', '.rows li', button(/^Revoke /)],
    ['dialog-withdraw', '/app/settings/team', '.rows li', button(/^Withdraw /)],
    ['dialog-invite-link', '/app/settings/team', '.rows li', button(/^New link /)],
  ];
  for (const [name, path, ready, open] of scenes) {
    await visit(context, path, ready);
    await open(page);
    await page.getByRole('dialog').waitFor();
    await take(name);
  }
  await visit(context, '/app', '.endpoint-card');
  await page.getByRole('button', { name: 'Account menu' }).click();
  await take('account-menu');
}

/** A paused endpoint: its card, its settings and its events. Resumes it. */
export async function takePaused(context: SceneContext): Promise<void> {
  const { page, endpoint, take } = context;
  const setPaused = (paused: boolean) =>
    page.evaluate(
      async ([path, body]) => {
        await fetch(path, { method: 'PATCH', headers: { 'content-type': 'application/json' }, body });
      },
      [endpoint.replace('/app', '/api'), JSON.stringify({ paused })] as const,
    );
  await setPaused(true);
  await visit(context, '/app', '.endpoint-card .badge');
  await take('paused-endpoints');
  await visit(context, `${endpoint}/settings`, '.bar-line');
  await take('paused-settings');
  await visit(context, endpoint, '.event-row');
  await take('paused-inspector');
  await setPaused(false);
}

/** Pages for users who are not signed in. */
export async function takeSignedOut(context: SceneContext): Promise<void> {
  const { paths, take } = context;
  await visit(context, '/login', 'form');
  await take('sign-in');
  await visit(context, paths.join, 'form');
  await take('join');
  await visit(context, '/login?invitation=unknown', 'h1:has-text("no longer")');
  await take('join-expired');
  await visit(context, '/setup?token=used', 'h1');
  await take('setup-used');
}
