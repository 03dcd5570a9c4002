/* Finds violations of WCAG 2.2 A and AA, and of good practice, with axe-core. */
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';

type Node = { target: string[]; failureSummary?: string };
type Runner = { run: (within: string, options: object) => Promise<{ violations: { id: string; nodes: Node[] }[] }> };

const axe = readFileSync(Bun.resolveSync('axe-core/axe.min.js', import.meta.dir), 'utf8');

const allRules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** The rules that a theme can affect on a page that was already checked in the other theme. */
const colourRules = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] };

export type Check = {
  /** A selector; the whole page by default. A dialog that covers the page is checked alone. */
  within?: string;
  /** Checks only colours, because the page was already checked in the other theme. */
  onlyColours?: boolean;
  /** Checks all but colours, because the page was already checked at another width. */
  withoutColours?: boolean;
};

/** @returns a text for each violation */
export async function violations(
  page: Page,
  { within = 'html', onlyColours = false, withoutColours = false }: Check = {},
): Promise<string[]> {
  await page.evaluate(endOfAnimations);
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe);
  const options = {
    runOnly: onlyColours ? colourRules : allRules,
    rules: withoutColours ? Object.fromEntries(colourRules.values.map(rule => [rule, { enabled: false }])) : {},
    resultTypes: ['violations'],
  };
  const found = await page.evaluate(
    async ([selector, given]) => (await (window as unknown as { axe: Runner }).axe.run(selector, given)).violations,
    [within, options] as const,
  );
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary = '' }) => `${id}: ${target.join(' ')}: ${failureSummary}`),
  );
}

/** Waits for animations, because colours that are still changing have a different contrast. Some animations never end. */
async function endOfAnimations(): Promise<void> {
  // A change, such as of the theme, begins with the next frame.
  for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
  const ending = document
    .getAnimations()
    .filter(({ effect }) => effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY);
  await Promise.all(ending.map(one => one.finished.catch(() => {})));
}

/** Checks both themes. The page is left in the light one. */
export async function violationsInBothThemes(page: Page, check: Check = {}): Promise<string[]> {
  const found = await violations(page, check);
  await page.emulateMedia({ colorScheme: 'dark' });
  found.push(...(await violations(page, { ...check, onlyColours: true })));
  await page.emulateMedia({ colorScheme: 'light' });
  return found;
}
