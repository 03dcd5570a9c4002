/* Reads every file under src and proves the rules of docs/architecture.md: which layer may import which, and how code is written. */
import { describe, expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** `macro`: run by the bundler, which replaces the call by its result. */
type Import = { to: string; isType: boolean; isMacro: boolean };
/** `code`: transpiled, so it contains no comments and no types. */
type Source = { file: string; text: string; code: string; imports: Import[] };
type Layer = { values: string; types?: string; macros?: string; packages?: string };

/**
 * For each layer: the layers whose values it may import, those of which only types, and the packages besides node:*. `own`
 * stands for files of the same layer; in a feature, of the same feature. A `part` is any other file of a feature. A `panel` is a
 * file of a feature of the dashboard. Every layer may import `shared`.
 */
const layers: Record<string, Layer> = {
  main: { values: 'cli config log core' },
  cli: {
    values: 'own wiring app front core platforms config log db net',
    types: 'routes service model store part',
    packages: 'jsonc-parser bun:ffi @modelcontextprotocol/server',
  },
  wiring: {
    values: 'own config log db core platforms net http ingest service store part',
    types: 'model',
    packages: 'drizzle-orm bun:jsc',
  },
  app: { values: 'http routes core', types: 'wiring config log service model part', packages: 'elysia' },
  front: { values: 'http core ingest', types: 'config log service part' },
  config: { values: 'own core' },
  log: { values: 'own core' },
  http: {
    values: 'own core',
    types: 'config log',
    packages: 'elysia @elysiajs/swagger @sinclair/typebox swagger-ui-dist',
  },
  net: { values: 'own core', packages: 'aws4fetch nodemailer' },
  db: { values: 'own core', types: 'log config', packages: '@libsql/client libsql drizzle-orm' },
  core: { values: 'own', packages: '@sinclair/typebox' },
  shared: { values: 'own', packages: 'diff' },
  platforms: { values: 'own core' },
  ingest: { values: 'own http db core', types: 'platforms', packages: '@libsql/client' },
  routes: { values: 'own http core model part', types: 'service', packages: 'elysia @sinclair/typebox' },
  service: { values: 'own core platforms model part', types: 'store net log ingest', packages: 'jose prom-client' },
  store: { values: 'own db core', types: 'model part', packages: 'drizzle-orm' },
  model: { values: 'own core http', packages: '@sinclair/typebox' },
  part: {
    values: 'own core platforms model',
    types: 'store service model config db log net ingest',
    packages: 'jose openid-client otpauth @simplewebauthn/server @modelcontextprotocol/server',
  },
  kit: { values: 'own', types: 'model platforms', macros: 'platforms', packages: 'preact' },
  inspector: { values: 'own kit', types: 'model', packages: 'preact eventsource-parser' },
  panel: {
    values: 'own inspector kit',
    types: 'model platforms',
    packages: 'preact @simplewebauthn/browser lean-qr',
  },
  pages: { values: 'own panel inspector kit', types: 'model', packages: 'preact' },
  ui: { values: 'own pages panel inspector kit', types: 'model', packages: 'preact' },
};
const uiLayers = ['kit', 'inspector', 'pages'];
const featureLayers = ['ingest', 'routes', 'service', 'store', 'model'];
/** Layers without I/O, and the modules of node that they may import. */
const pureLayers: Record<string, string[]> = {
  core: ['node:buffer', 'node:crypto', 'node:util', 'node:zlib'],
  platforms: ['node:crypto'],
  shared: [],
};

const maxLinesPerFile = 400;
const maxLinesPerFunction = 80;

/**
 * `features/keys/routes.ts` -> `routes`; `features/oauth/clients-store.ts` -> `store`; another file of a feature -> `part`;
 * `core/ids.ts` -> `core`; `app.ts` -> `app`; `ui/kit/time.tsx` -> `kit`; `ui/alerts/alert-card.tsx` -> `panel`.
 */
function layerOf(file: string): string {
  const [top = '', folder = '', name = ''] = file.split('/');
  if (top === 'ui' && name !== '') return uiLayers.includes(folder) ? folder : 'panel';
  if (top !== 'features') return top.replace(/\.tsx?$/, '');
  const kind = name.endsWith('-store.ts') ? 'store' : (name.split('.')[0] ?? '');
  return featureLayers.includes(kind) ? kind : 'part';
}

const featureOf = (file: string): string | undefined => /^features\/([^/]+)\//.exec(file)?.[1];
const panelOf = (file: string): string | undefined => (layerOf(file) === 'panel' ? file.split('/')[1] : undefined);

function importsOf(text: string): Import[] {
  const found: Import[] = [];
  for (const [, word, clause = '', to = '', macro] of text.matchAll(
    /^(import|export)\s([^;'"]*?from\s*)?['"]([^'"]+)['"](\s*with\s*\{\s*type:\s*'macro'\s*\})?/gm,
  )) {
    if (word === 'export' && clause === '') continue;
    const names = /^\{([\s\S]*)\}/.exec(clause)?.[1]?.split(',');
    const areTypes = names?.every(name => /^\s*(type\s|$)/.test(name)) ?? false;
    found.push({ to, isType: clause.startsWith('type ') || areTypes, isMacro: macro !== undefined });
  }
  for (const [, to = ''] of text.matchAll(/\bimport\(\s*['"]([^'"]+)['"]\s*\)/g))
    found.push({ to, isType: false, isMacro: false });
  return found;
}

/** What is wrong with an import; undefined when it is allowed. */
function problemOf(file: string, { to, isType, isMacro }: Import): string | undefined {
  const from = layerOf(file);
  const layer = layers[from];
  if (!layer) return `${from} is not a known layer`;
  if (!to.startsWith('.')) {
    const nodeModules = pureLayers[from];
    if (nodeModules && to.startsWith('node:')) return nodeModules.includes(to) ? undefined : `${from} imports ${to}`;
    const packages = `bun ${layer.packages ?? ''}`.split(' ');
    const isAllowed = isType || /^node:(?!process$)/.test(to) || packages.some(name => `${to}/`.startsWith(`${name}/`));
    return isAllowed ? undefined : `${from} imports the package ${to}`;
  }
  const target = relative(import.meta.dir, join(import.meta.dir, dirname(file), to));
  if (/\.(sql|json|html|css|svg|txt)$/.test(to) || target.startsWith('..')) return undefined;
  const targetLayer = layerOf(target);
  const [feature, targetFeature] = [featureOf(file), featureOf(target)];
  // A wire shape is written once: models may use those of other features.
  if (from === 'model' && targetLayer === 'model') return undefined;
  if (feature !== undefined && targetFeature !== undefined && feature !== targetFeature)
    return isType && ['service', 'model', 'part'].includes(targetLayer) ? undefined : `${to}: value of another feature`;
  const allowed = `shared ${layer.values} ${isType ? layer.types : ''} ${isMacro ? layer.macros : ''}`.split(' ');
  const isOwn = targetLayer === from && feature === targetFeature && panelOf(file) === panelOf(target);
  if (allowed.includes(targetLayer) || (isOwn && allowed.includes('own'))) return undefined;
  return `${from} imports ${isType ? 'a type' : 'a value'} of ${targetLayer} (${to})`;
}

/**
 * The functions of a file that Biome has formatted: a line that opens one ends in `=> {` or `) {`, and a line with the same
 * indentation closes it. Lines of nested functions count only for those.
 */
function functionLengths(text: string): { line: number; lines: number }[] {
  const open: { line: number; lines: number; indent: string }[] = [];
  const lengths: { line: number; lines: number }[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    const indent = /^ */.exec(line)?.[0] ?? '';
    const innermost = open.at(-1);
    if (innermost && line.startsWith(`${innermost.indent}}`)) lengths.push(...open.splice(-1));
    else if (innermost && line !== '') innermost.lines++;
    if (/(=>|\)(: .*)?) \{$/.test(line) && !/^ *(\} )?(if|else|for|while|switch|catch|do|try)\b/.test(line))
      open.push({ line: index + 1, lines: 0, indent });
  }
  return lengths;
}

function readSources(): Source[] {
  const transpilers = { ts: new Bun.Transpiler({ loader: 'ts' }), tsx: new Bun.Transpiler({ loader: 'tsx' }) };
  return readdirSync(import.meta.dir, { recursive: true, encoding: 'utf8' })
    .filter(file => /\.tsx?$/.test(file) && !file.endsWith('.d.ts'))
    .map(file => {
      const text = readFileSync(join(import.meta.dir, file), 'utf8');
      // Macros cannot run here, so their calls are left in place.
      const withoutMacros = text.replace(/\s*with\s*\{\s*type:\s*'macro'\s*\}/, '');
      const code = transpilers[file.endsWith('x') ? 'tsx' : 'ts'].transformSync(withoutMacros);
      return { file, text, code, imports: importsOf(text) };
    });
}

const sources = readSources();
const shipped = sources.filter(({ file }) => !file.endsWith('.test.ts') && !file.startsWith('testing/'));
const filesWhere = (all: Source[], isWrong: (source: Source) => boolean): string[] =>
  all.filter(isWrong).map(({ file }) => file);

describe('the code', () => {
  test('imports only what the table of layers allows', () => {
    const problems = shipped.flatMap(({ file, imports }) =>
      imports.map(found => problemOf(file, found)).flatMap(problem => (problem ? [`${file}: ${problem}`] : [])),
    );
    expect(problems).toEqual([]);
  });

  test('limits connections without knowing who listens, and reads none of their requests', () => {
    const isBelow = (to: string): boolean => !/listener|fast-path/.test(to);
    const limits = shipped.filter(({ file }) => file.startsWith('http/connection/'));
    expect(limits.length).toBeGreaterThan(3);
    expect(filesWhere(limits, ({ imports }) => !imports.every(({ to }) => isBelow(to)))).toEqual([]);
  });

  test('touches the process only in entry files, and the console nowhere', () => {
    const others = shipped.filter(({ file }) => !['main.ts', 'wiring/writer-thread.ts'].includes(file));
    expect(filesWhere(others, ({ code }) => /\bprocess\s*(\.|\[)/.test(code))).toEqual([]);
    expect(filesWhere(shipped, ({ code }) => /\bconsole\s*\./.test(code))).toEqual([]);
  });

  test(`has at most ${maxLinesPerFile} lines in a file and ${maxLinesPerFunction} in a function`, () => {
    expect(filesWhere(sources, ({ text }) => text.split('\n').length - 1 > maxLinesPerFile)).toEqual([]);
    const long = shipped.flatMap(({ file, text }) =>
      functionLengths(text).flatMap(({ line, lines }) => (lines > maxLinesPerFunction ? [{ file, line, lines }] : [])),
    );
    expect(long).toEqual([]);
  });

  test('says at the top of each file what it guarantees, and exports by name', () => {
    const explained = shipped.filter(({ file }) => !file.startsWith('platforms/catalog/'));
    expect(filesWhere(explained, ({ text }) => !/^(#!.*\n)?\/[*/]/.test(text))).toEqual([]);
    expect(filesWhere(sources, ({ code }) => /^export default\b|\bas default\b/m.test(code))).toEqual([]);
  });

  test('names constants in camelCase', () => {
    const constants = sources.flatMap(({ file, text }) =>
      [...text.matchAll(/^\s*(?:export )?const ([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|[A-Z]{3,}[A-Z0-9]*)\b/gm)].map(
        ([, name]) => `${file}: ${name}`,
      ),
    );
    expect(constants).toEqual([]);
  });

  test('mentions only pages of the manual that exist', () => {
    const missing = sources.flatMap(({ file, text }) =>
      [...text.matchAll(/\bdocs\/[\w/-]+\.md\b/g)]
        .filter(([page]) => !existsSync(join(import.meta.dir, '..', page)))
        .map(([page]) => `${file}: ${page}`),
    );
    expect(missing).toEqual([]);
  });

  test('exports no value that only tests use', () => {
    const scripts = join(import.meta.dir, '../scripts');
    const scriptTexts = readdirSync(scripts, { recursive: true, encoding: 'utf8' })
      .filter(file => file.endsWith('.ts'))
      .map(file => readFileSync(join(scripts, file), 'utf8'));
    const uses = new Map<string, number>();
    for (const text of [...shipped.map(({ code }) => code), ...scriptTexts])
      for (const name of text.match(/[A-Za-z_$][\w$]*/g) ?? []) uses.set(name, (uses.get(name) ?? 0) + 1);
    const unused = shipped.flatMap(({ file, text }) =>
      [...text.matchAll(/^export (?:async )?(?:const|let|class|function\*?) (\w+)/gm)]
        .filter(([, name = '']) => (uses.get(name) ?? 0) < 2)
        .map(([, name]) => `${file}: ${name}`),
    );
    expect(unused).toEqual([]);
  });
});

test('the limits that a form shows are those of the server', () => {
  const isShared = ({ file }: Source): boolean =>
    /^shared\/(alerts|answers|endpoints|forwards|guard|limits|units)\.ts$/.test(file);
  const constants = ({ text }: Source): string[] =>
    [...text.matchAll(/^(?:export )?const ((?:max|min|default)\w+)[^=\n]* = ([^;\n]+);$/gm)].map(
      ([, name, value]) => `${name} = ${value}`,
    );
  const limits = new Set(shipped.filter(isShared).flatMap(constants));
  const copies = shipped
    .filter(({ file }) => file.startsWith('ui/'))
    .flatMap(source =>
      [
        ...constants(source).filter(constant => limits.has(constant)),
        ...(source.text.match(/\b(?:maxLength(?:=\{|: )|max: )[\d_]{2,}/g) ?? []),
      ].map(copy => `${source.file}: ${copy}`),
    );
  expect(limits.size).toBeGreaterThan(20);
  expect(copies).toEqual([]);
});

describe('the table of layers', () => {
  test.each([
    ['core/ids.ts', `import { open } from '../db/client.ts';`, false],
    ['core/ids.ts', `import { readFileSync } from 'node:fs';`, false],
    ['core/ids.ts', `import { hash } from 'node:crypto';`, true],
    ['core/ids.ts', `import { detect } from '../platforms/platforms.ts';`, false],
    ['platforms/engine/detect.ts', `import { lowerName } from '../../core/headers.ts';`, true],
    ['platforms/engine/detect.ts', `import { readFileSync } from 'node:fs';`, false],
    ['platforms/engine/detect.ts', `import { open } from '../../db/client.ts';`, false],
    ['features/keys/service.ts', `import { detect } from '../../platforms/platforms.ts';`, true],
    ['features/keys/store.ts', `import { detect } from '../../platforms/platforms.ts';`, false],
    ['ui/main.tsx', `import { a } from '../shared/multipart.ts';`, true],
    ['features/keys/service.ts', `import { a } from '../../shared/multipart.ts';`, true],
    ['core/ids.ts', `import { a } from '../shared/multipart.ts';`, true],
    ['shared/multipart.ts', `import { a } from '../core/ids.ts';`, false],
    ['shared/multipart.ts', `import { hash } from 'node:crypto';`, false],
    ['ui/kit/format/platforms.ts', `import { detect } from '../../../platforms/platforms.ts';`, false],
    [
      'ui/kit/format/platforms.ts',
      `import { list } from '../../../platforms/directory.ts' with { type: 'macro' };`,
      true,
    ],
    ['features/keys/routes.ts', `import { keys } from './store.ts';`, false],
    ['features/keys/routes.ts', `import type { Keys } from './service.ts';`, true],
    ['features/keys/routes.ts', `import { keys } from './service.ts';`, false],
    ['features/keys/service.ts', `import { and } from 'drizzle-orm';`, false],
    ['features/oauth/clients-store.ts', `import { and } from 'drizzle-orm';`, true],
    ['features/oauth/clients.ts', `import { and } from 'drizzle-orm';`, false],
    ['features/keys/service.ts', `import {\n  type A,\n  type B,\n} from './store.ts';`, true],
    ['features/keys/service.ts', `import { type A, b } from './store.ts';`, false],
    ['features/keys/service.ts', `import { a } from '../teams/service.ts';`, false],
    ['features/keys/service.ts', `import type { A } from '../teams/service.ts';`, true],
    ['features/keys/service.ts', `export { a } from '../teams/model.ts';`, false],
    ['features/keys/model.ts', `import { A } from '../teams/model.ts';`, true],
    ['features/keys/service.ts', `const a = await import('../../db/client.ts');`, false],
    ['ui/main.tsx', `import { a } from '../features/keys/model.ts';`, false],
    ['ui/kit/page.tsx', `import { a } from '../inspector/event/badges.tsx';`, false],
    ['ui/kit/page.tsx', `import type { A } from '../alerts/wording.ts';`, false],
    ['ui/kit/page.tsx', `import { a } from './time.tsx';`, true],
    ['ui/inspector/list/list-pane.tsx', `import { a } from '../../alerts/wording.ts';`, false],
    ['ui/inspector/list/list-pane.tsx', `import { a } from '../event/badges.tsx';`, true],
    ['ui/alerts/alert-card.tsx', `import { a } from '../inspector/filter/filter-text.ts';`, true],
    ['ui/alerts/alert-card.tsx', `import { a } from '../forwards/wording.ts';`, false],
    ['ui/alerts/alert-card.tsx', `import type { A } from '../../features/alerts/model.ts';`, true],
    ['ui/alerts/alert-card.tsx', `import type { A } from '../../features/alerts/service.ts';`, false],
    ['ui/alerts/alert-card.tsx', `import { a } from '../pages/settings.tsx';`, false],
    ['ui/pages/settings.tsx', `import { a } from '../alerts/wording.ts';`, true],
    ['ui/pages/settings.tsx', `import { a } from '../app.tsx';`, false],
    ['features/keys/format.ts', `import { rows } from './store.ts';`, false],
    ['ui/main.tsx', `import type { A } from '../features/keys/model.ts';`, true],
    ['http/gate.ts', `import 'node:process';`, false],
    ['unknown/gate.ts', `import { a } from './b.ts';`, false],
  ])('%s with %j: allowed is %p', (file, text, isAllowed) => {
    expect(importsOf(text).map(found => problemOf(file, found) === undefined)).toEqual([isAllowed]);
  });
});

test('the lines of a nested function count only for that function', () => {
  const text = [
    'function a(',
    '  b: B,',
    '): C {',
    '  const d = () => {',
    '    e();',
    '  };',
    '  if (d) {',
    '  }',
    '}',
  ];
  expect(functionLengths(text.join('\n'))).toMatchObject([
    { line: 4, lines: 1 },
    { line: 3, lines: 3 },
  ]);
});
