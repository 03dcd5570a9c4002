/* The packages' inputs agree with the program and its documentation. */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { currentText, outdatedFiles, version } from '../lib/about.ts';
import { repositoryRoot } from '../lib/executable.ts';
import { packagingDir } from './files.ts';
import { lastStage } from './image.ts';
import { makers } from './makers.ts';
import { kinds, programsOf } from './prerequisites.ts';

const textOf = (path: string): string => readFileSync(join(repositoryRoot, path), 'utf8');

test('every file has the version, the repository and the maintainers of package.json (bun run about)', async () => {
  expect((await outdatedFiles()).map(({ file }) => file)).toEqual([]);
  // Proves that the files are found and that one which differs is noticed.
  expect(textOf('server.json').split(`"version": "${version}"`)).toHaveLength(3);
  expect(currentText('server.json', '  "version": "0.1.0",')).toBe(`  "version": "${version}",`);
});

test('the description in server.json is as short as the registry of MCP servers wants it', () => {
  expect((JSON.parse(textOf('server.json')) as { description: string }).description.length).toBeLessThanOrEqual(100);
});

test('the service of the Debian package is the documented one', () => {
  const [, documented = ''] = /```ini\n([\s\S]*?)```/.exec(textOf('docs/installing.md')) ?? [];
  const packaged = readFileSync(join(packagingDir, 'deb/hooktape.service'), 'utf8');
  expect(packaged).toBe(documented.replace('/usr/local/bin/hooktape', '/usr/bin/hooktape'));
});

test('every placeholder of the formula is one that is filled in', () => {
  const placeholders = [...readFileSync(join(packagingDir, 'homebrew/hooktape.rb'), 'utf8').matchAll(/\{\{(.+?)\}\}/g)];
  const names = placeholders.map(([, name = '']) => name.replace(/ (darwin|linux)-(arm64|x64)$/, ' TARGET'));
  expect(new Set(names)).toEqual(new Set(['homepage', 'version', 'url TARGET', 'sha256 TARGET']));
});

test('the image has the last stage of the Dockerfile, with files of the build context', () => {
  const stage = lastStage(textOf('Dockerfile'));
  expect(stage.match(/^FROM .*$/gm)).toEqual([`FROM \${BASE_IMAGE}`]);
  expect(stage).toContain('\nARG BASE_IMAGE=');
  expect(stage.match(/^COPY .*$/gm)).toEqual([
    'COPY hooktape /usr/local/bin/hooktape',
    'COPY --chown=65532:65532 data /data',
  ]);
  // A command would need an emulator for another machine type.
  expect(stage).not.toMatch(/^RUN /m);
});

test('each kind names the programs that it runs', () => {
  expect(new Set(kinds)).toEqual(new Set(Object.keys(makers) as (keyof typeof makers)[]));
  for (const kind of kinds) {
    const programs = [...textOf(`scripts/release/${kind}.ts`).matchAll(/run\(\['([\w-]+)'/g)].map(
      ([, name = '']) => name,
    );
    const needed = programsOf(kind);
    expect(programs.filter(name => name !== 'du' && !needed.includes(name))).toEqual([]);
  }
});
