/*
 * `bun run build [--target TARGET|all]`: builds one executable with the program, workers, migrations, dashboard and libsql's native
 * addon. Without a target it writes `dist/hooktape` for this machine, otherwise `dist/hooktape-OS-ARCH`; `all` also writes
 * `dist/SHA256SUMS`. Builds are reproducible: the same commit and lockfile give the same bytes on any machine.
 */
import { statSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { version } from './lib/about.ts';
import { buildExecutable, commit, type Executable, hostTarget, repositoryRoot } from './lib/executable.ts';
import { addonPackages, isTarget, type Target } from './lib/native-plugin.ts';

/** Builds one executable and prints its version, size and the time it took. */
async function build(executable: Executable): Promise<void> {
  const { outfile, target = hostTarget() } = executable;
  const started = performance.now();
  await buildExecutable(executable);
  const megabytes = (statSync(outfile).size / 1e6).toFixed(1);
  const ms = (performance.now() - started).toFixed(0);
  console.log(`${relative(repositoryRoot, outfile)}  ${version} (${commit()})  ${target}  ${megabytes} MB  ${ms} ms`);
}

function chosenTargets(name: string): Target[] {
  if (name === 'all') return Object.keys(addonPackages).filter(isTarget);
  if (isTarget(name)) return [name];
  throw new Error(`unknown target ${name}; targets: all, ${Object.keys(addonPackages).join(', ')}`);
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { target: { type: 'string' } } });
  if (values.target === undefined) return build({ outfile: join(repositoryRoot, 'dist/hooktape') });
  const files: string[] = [];
  for (const target of chosenTargets(values.target)) {
    const suffix = target.startsWith('bun-windows') ? '.exe' : '';
    const outfile = join(repositoryRoot, `dist/hooktape-${target.replace('bun-', '')}${suffix}`);
    await build({ target, outfile });
    files.push(outfile);
  }
  if (values.target === 'all') writeFileSync(join(repositoryRoot, 'dist/SHA256SUMS'), await checksums(files));
}

/** Lines in the format of `sha256sum --check`. */
async function checksums(files: readonly string[]): Promise<string> {
  const lines = files.map(async file => {
    const hash = new Bun.CryptoHasher('sha256');
    for await (const chunk of Bun.file(file).stream()) hash.update(chunk);
    return `${hash.digest('hex')}  ${basename(file)}\n`;
  });
  return (await Promise.all(lines)).join('');
}

await main();
