/* What a command loads. One that talks to a server over HTTP must start at once, so it loads nothing of the server. */
import { expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const root = join(import.meta.dir, '..');
const transpiler = new Bun.Transpiler({ loader: 'ts' });

/** The files that loading this one loads: static imports of values, not `import()`. */
function loadedBy(file: string, found = new Set<string>()): Set<string> {
  if (found.has(file)) return found;
  found.add(file);
  if (!file.endsWith('.ts')) return found;
  for (const { path, kind } of transpiler.scanImports(readFileSync(join(root, file), 'utf8')))
    if (kind === 'import-statement' && path.startsWith('.'))
      loadedBy(relative(root, join(root, dirname(file), path)), found);
  return found;
}
const packagesOf = (file: string): string[] =>
  file.endsWith('.ts')
    ? transpiler
        .scanImports(readFileSync(join(root, file), 'utf8'))
        .flatMap(({ path, kind }) => (kind === 'import-statement' && !/^(\.|node:)/.test(path) ? [path] : []))
    : [];

const filesIn = (folder: string): string[] =>
  readdirSync(join(root, folder))
    .filter(name => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map(name => `${folder}/${name}`);

/** The package that a file may load: only a channel speaks MCP. */
const mcpPackageOf = (file: string): string | undefined =>
  file.startsWith('cli/channel/') ? '@modelcontextprotocol/server' : undefined;

test('the program itself loads only the table of commands, and a module that opens its library later', () => {
  const loaded = [...loadedBy('main.ts')];
  expect(
    loaded.filter(
      file =>
        !/^(main|cli\/(commands|arguments|io|job-control|usage|table\/\w+-commands)|core\/(clock|errors|field-problems)|shared\/(suggest|exports))\.ts$/.test(
          file,
        ),
    ),
  ).toEqual(['../package.json']);
});

test.each([
  ...filesIn('cli/client'),
  ...filesIn('cli/listen'),
  ...filesIn('cli/channel'),
  'cli/help.ts',
  'cli/error-output.ts',
  'cli/option-hint.ts',
])('%s loads nothing of the server and no package', file => {
  const loaded = [...loadedBy(file)];
  const isAllowed = (one: string): boolean =>
    /^(cli|core|shared|net|config|\.\.\/skills)\//.test(one) || one === 'log.ts';
  expect(loaded.filter(one => !isAllowed(one))).toEqual([]);
  expect(loaded.flatMap(packagesOf).filter(one => one !== mcpPackageOf(file))).toEqual([]);
  // The network code of `send` and `listen`, and no more of the configuration than the names of settings.
  if (!/send|deliver|report-response|option-hint|signing|listen\/|channel\//.test(file))
    expect(loaded.filter(one => /^(net|config)\//.test(one))).toEqual([]);
});

test('the start of the server loads nothing that only requests need, and no check of the runtime', () => {
  const loaded = [...loadedBy('cli/serve.ts'), ...loadedBy('cli/server.ts')];
  expect(
    loaded.filter(file =>
      /^app\.ts$|^features\/\w[\w-]*\/routes\.ts$|^http\/(docs|openapi|dashboard|listener\/runtime-check)/.test(file),
    ),
  ).toEqual([]);
  expect(
    [...new Set(loaded.flatMap(packagesOf))].filter(name =>
      /elysia|swagger|typebox|diff|nodemailer|modelcontext/.test(name),
    ),
  ).toEqual([]);
});

test('the start of the server loads no wiring of requests, and of the features that only requests use no file', () => {
  const loaded = [...loadedBy('cli/serve.ts'), ...loadedBy('cli/server.ts')];
  const onlyRequests =
    'alerts consumers deliveries exports feed filters listeners mcp queues replay-jobs replays signatures test-events';
  expect(
    loaded.filter(file => file === 'wiring/api.ts' || onlyRequests.split(' ').includes(file.split('/')[1] ?? '')),
  ).toEqual([]);
});

test('the writer thread loads nothing that only deliveries need', () => {
  const loaded = [...loadedBy('wiring/writer-thread.ts')];
  expect(
    loaded.filter(file => !/^(wiring\/writer-thread\.ts|db\/(threads|pages)\/|core\/backup\/contents\.ts)/.test(file)),
  ).toEqual([]);
});

test('loading the server makes no text segmenter', () => {
  const script = `Intl.Segmenter = class { constructor() { throw new Error('made at the start'); } }; await import('./cli/server.ts');`;
  const { exitCode, stderr } = Bun.spawnSync([process.execPath, '-e', script], { cwd: root });
  expect([exitCode, stderr.toString()]).toEqual([0, '']);
});
