/* Builds one executable that contains everything, for a release or, with additional plugins, for a benchmark. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { BunPlugin } from 'bun';
import { checkRuntime } from '../../src/http/listener/runtime-check.ts';
import { isSigned, signAdHoc } from './mach-o.ts';
import { isTarget, nativePlugin, type Target } from './native-plugin.ts';

export const repositoryRoot = join(import.meta.dir, '../..');
/** Workers are located by their path relative to the entry file, so each is an entry point. */
const entrypoints = ['main.ts', 'wiring/writer-thread.ts', 'db/threads/reader-thread.ts'].map(file =>
  join(repositoryRoot, 'src', file),
);

export type Executable = {
  outfile: string;
  /** Default: this machine. */
  target?: Target;
  /** Applied in addition to the plugin for libsql. */
  plugins?: readonly BunPlugin[];
};

/** @throws if the build fails, does not contain the database engine, or would contain a Bun that the program cannot rely on */
export async function buildExecutable({ outfile, target, plugins = [] }: Executable): Promise<void> {
  await checkThisBun();
  const native = nativePlugin(repositoryRoot, target ?? hostTarget());
  mkdirSync(dirname(outfile), { recursive: true });
  rmSync(outfile, { force: true });
  const result = await Bun.build({
    entrypoints,
    root: join(repositoryRoot, 'src'),
    target: 'bun',
    format: 'esm',
    // A module imported with `import()` becomes a separate file, together with the modules of node that only it needs.
    splitting: true,
    // Bytecode makes the start three times faster. It works only on one machine type, so other targets get none.
    bytecode: target === undefined,
    // Short identifiers save more than a megabyte. Names in stack traces are short, too.
    minify: true,
    define: {
      'process.env.NODE_ENV': '"production"',
      HOOKTAPE_COMMIT: JSON.stringify(commit()),
    },
    compile: {
      // On machines that run Bun's baseline variant, naming the host's target would download a runtime.
      ...(target === undefined ? {} : { target }),
      outfile,
      autoloadDotenv: false,
      autoloadBunfig: false,
    },
    plugins: [native, ...plugins],
  });
  for (const log of result.logs) console.error(log);
  if (!native.applied()) throw new Error('libsql is not in the bundle: the executable would have no database');
  if ((target ?? hostTarget()).startsWith('bun-darwin')) signWhereNeeded(outfile);
}

/** An executable does not check the Bun that it contains when it starts. The tests check it with TLS, too. */
async function checkThisBun(): Promise<void> {
  const problem = await checkRuntime();
  if (problem !== undefined)
    throw new Error(`Bun ${Bun.version} does not behave as the fast path needs it: ${problem}`);
}

function signWhereNeeded(outfile: string): void {
  const file = readFileSync(outfile);
  if (!isSigned(file)) writeFileSync(outfile, signAdHoc(file, 'hooktape'));
}

/** The commit that the executable reports. */
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
  if (!isTarget(name)) throw new Error(`there is no build for ${name}`);
  return name;
}
