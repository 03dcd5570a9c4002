import { expect, test } from 'bun:test';
import { pagePath, renderPage } from '../../scripts/platforms-doc.ts';
import { platforms } from './platforms.ts';

test('docs/platforms.md is up to date with the catalog', async () => {
  const page = await Bun.file(pagePath).text();
  expect(page === renderPage()).toBe(true);
  for (const row of platforms) expect(page).toContain(`<a id="${row.name}"></a>${row.title}`);
});
