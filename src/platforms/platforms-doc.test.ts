import { expect, test } from 'bun:test';
import { pagePath, renderPage } from '../../scripts/platforms-doc.ts';
import { platforms } from './platforms.ts';
import { samplesOf } from './samples.ts';

test('docs/platforms.md is up to date with the catalog', async () => {
  const page = await Bun.file(pagePath).text();
  expect(page === renderPage()).toBe(true);
  for (const row of platforms) expect(page).toContain(`\n| [${row.title}](${row.docsUrl}) `);
});

test('the README has the numbers of platforms and samples', async () => {
  const readme = await Bun.file(new URL('../../README.md', import.meta.url)).text();
  const withSamples = platforms.filter(row => samplesOf(row).length > 0);
  expect(readme).toContain(`recognises ${platforms.length} platforms`);
  expect(readme).toContain(`sample of ${withSamples.length} of them`);
});
