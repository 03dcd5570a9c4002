/*
 * A server with an empty data directory, and pages of its dashboard in the browser. Problems that must never occur (a dialog, a
 * policy violation, a request to another origin, a script error) are collected, and each suite checks them at its end.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { freePort } from '../free-port.ts';
import { eventually } from '../poll.ts';
import { sharedBrowser } from './chromium.ts';

const root = join(import.meta.dir, '../../..');
const startTimeoutMs = 40_000;
const actionTimeoutMs = 30_000;

export const owner = { email: 'mira@example.com', password: 'a quiet river at noon' };

/** HOOKTAPE_SECRET of the server, for commands that work on its data directory. */
export const serverSecret = 'a secret of the browser tests, long enough';

export type PageProblems = { dialogs: string[]; violations: string[]; foreign: string[]; errors: string[] };

export type Dashboard = {
  origin: string;
  setupUrl: string;
  /** Opens a page in a new browser context and watches it for problems. */
  open: (options?: BrowserContextOptions) => Promise<Page>;
  /** Creates the owner, signs the page in, and opens the first endpoint, which waits for a delivery. */
  setUp: (page: Page) => Promise<void>;
  /** The problems of all pages so far. */
  problems: PageProblems;
  /** Stops the server, works on its data directory, and starts it again. */
  whileStopped: (work: (dataDir: string) => Promise<void>) => Promise<void>;
  close: () => Promise<void>;
};

type Server = { setupUrl: string; start: () => Promise<void>; stop: () => Promise<void> };
type Start = (dataDir: string, env: Record<string, string>) => Promise<Server>;

export type DashboardOptions = {
  /** Passkeys need a name. */
  hostName?: '127.0.0.1' | 'localhost';
  /** `hooktape serve` in a process of its own, in place of a server in this one. */
  isProcess?: boolean;
};

