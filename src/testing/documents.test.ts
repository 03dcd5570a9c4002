/* Every link in the documents leads to a file, and every anchor to a heading. */
import { expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { Glob } from 'bun';

const root = join(import.meta.dir, '../..');
const pages = ['*.md', 'docs/**/*.md', 'clients/*/README.md', 'packaging/*/README.md', 'src/**/README.md'].flatMap(
  pattern => [...new Glob(pattern).scanSync(root)],
);
const published = 'https://github.com/hooktape/hooktape/blob/main/';

const textOf = (page: string): string => readFileSync(join(root, page), 'utf8').replace(/^```[\s\S]*?^```$/gm, '');

/** As GitHub makes them: lower case, without punctuation, hyphens for spaces, a number after repeated ones. */
function anchorsOf(page: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of textOf(page).matchAll(/^#+ (.+)$/gm)) {
    const anchor = heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-');
    let unique = anchor;
    for (let n = 1; anchors.has(unique); n++) unique = `${anchor}-${n}`;
    anchors.add(unique);
  }
  return anchors;
}

function brokenLinksOf(page: string): string[] {
  const targets = [...textOf(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
  return targets.filter(target => {
    const isPublished = target.startsWith(published);
    if (!isPublished && /^[a-z]+:/.test(target)) return false;
    const [path = '', anchor] = target.replace(published, '').split('#');
    const file = path === '' ? page : normalize(join(isPublished ? '' : dirname(page), path));
    if (!existsSync(join(root, file))) return true;
    return anchor !== undefined && file.endsWith('.md') && !anchorsOf(file).has(anchor);
  });
}

test('there are documents', () => expect(pages.length).toBeGreaterThan(40));

test.each(pages)('the links of %s lead somewhere', page => {
  expect(brokenLinksOf(page)).toEqual([]);
});
