/*
 * A server process with an empty data directory, and a browser to test its dashboard. Problems that must never occur (a dialog, a
 * policy violation, a request to another origin, a script error) are collected, and each suite checks them at its end.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { freePort } from '../free-port.ts';
import { eventually } from '../poll.ts';
import { launchBrowser } from './chromium.ts';

const root = join(import.meta.dir, '../../..');
const startTimeoutMs = 40_000;
const actionTimeoutMs = 30_000;

export const owner = { email: 'mira@example.com', password: 'a quiet river at noon' };

export type PageProblems = { dialogs: string[]; violations: string[]; foreign: string[]; errors: string[] };

export type Dashboard = {
  origin: string;
  setupUrl: string;
  /** Opens a page in a new browser context and watches it for problems. */
  open: (options?: BrowserContextOptions) => Promise<Page>;
  /** Creates the owner on the setup page, which then shows the first endpoint waiting for a delivery. */
  setUp: (page: Page) => Promise<void>;
  /** The problems of all pages so far. */
  problems: PageProblems;
  /** Stops the server, works on its data directory, and starts it again. */
  whileStopped: (work: (dataDir: string) => Promise<void>) => Promise<void>;
  close: () => Promise<void>;
};

export async function openDashboard(
  env: Record<string, string> = {},
  browserEnv: Record<string, string> = {},
  // Passkeys need a name.
  hostName: '127.0.0.1' | 'localhost' = '127.0.0.1',
): Promise<Dashboard> {
  const port = await freePort();
  const origin = `http://${hostName}:${port}`;
  const dataDir = mkdtempSync(join(tmpdir(), 'hooktape-browser-'));
  const start = () =>
    Bun.spawn([process.execPath, join(root, 'src/main.ts'), 'serve'], {
      cwd: dataDir,
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
      env: {
        PATH: Bun.env['PATH'] ?? '',
        TZ: 'UTC',
        HOOKTAPE_DATA_DIR: dataDir,
        HOOKTAPE_HOST: '127.0.0.1',
        HOOKTAPE_PORT: String(port),
        HOOKTAPE_BASE_URL: origin,
        HOOKTAPE_RATE_LIMIT: '1000000',
        ...env,
      },
    });
  let server = start();
  const stop = async (): Promise<void> => {
    server.kill();
    await server.exited;
    rmSync(dataDir, { recursive: true, force: true });
  };
  const whileStopped = async (work: (dataDir: string) => Promise<void>): Promise<void> => {
    server.kill();
    await server.exited;
    await work(dataDir);
    server = start();
    // Its few lines of output fit into the pipes, which are never read.
    await eventually(
      async () => (await fetch(`${origin}/healthz`).catch(() => undefined))?.ok === true,
      startTimeoutMs,
    );
  };
  let browser: Browser | undefined;
  try {
    const setupUrl = await readSetupLink(server);
    browser = await launchBrowser(browserEnv);
    return { ...createDashboard(origin, setupUrl, browser, stop), whileStopped };
  } catch (error) {
    await browser?.close();
    await stop();
    throw error;
  }
}

function createDashboard(
  origin: string,
  setupUrl: string,
  browser: Browser,
  stop: () => Promise<void>,
): Omit<Dashboard, 'whileStopped'> {
  const problems: PageProblems = { dialogs: [], violations: [], foreign: [], errors: [] };
  return {
    origin,
    setupUrl,
    problems,
    open: async options => {
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
      context.setDefaultTimeout(actionTimeoutMs);
      await watchForProblems(context, origin, problems);
      return context.newPage();
    },
    setUp: async page => {
      await page.goto(setupUrl);
      await page.getByLabel('Email').fill(owner.email);
      await page.getByLabel('Password').fill(owner.password);
      await page.getByRole('button', { name: 'Create account' }).click();
      await page.getByText('The first webhook appears here automatically').waitFor();
    },
    close: async () => {
      await browser.close();
      await stop();
    },
  };
}

