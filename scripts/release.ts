/*
 * `bun run release [KIND…] [--target TARGET|all]`: makes the files of a release in `dist/release/`. Nothing is published. Without a KIND it
 * makes every kind for every target; with one, for this machine or for `--target`. First it installs the packages that are missing in
 * node_modules, and names all programs that are missing, so it works in a fresh clone.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { isKind, type Kind, kinds, prepare } from './release/prerequisites.ts';

const usage = `usage: bun run release [${kinds.join('|')}...] [--target TARGET|all]`;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { target: { type: 'string' } } });
  if (!positionals.every(name => name === 'all' || isKind(name))) throw new Error(usage);
  const chosen = positionals.length === 0 || positionals.includes('all') ? kinds : positionals.filter(isKind);
  const targetName = values.target ?? (positionals.length === 0 ? 'all' : undefined);
  if (prepare(chosen)) {
    // This process remembers which folders did not exist when it started.
    const again = Bun.spawnSync([process.execPath, ...process.argv.slice(1)], {
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    process.exit(again.exitCode ?? 1);
  }
  // Needs packages of node_modules.
  const { makers, targetsOf } = await import('./release/makers.ts');
  const targets = targetsOf(targetName);
  for (const kind of chosen)
    for (const { file, bytes } of await makers[kind satisfies Kind](targets))
      console.log(`${join('dist/release', file)}  ${(bytes / 1e6).toFixed(1)} MB`);
}

await main().catch((error: unknown) => {
  // A failed build has its reasons in the errors that it collects.
  const reasons = error instanceof AggregateError ? error.errors.map(String) : [];
  console.error([error instanceof Error ? error.message : String(error), ...reasons].join('\n'));
  process.exit(1);
});
