/* Finds Chromium for the browser tests. Without it they are skipped, or fail when HOOKTAPE_REQUIRE_BROWSER=1. */
import { existsSync } from 'node:fs';
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

/** @param options.withDevTools needs the whole browser */
export function launchBrowser(
  env: Record<string, string> = {},
  { withDevTools = false }: { withDevTools?: boolean } = {},
): Promise<Browser> {
  const useShell = !withDevTools && configured === undefined && existsSync(headlessShell);
  const path = useShell ? headlessShell : executablePath;
  return chromium.launch({
    ...(path === undefined ? {} : { executablePath: path }),
    // Chromium's sandbox does not work as root, as in containers. Only our own loopback pages are opened.
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
    env: { ...Bun.env, ...env } as Record<string, string>,
  });
}