async function watchForProblems(context: BrowserContext, origin: string, problems: PageProblems): Promise<void> {
  context.on('dialog', dialog => {
    problems.dialogs.push(dialog.message());
    void dialog.dismiss();
  });
  context.on('request', request => {
    if (!request.url().startsWith(`${origin}/`) && !request.url().startsWith('data:'))
      problems.foreign.push(request.url());
  });
  context.on('weberror', thrown => void problems.errors.push(String(thrown.error().stack ?? thrown.error())));
  context.on('console', message => {
    if (/content security policy|trusted type/i.test(message.text())) problems.violations.push(message.text());
  });
  await context.exposeFunction('reportViolation', (words: string) => void problems.violations.push(words));
  await context.addInitScript(() => {
    const { reportViolation } = window as unknown as { reportViolation: (words: string) => void };
    document.addEventListener('securitypolicyviolation', event => {
      reportViolation(`${event.violatedDirective} ${event.blockedURI}`);
    });
  });
}

/** Sends one delivery to an endpoint's address. */
export async function deliver(url: string, body: BodyInit | Uint8Array, init: RequestInit = {}): Promise<string> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: body as BodyInit,
    ...init,
  });
  if (!response.ok) throw new Error(`delivery: ${response.status} ${await response.text()}`);
  return ((await response.json()) as { id: string }).id;
}

/** The ingest address that the page of an empty endpoint shows. */
export const shownAddress = async (page: Page): Promise<string> =>
  ((await page.locator('.address.huge code').textContent()) ?? '').trim();

/** Waits until the server prints the setup link. Continues to read the output, so that the server never blocks on a full pipe. */
function readSetupLink(server: {
  stdout: ReadableStream<Uint8Array>;
  stderr: ReadableStream<Uint8Array>;
}): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const timer = setTimeout(() => reject(new Error(`no setup link in:\n${text}`)), startTimeoutMs);
    const read = async (stream: ReadableStream<Uint8Array>): Promise<void> => {
      const decoder = new TextDecoder();
      for await (const piece of stream) {
        text = (text + decoder.decode(piece, { stream: true })).slice(-16_384);
        const link = /https?:\/\/\S+\/setup\?token=[\w.~-]+/.exec(text)?.[0];
        if (link) {
          clearTimeout(timer);
          resolve(link);
        }
      }
    };
    void Promise.all([read(server.stdout), read(server.stderr)]).then(
      () => reject(new Error(`the server ended:\n${text}`)),
      reject,
    );
  });
}

/** Makes two requests cross: a response to `read` arrives while `act` is in progress. `page.unrouteAll()` ends it. */
export async function makeCross(page: Page, read: string, act: string): Promise<void> {
  const isActing = Promise.withResolvers<void>();
  await page.route(read, async route => {
    await isActing.promise;
    await route.continue();
  });
  await page.route(act, async route => {
    const answer = page.waitForResponse(read);
    isActing.resolve();
    await (await answer).finished();
    // The response is shown with the next frame.
    await page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));
    await route.continue();
  });
}

/** Calls the API with the session of the page. @throws if the response is an error */
export async function callApi<T = unknown>(page: Page, method: string, path: string, body?: unknown): Promise<T> {
  const { status, text } = await page.evaluate(
    async ([method, path, body]) => {
      const json = body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body };
      const response = await fetch(path, { method, ...json });
      return { status: response.status, text: await response.text() };
    },
    [method, path, body === undefined ? undefined : JSON.stringify(body)] as const,
  );
  if (status >= 400) throw new Error(`${method} ${path}: ${status} ${text}`);
  return JSON.parse(text) as T;
}

export type OwnEndpoint = { id: string; address: string; listUrl: string };

/** Creates an endpoint with these events for one test, and opens its list. */
export async function openEndpoint(
  page: Page,
  name: string,
  events: readonly { body: string; type?: string; path?: string }[] = [],
): Promise<OwnEndpoint> {
  const { id, url: address } = await callApi<{ id: string; url: string }>(page, 'POST', '/api/endpoints', { name });
  for (const { body, type, path = '' } of events)
    await deliver(address + path, body, {
      headers: { 'content-type': 'application/json', ...(type !== undefined && { 'x-github-event': type }) },
    });
  const listUrl = `${new URL(page.url()).origin}/app/endpoints/${id}`;
  await page.goto(listUrl);
  // Until the page is there, keys are lost.
  await page
    .locator(events.length > 0 ? '.event-row' : '.topbar')
    .first()
    .waitFor();
  return { id, address, listUrl };
}
