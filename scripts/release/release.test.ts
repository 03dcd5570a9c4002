/* The packages' inputs agree with the program and its documentation. */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../lib/executable.ts';
import { homepage, packagingDir, version } from './files.ts';

const textOf = (path: string): string => readFileSync(join(repositoryRoot, path), 'utf8');

test('server.json has the version and the repository of package.json', () => {
  const server = JSON.parse(textOf('server.json')) as {
    version: string;
    repository: { url: string };
    packages: { version: string; identifier: string }[];
    description: string;
  };
  expect([server.version, server.packages[0]?.version, server.repository.url]).toEqual([version, version, homepage]);
  // The registry takes no longer one.
  expect(server.description.length).toBeLessThanOrEqual(100);
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
