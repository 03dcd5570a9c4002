/* Where the browser for the dashboard's tests is. Without one they are skipped and say so; HOOKTAPE_REQUIRE_BROWSER=1 makes that a failure. */
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const places = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
];

const given = Bun.env['HOOKTAPE_CHROMIUM'];
const found = given ?? places.find(place => existsSync(place));

if (found === undefined && Bun.env['HOOKTAPE_REQUIRE_BROWSER'] === '1') {
  throw new Error(`no Chromium: looked for HOOKTAPE_CHROMIUM and ${places.join(', ')}`);
}

export const hasNoBrowser = found === undefined;

/** The title of a suite, with the reason when it is skipped. */
export const browserTitle = (title: string): string =>
  hasNoBrowser ? `${title} (skipped: no Chromium, set HOOKTAPE_CHROMIUM)` : title;

export const launchBrowser = (env: Record<string, string> = {}): Promise<Browser> =>
  chromium.launch({
    ...(found === undefined ? {} : { executablePath: found }),
    // Containers run as root, where Chromium's sandbox cannot; nothing but our own loopback pages is opened.
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
    env: { ...Bun.env, ...env } as Record<string, string>,
  });
