/* Makes one executable with everything inside, for the release and, with plugins of its own, for what a bench compares. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { BunPlugin } from 'bun';
import { version } from '../../package.json' with { type: 'json' };
import { isSigned, signAdHoc } from './mach-o.ts';
import { isTarget, nativePlugin, type Target } from './native-plugin.ts';

export const repositoryRoot = join(import.meta.dir, '../..');
/** The Workers are found by their path relative to the entry file, so each is an entry of its own. */
const entrypoints = ['main.ts', 'wiring/writer-thread.ts', 'db/threads/reader-thread.ts'].map(file =>
  join(repositoryRoot, 'src', file),
);

export type Executable = {
  outfile: string;
  /** Another machine's; without it the executable is for this one. */
  target?: Target;
  /** Applied beside the one for libsql. */
  plugins?: readonly BunPlugin[];
};

/** @throws when it does not build, or the database engine found no way into it. */
export async function buildExecutable({ outfile, target, plugins = [] }: Executable): Promise<void> {
  const native = nativePlugin(repositoryRoot, target ?? hostTarget());
  mkdirSync(dirname(outfile), { recursive: true });
  rmSync(outfile, { force: true });
  const result = await Bun.build({
    entrypoints,
    root: join(repositoryRoot, 'src'),
    target: 'bun',
    format: 'esm',
    // Parsed ahead: three times faster to start. Bytecode belongs to one machine type, so only for the host's own.
    bytecode: target === undefined,
    minify: { whitespace: true, syntax: true, identifiers: false },
    define: {
      'process.env.NODE_ENV': '"production"',
      HOOKTAPE_VERSION: JSON.stringify(version),
      HOOKTAPE_COMMIT: JSON.stringify(commit()),
    },
    compile: {
      // Naming the host's own target would fetch a runtime on machines where Bun's baseline variant runs.
      ...(target === undefined ? {} : { target }),
      outfile,
      autoloadDotenv: false,
      autoloadBunfig: false,
    },
    plugins: [native, ...plugins],
  });
  for (const log of result.logs) console.error(log);
  if (!native.applied()) throw new Error('libsql is not part of the program: the binary would have no database');
  if ((target ?? hostTarget()).startsWith('bun-darwin')) signWhereNeeded(outfile);
}

function signWhereNeeded(outfile: string): void {
  const file = readFileSync(outfile);
  if (!isSigned(file)) writeFileSync(outfile, signAdHoc(file, 'hooktape'));
}

/** What the executable will say about its source. */
export function commit(): string {
  const given = process.env['HOOKTAPE_COMMIT'];
  if (given) return given;
  const git = Bun.spawnSync(['git', 'rev-parse', '--short=12', 'HEAD'], { cwd: repositoryRoot, stderr: 'ignore' });
  return git.exitCode === 0 ? git.stdout.toString().trim() : 'unknown';
}

export function hostTarget(): Target {
  const musl = process.platform === 'linux' && Bun.spawnSync(['ldd', '--version']).stderr.includes('musl');
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `bun-${system}-${process.arch}${musl ? '-musl' : ''}`;
  if (!isTarget(name)) throw new Error(`no build for ${name}`);
  return name;
}
