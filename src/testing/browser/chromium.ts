/* Finds Chromium for the browser tests. Without it they are skipped, or fail when HOOKTAPE_REQUIRE_BROWSER=1. */
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

/** The headless shell draws the same pages with a quarter less processor time. It has no developer tools. */
const headlessShell = '/usr/bin/chromium-headless-shell';
const usualPaths = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
];

const configured = Bun.env['HOOKTAPE_CHROMIUM'];
const executablePath = configured ?? usualPaths.find(path => existsSync(path));

if (executablePath === undefined && Bun.env['HOOKTAPE_REQUIRE_BROWSER'] === '1') {
  throw new Error(`no Chromium: looked for HOOKTAPE_CHROMIUM and ${usualPaths.join(', ')}`);
}

export const hasNoBrowser = executablePath === undefined;

/** The title of a suite, with the reason if it is skipped. */
export const browserTitle = (title: string): string =>
  hasNoBrowser ? `${title} (skipped: no Chromium, set HOOKTAPE_CHROMIUM)` : title;

/** A browser of its own. @param options.withDevTools needs the whole browser */
export function launchBrowser({ withDevTools = false }: { withDevTools?: boolean } = {}): Promise<Browser> {
  const useShell = !withDevTools && configured === undefined && existsSync(headlessShell);
  const artifactsDir = mkdtempSync(join(tmpdir(), 'hooktape-chromium-'));
  return chromium.launch({
    executablePath: join(import.meta.dir, 'chromium.sh'),
    artifactsDir,
    args: [
      // Chromium's sandbox does not work as root, as in containers. Only our own loopback pages are opened.
      '--no-sandbox',
      '--disable-dev-shm-usage',
      // No page lives long enough to gain from optimized code.
      '--js-flags=--no-opt --no-maglev',
    ],
    env: {
      ...(Bun.env as Record<string, string>),
      TEST_CHROMIUM: (useShell ? headlessShell : executablePath) ?? 'chromium',
      TEST_ARTIFACTS: artifactsDir,
    },
  });
}

let shared: Promise<Browser> | undefined;

/** The browser that all tests of this process use, each with its own contexts. It ends with the process. */
export async function sharedBrowser(): Promise<Browser> {
  const known = await shared?.catch(() => undefined);
  if (known?.isConnected()) return known;
  shared = launchBrowser();
  return shared;
}
