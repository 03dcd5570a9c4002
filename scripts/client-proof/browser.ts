/* The TypeScript package, bundled, in a page of the server, because the API accepts only pages of its own origin. */
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { type Checks, ensure } from '../lib/checks.ts';
import type { Proof } from './project.ts';

export async function checkBrowser(checks: Checks, { server, key, npmProject }: Proof): Promise<void> {
  await checks.check('browser: capture and feed', async () => {
    const entry = join(await npmProject(), 'browser.mjs');
    await Bun.write(entry, "import * as client from '@hooktape/client'; globalThis.hooktapeClient = client;\n");
    const built = await Bun.build({ entrypoints: [entry], target: 'browser', format: 'iife' });
    const [bundle] = built.outputs;
    ensure(bundle, 'no bundle');
    const executablePath = ['chromium', 'chromium-browser', 'google-chrome'].map(name => Bun.which(name)).find(Boolean);
    ensure(executablePath, 'no browser found; install: apt-get install chromium');
    const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
    try {
      const page = await browser.newPage();
      await page.goto(`${server.origin}/healthz`);
      await page.evaluate(await bundle.text());
      const seen = await page.evaluate(use, { url: server.origin, key });
      ensure(JSON.stringify(seen) === '[1,2,1,2]', `the page saw ${JSON.stringify(seen)}`);
    } finally {
      await browser.close();
    }
    return undefined;
  });
}

/** This function runs in the page. */
async function use({ url, key }: { url: string; key: string }): Promise<unknown[]> {
  const { Hooktape } = (globalThis as unknown as { hooktapeClient: typeof import('@hooktape/client') }).hooktapeClient;
  const hooktape = new Hooktape({ url, key });
  const endpoint = await hooktape.endpoints.create({ name: 'browser' });
  const inbox = hooktape.endpoint(endpoint);
  const seen: unknown[] = [];
  const events = await inbox.capture(async () => {
    for (const n of [1, 2]) await fetch(endpoint.path, { method: 'POST', body: JSON.stringify({ n }) });
  });
  for (const { payload } of events) seen.push(payload.n);
  for await (const { payload } of inbox.feed({ follow: false })) seen.push(payload.n);
  return seen;
}
