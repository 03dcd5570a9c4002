/* A dashboard that stays open on an endpoint during a soak test, while the server is killed. */
import type { CDPSession } from 'playwright-core';
import { hasNoBrowser, launchBrowser } from '../../src/testing/browser/chromium.ts';
import { until } from '../lib/process.ts';

export type OpenDashboard = {
  /** Memory that the page's script uses after a garbage collection, MB. */
  heapMegabytes: () => Promise<number>;
  /** @throws if the page does not show this text of the newest event in time, or its script has reported an error */
  verify: (newest: string) => Promise<void>;
  close: () => Promise<void>;
};

/** @returns undefined without Chromium */
export async function openDashboard(
  origin: string,
  account: { email: string; password: string },
  endpointId: string,
): Promise<OpenDashboard | undefined> {
  if (hasNoBrowser) return undefined;
  const browser = await launchBrowser();
  const page = await browser.newPage();
  const problems: string[] = [];
  page.on('pageerror', error => problems.push(String(error)));
  await page.goto(origin);
  await page.getByLabel('Email').fill(account.email);
  await page.getByLabel('Password').fill(account.password);
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'shop' }).first().waitFor();
  await page.goto(`${origin}/app/endpoints/${endpointId}`);
  const session: CDPSession = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  return {
    async heapMegabytes() {
      await session.send('HeapProfiler.collectGarbage');
      const { metrics } = await session.send('Performance.getMetrics');
      return (metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? Number.NaN) / 1e6;
    },
    async verify(newest) {
      const shows = async (): Promise<boolean> => (await page.content()).includes(newest);
      await until('the dashboard shows the newest event', 90_000, shows);
      if (problems.length > 0) throw new Error(`the dashboard reported: ${problems.slice(0, 3).join('; ')}`);
    },
    close: () => browser.close(),
  };
}
