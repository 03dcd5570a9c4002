/*
 * `bun run build [--target TARGET|all]`: one executable with everything inside: program, workers, migrations, dashboard,
 * libsql's native addon. Without a target it is `dist/hooktape` for this machine, otherwise `dist/hooktape-OS-ARCH`.
 */
import { mkdirSync, rmSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { version } from '../package.json' with { type: 'json' };
import { ADDON_PACKAGES, isTarget, nativePlugin, type Target } from './lib/native-plugin.ts';

const ROOT = join(import.meta.dir, '..');
/** The Workers are found by their path relative to the entry file, so each is an entry of its own. */
const ENTRYPOINTS = ['main.ts', 'db/writer.ts', 'db/reader.ts'].map(file => join(ROOT, 'src', file));

/** Builds one executable and prints its version, size and the time it took. */
async function build(target: Target, outfile: string, host: boolean): Promise<void> {
  const started = performance.now();
  const native = nativePlugin(ROOT, target);
  rmSync(outfile, { force: true });
  const result = await Bun.build({
    entrypoints: ENTRYPOINTS,
    root: join(ROOT, 'src'),
    target: 'bun',
    format: 'esm',
    // Parsed ahead: three times faster to start. Bytecode belongs to one machine type, so only for the host's own.
    bytecode: host,
    minify: { whitespace: true, syntax: true, identifiers: false },
    define: {
      'process.env.NODE_ENV': '"production"',
      HOOKTAPE_VERSION: JSON.stringify(version),
      HOOKTAPE_COMMIT: JSON.stringify(commit()),
    },
    compile: {
      // Naming the host's own target would fetch a runtime on machines where Bun's baseline variant runs.
      ...(host ? {} : { target }),
      outfile,
      autoloadDotenv: false,
      autoloadBunfig: false,
    },
    plugins: [native],
  });
  for (const log of result.logs) console.error(log);
  if (!native.applied()) throw new Error('libsql is not part of the program: the binary would have no database');
  const megabytes = (statSync(outfile).size / 1e6).toFixed(1);
  const ms = (performance.now() - started).toFixed(0);
  console.log(`${relative(ROOT, outfile)}  ${version} (${commit()})  ${target}  ${megabytes} MB  ${ms} ms`);
}

function commit(): string {
  const given = process.env['HOOKTAPE_COMMIT'];
  if (given) return given;
  const git = Bun.spawnSync(['git', 'rev-parse', '--short=12', 'HEAD'], { cwd: ROOT, stderr: 'ignore' });
  return git.exitCode === 0 ? git.stdout.toString().trim() : 'unknown';
}

function hostTarget(): Target {
  const musl = process.platform === 'linux' && Bun.spawnSync(['ldd', '--version']).stderr.includes('musl');
  const name = `bun-${process.platform}-${process.arch}${musl ? '-musl' : ''}`;
  if (!isTarget(name)) throw new Error(`no build for ${name}`);
  return name;
}

function chosenTargets(name: string): Target[] {
  if (name === 'all') return Object.keys(ADDON_PACKAGES).filter(isTarget);
  if (isTarget(name)) return [name];
  throw new Error(`unknown target ${name}; one of: all, ${Object.keys(ADDON_PACKAGES).join(', ')}`);
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { target: { type: 'string' } } });
  mkdirSync(join(ROOT, 'dist'), { recursive: true });
  if (values.target === undefined) return build(hostTarget(), join(ROOT, 'dist/hooktape'), true);
  for (const target of chosenTargets(values.target)) {
    await build(target, join(ROOT, `dist/hooktape-${target.replace('bun-', '')}`), false);
  }
}

await main();