export async function openDashboard(
  env: Record<string, string> = {},
  { hostName = '127.0.0.1', isProcess = false }: DashboardOptions = {},
): Promise<Dashboard> {
  const port = await freePort();
  const origin = `http://${hostName}:${port}`;
  const dataDir = mkdtempSync(join(tmpdir(), 'hooktape-browser-'));
  const start = isProcess ? startProcess : startHere;
  const server = await start(dataDir, {
    HOOKTAPE_DATA_DIR: dataDir,
    HOOKTAPE_HOST: '127.0.0.1',
    HOOKTAPE_PORT: String(port),
    HOOKTAPE_BASE_URL: origin,
    HOOKTAPE_RATE_LIMIT: '1000000',
    HOOKTAPE_SECRET: serverSecret,
    ...env,
  });
  const contexts: BrowserContext[] = [];
  const problems: PageProblems = { dialogs: [], violations: [], foreign: [], errors: [] };
  const close = async (): Promise<void> => {
    for (const context of contexts) await context.close();
    await server.stop();
    rmSync(dataDir, { recursive: true, force: true });
  };
  const browser = await sharedBrowser().catch(async error => {
    await close();
    throw error;
  });
  return {
    origin,
    setupUrl: server.setupUrl,
    problems,
    open: async options => {
      // Animations would take a fifth of the processor time.
      const usual = { viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' } as const;
      const context = await browser.newContext({ ...usual, ...options });
      contexts.push(context);
      context.setDefaultTimeout(actionTimeoutMs);
      await watchForProblems(context, origin, problems);
      return context.newPage();
    },
    setUp: page => setUp(page, server.setupUrl),
    whileStopped: async work => {
      await server.stop();
      await work(dataDir);
      await server.start();
    },
    close,
  };
}

type TestServer = {
  services: { setup: { link: () => Promise<string | undefined> } };
  listen: () => Promise<string>;
  close: () => Promise<void>;
};
type TestServerModule = {
  openTestServer: (options: { directory: string; env: Record<string, string>; port: number }) => Promise<TestServer>;
};
/** A variable, so that the types of the server are not checked together with those of a browser. */
const testServer = '../test-server.ts';

/** A server in this process: it starts in a tenth of the time, because its modules and the dashboard's bundle are already there. */
const startHere: Start = async (directory, env) => {
  const { openTestServer } = (await import(testServer)) as TestServerModule;
  const open = async (): Promise<TestServer> => {
    const server = await openTestServer({ directory, env, port: Number(env['HOOKTAPE_PORT']) });
    await server.listen();
    return server;
  };
  let server = await open();
  return {
    setupUrl: (await server.services.setup.link()) ?? '',
    start: async () => {
      server = await open();
    },
    stop: () => server.close(),
  };
};

const startProcess: Start = async (cwd, env) => {
  const spawn = () =>
    Bun.spawn([process.execPath, join(root, 'src/main.ts'), 'serve'], {
      cwd,
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
      env: { PATH: Bun.env['PATH'] ?? '', TZ: 'UTC', ...env },
    });
  let server = spawn();
  const stop = async (): Promise<void> => {
    server.kill();
    await server.exited;
  };
  const setupUrl = await readSetupLink(server).catch(async error => {
    await stop();
    throw error;
  });
  return {
    setupUrl,
    start: async () => {
      server = spawn();
      // Its few lines of output fit into the pipes, which are never read.
      await eventually(
        async () => (await fetch(`${env['HOOKTAPE_BASE_URL']}/healthz`).catch(() => undefined))?.ok === true,
        startTimeoutMs,
      );
    },
    stop,
  };
};

/** What the setup page does, by the API. */
async function setUp(page: Page, setupUrl: string): Promise<void> {
  const { origin, searchParams } = new URL(setupUrl);
  const response = await fetch(`${origin}/api/setup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token: searchParams.get('token'), ...owner }),
  });
  if (response.status !== 201) throw new Error(`setup: ${response.status} ${await response.text()}`);
  const [name = '', value = ''] = (response.headers.get('set-cookie') ?? '').split(/[=;]/);
  await page.context().addCookies([{ name, value, url: origin, httpOnly: true, sameSite: 'Lax' }]);
  const { endpoint } = (await response.json()) as { endpoint: { id: string } };
  await page.goto(`${origin}/app/endpoints/${endpoint.id}`);
  await page.getByText('The first webhook appears here automatically').waitFor();
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

/** Goes to a path as a link of the dashboard does: nothing is loaded again. Nothing of the old path is left to see. */
export const followLink = (page: Page, path: string): Promise<void> =>
  page.evaluate(async to => {
    history.pushState(null, '', to);
    dispatchEvent(new PopStateEvent('popstate'));
    await new Promise(done => requestAnimationFrame(() => setTimeout(done)));
  }, path);

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

type Sent = { body: string; type?: string; path?: string };

/** Creates an endpoint with these events for one test. The page stays where it is. */
export async function createEndpoint(page: Page, name: string, events: readonly Sent[] = []): Promise<OwnEndpoint> {
  const { id, url: address } = await callApi<{ id: string; url: string }>(page, 'POST', '/api/endpoints', { name });
  for (const { body, type, path = '' } of events)
    await deliver(address + path, body, {
      headers: { 'content-type': 'application/json', ...(type !== undefined && { 'x-github-event': type }) },
    });
  return { id, address, listUrl: `${new URL(page.url()).origin}/app/endpoints/${id}` };
}

/** Creates an endpoint like `createEndpoint`, and opens its list. */
export async function openEndpoint(page: Page, name: string, events: readonly Sent[] = []): Promise<OwnEndpoint> {
  const created = await createEndpoint(page, name, events);
  await page.goto(created.listUrl);
  // Until the page is there, keys are lost.
  await page
    .locator(events.length > 0 ? '.event-row' : '.topbar')
    .first()
    .waitFor();
  return created;
}
