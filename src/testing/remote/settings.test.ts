/* Every place that starts sqld, or says how, names the options that the tests use. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { oneConnection } from './libsql-server.ts';

test.each([
  'docs/installing.md',
  'packaging/compose/shared-database.yaml',
  'packaging/helm/hooktape/templates/libsql.yaml',
  'src/cli/server.ts',
])('%s has the options of sqld', async file => {
  const text = await Bun.file(join(import.meta.dir, '../../..', file)).text();
  // In YAML, each option is an item of a list.
  const words = text.replace(/^ *- |["\\]/gm, '').split(/\s+/);
  expect(words.join(' ')).toContain(oneConnection.join(' '));
});
