import { expect, test } from 'bun:test';
import { PAGE, renderPage } from '../../scripts/platforms-doc.ts';
import { platforms } from './platforms.ts';

test('docs/platforms.md is what the table says', async () => {
  const page = await Bun.file(PAGE).text();
  expect(page === renderPage()).toBe(true);
  for (const row of platforms) expect(page).toContain(`<a id="${row.name}"></a>${row.title}`);
});
