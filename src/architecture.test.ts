/* Reads every file under src and proves what the README says about the server: who may import whom, and what nobody says. */
import { describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** `macro`: run by the bundler, which puts the result in place of the call. */
type Import = { to: string; typeOnly: boolean; macro?: boolean };
type Source = { file: string; text: string; code: string; imports: Import[] };
type Room = { values: string; types?: string; macros?: string; packages?: string };

/**
 * For each room: the rooms whose values, and those of which only types, may be imported, and the packages besides node:*.
 * `own` is a file of the same room, and for a feature's rooms only of the same feature.
 */
const ROOMS: Record<string, Room> = {
  main: { values: 'cli config log core' },
  cli: { values: 'own wiring app front core platforms config log db', types: 'routes service model store part' },
  wiring: {
    values: 'own config log db core platforms net http ingest service store part',
    types: 'model',
    packages: 'drizzle-orm',
  },
  app: { values: 'http routes core', types: 'wiring config log service model part', packages: 'elysia' },
  front: { values: 'http core ingest', types: 'config log service part' },
  config: { values: 'own core' },
  log: { values: 'own core' },
  http: { values: 'own core', types: 'config log', packages: 'elysia @sinclair/typebox swagger-ui-dist' },
  net: { values: 'own core' },
  db: { values: 'own core', types: 'log config', packages: '@libsql/client libsql drizzle-orm' },
  core: { values: 'own' },
  shared: { values: 'own' },
  platforms: { values: 'own core' },
  ingest: { values: 'own http core', types: 'platforms', packages: '@libsql/client' },
  routes: { values: 'own http core model part', types: 'service', packages: 'elysia @sinclair/typebox' },
  service: { values: 'own core platforms model part', types: 'store net log ingest', packages: 'jose prom-client' },
  store: { values: 'own db core', types: 'model part', packages: 'drizzle-orm' },
  model: { values: 'own core http', packages: '@sinclair/typebox' },
  part: {
    values: 'own core platforms model',
    types: 'store service model config db log net ingest',
    packages: 'jose @modelcontextprotocol/server',
  },
  ui: {
    values: 'own shared',
    types: 'model platforms',
    macros: 'platforms',
    packages: 'preact diff eventsource-parser',
  },
};
const FEATURE_ROOMS = ['ingest', 'routes', 'service', 'store', 'model'];
/** Rooms without I/O, and the modules of node that they may use. */
const PURE: Record<string, string[]> = {
  core: ['node:buffer', 'node:crypto', 'node:util', 'node:zlib'],
  platforms: ['node:crypto'],
  shared: [],
};
/** Files that may pass the ceiling because they are tables, not logic: path -> reason. */
const LONG: Record<string, string> = {};
const MAX_LINES = 300;

/** `features/keys/routes.ts` -> `routes`; another file of a feature -> `part`; `core/ids.ts` -> `core`; `app.ts` -> `app`. */
function roomOf(file: string): string {
  const [top = '', , name = ''] = file.split('/');
  if (top !== 'features') return top.replace(/\.tsx?$/, '');
  const kind = name.split('.')[0] ?? '';
  return FEATURE_ROOMS.includes(kind) ? kind : 'part';
}

const featureOf = (file: string): string | undefined => /^features\/([^/]+)\//.exec(file)?.[1];

function importsOf(text: string): Import[] {
  const found: Import[] = [];
  for (const [, word, clause = '', to = '', macro] of text.matchAll(
    /^(import|export)\s([^;'"]*?from\s*)?['"]([^'"]+)['"](\s*with\s*\{\s*type:\s*'macro'\s*\})?/gm,
  )) {
    if (word === 'export' && clause === '') continue;
    const names = /^\{([\s\S]*)\}/
      .exec(clause)?.[1]
      ?.split(',')
      .filter(name => name.trim() !== '');
    const typeOnly = clause.startsWith('type ') || (names?.every(name => name.trim().startsWith('type ')) ?? false);
    found.push({ to, typeOnly, macro: macro !== undefined });
  }
  for (const [, to = ''] of text.matchAll(/\bimport\(\s*['"]([^'"]+)['"]\s*\)/g)) found.push({ to, typeOnly: false });
  return found;
}

const macroAttribute = /\s*with\s*\{\s*type:\s*'macro'\s*\}/;

function sources(): Source[] {
  const plain = { ts: new Bun.Transpiler({ loader: 'ts' }), tsx: new Bun.Transpiler({ loader: 'tsx' }) };
  return readdirSync(import.meta.dir, { recursive: true, encoding: 'utf8' })
    .filter(file => /\.tsx?$/.test(file) && !file.endsWith('.d.ts'))
    .map(file => {
      const text = readFileSync(join(import.meta.dir, file), 'utf8');
      // Transpiled, the file has no comments or types left to be mistaken for code. Macros stay calls: they cannot run here.
      return {
        file,
        text,
        code: plain[file.endsWith('x') ? 'tsx' : 'ts'].transformSync(text.replace(macroAttribute, '')),
        imports: importsOf(text),
      };
    });
}

/** Why this import is wrong, or undefined. */
function complaint(source: Source, { to, typeOnly, macro }: Import): string | undefined {
  const from = roomOf(source.file);
  const room = ROOMS[from];
  if (!room) return `${from} is no known room`;
  if (!to.startsWith('.')) {
    if (PURE[from] && to.startsWith('node:')) return PURE[from].includes(to) ? undefined : `${to} in ${from}`;
    const known = `bun ${room.packages ?? ''}`.split(' ');
    if (typeOnly || /^node:(?!process$)/.test(to) || known.some(name => to === name || to.startsWith(`${name}/`)))
      return;
    return `package ${to} in ${from}`;
  }
  const target = relative(import.meta.dir, join(import.meta.dir, dirname(source.file), to));
  if (/\.(sql|json|html|css|svg|txt)$/.test(to) || target.startsWith('..')) return;
  const there = roomOf(target);
  const feature = featureOf(source.file);
  const own = featureOf(target) === feature && there === from;
  const foreign = feature !== undefined && featureOf(target) !== undefined && featureOf(target) !== feature;
  if (foreign)
    return typeOnly && ['service', 'model', 'part'].includes(there) ? undefined : `${to}: another feature's value`;
  const allowed = `${room.values} ${typeOnly ? (room.types ?? '') : ''} ${macro ? (room.macros ?? '') : ''}`.split(' ');
  if ((own && allowed.includes('own')) || allowed.includes(there)) return;
  return `${from} -> ${there} (${to}${typeOnly ? ', type' : ''})`;
}

const all = sources();
const shipped = all.filter(({ file }) => !file.endsWith('.test.ts') && !file.startsWith('testing/'));
const offenders = (files: Source[], wrong: (source: Source) => boolean): string[] =>
  files.filter(wrong).map(s => s.file);

describe('the server', () => {
  test('imports follow the arrows', () => {
    const wrong = shipped.flatMap(source =>
      source.imports.flatMap(found => complaint(source, found)?.replace(/^/, `${source.file}: `) ?? []),
    );
    expect(wrong).toEqual([]);
  });

  test('only the entry file touches the process and nobody the console', () => {
    const outside = shipped.filter(({ file }) => file !== 'main.ts');
    expect(offenders(outside, ({ code }) => /\bprocess\s*(\.|\[)/.test(code))).toEqual([]);
    expect(offenders(shipped, ({ code }) => /\bconsole\s*\./.test(code))).toEqual([]);
  });

  test(`no file passes ${MAX_LINES} lines without a reason`, () => {
    const long = offenders(all, ({ text, file }) => text.split('\n').length - 1 > MAX_LINES && !(file in LONG));
    expect(long).toEqual([]);
  });

  test('every file but a row of the catalog says at its top what it guarantees, and all export by name', () => {
    const explained = shipped.filter(({ file }) => !file.startsWith('platforms/catalog/'));
    expect(offenders(explained, ({ text }) => !/^(#!.*\n)?\/[*/]/.test(text))).toEqual([]);
    expect(offenders(all, ({ code }) => /^export default\b|\bas default\b/m.test(code))).toEqual([]);
  });
});

describe('the reader of imports', () => {
  const from = (file: string, text: string) => ({ file, text, code: text, imports: importsOf(text) });
  const wrong = (file: string, text: string) => {
    const source = from(file, text);
    return source.imports.map(found => complaint(source, found) !== undefined);
  };

  test.each([
    ['core/ids.ts', `import { open } from '../db/client.ts';`, true],
    ['core/ids.ts', `import { readFileSync } from 'node:fs';`, true],
    ['core/ids.ts', `import { hash } from 'node:crypto';`, false],
    ['core/ids.ts', `import { detect } from '../platforms/platforms.ts';`, true],
    ['platforms/engine/detect.ts', `import { lowerName } from '../../core/headers.ts';`, false],
    ['platforms/engine/detect.ts', `import { readFileSync } from 'node:fs';`, true],
    ['platforms/engine/detect.ts', `import { open } from '../../db/client.ts';`, true],
    ['features/keys/service.ts', `import { detect } from '../../platforms/platforms.ts';`, false],
    ['features/keys/store.ts', `import { detect } from '../../platforms/platforms.ts';`, true],
    ['ui/main.tsx', `import { detect } from '../platforms/platforms.ts';`, true],
    ['ui/main.tsx', `import { list } from '../platforms/directory.ts' with { type: 'macro' };`, false],
    ['features/keys/routes.ts', `import { keys } from './store.ts';`, true],
    ['features/keys/routes.ts', `import type { Keys } from './service.ts';`, false],
    ['features/keys/routes.ts', `import { keys } from './service.ts';`, true],
    ['features/keys/service.ts', `import { and } from 'drizzle-orm';`, true],
    ['features/keys/service.ts', `import {\n  type A,\n  type B,\n} from './store.ts';`, false],
    ['features/keys/service.ts', `import { type A, b } from './store.ts';`, true],
    ['features/keys/service.ts', `import { a } from '../teams/service.ts';`, true],
    ['features/keys/service.ts', `import type { A } from '../teams/service.ts';`, false],
    ['features/keys/service.ts', `export { a } from '../teams/model.ts';`, true],
    ['features/keys/service.ts', `const a = await import('../../db/client.ts');`, true],
    ['ui/main.tsx', `import { a } from '../features/keys/model.ts';`, true],
    ['features/keys/format.ts', `import { rows } from './store.ts';`, true],
    ['ui/main.tsx', `import type { A } from '../features/keys/model.ts';`, false],
    ['http/gate.ts', `import 'node:process';`, true],
    ['unknown/gate.ts', `import { a } from './b.ts';`, true],
    ['shared/multipart.ts', `import { a } from './b.ts';`, false],
    ['shared/multipart.ts', `import { a } from '../core/ids.ts';`, true],
    ['shared/multipart.ts', `import { hash } from 'node:crypto';`, true],
    ['ui/main.tsx', `import { a } from '../shared/multipart.ts';`, false],
  ])('%s with %j: refused is %p', (file, text, refused) => {
    expect(wrong(file, text)).toEqual([refused]);
  });
});
