/* Pictures of a page for people to look at: in both themes, wide and on a phone. */
import type { Page } from 'playwright-core';

/** @param variable the environment variable with the folder; without it, no pictures are taken */
export async function takeShots(page: Page, variable: string, name: string): Promise<void> {
  const folder = Bun.env[variable];
  if (!folder) return;
  for (const [layout, colorScheme, width] of [
    ['light', 'light', 1440],
    ['dark', 'dark', 1440],
    ['phone', 'light', 390],
    ['phone-dark', 'dark', 390],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 900 });
    await page.screenshot({ path: `${folder}/${name}-${layout}.png`, animations: 'disabled' });
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: 1280, height: 800 });
}
