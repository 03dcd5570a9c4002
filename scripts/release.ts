/*
 * `bun run release npm|deb|brew|helm|image|clients|all [--target TARGET|all]`: builds the packages, in `dist/release/KIND/`.
 * Nothing is published. Packages of executables are built for this machine, or for `--target`; other targets need
 * `bun install --os='*' --cpu='*'`. `brew` needs the executables of four targets and builds those itself.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { hostTarget } from './lib/executable.ts';
import { addonPackages, isTarget, type Target } from './lib/native-plugin.ts';
import { makeFormula } from './release/brew.ts';
import { makeClients } from './release/clients.ts';
import { makeDeb } from './release/deb.ts';
import type { Made } from './release/files.ts';
import { makeChart } from './release/helm.ts';
import { makeImage } from './release/image.ts';
import { makeNpmPackages } from './release/npm.ts';

/** Each returns the files that it has created. */
const makers = {
  npm: makeNpmPackages,
  deb: makeDeb,
  brew: makeFormula,
  helm: makeChart,
  image: makeImage,
  clients: makeClients,
} satisfies Record<string, (targets: readonly Target[]) => Promise<Made[]>>;

const names = Object.keys(makers) as (keyof typeof makers)[];
const usage = `usage: bun run release ${names.join('|')}|all [--target TARGET|all]`;

function targetsOf(name: string | undefined): Target[] {
  if (name === undefined) return [hostTarget()];
  const all = Object.keys(addonPackages).filter(isTarget);
  if (name === 'all') return all;
  if (isTarget(name)) return [name];
  throw new Error(`unknown target ${name}; targets: all, ${all.join(', ')}`);
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { target: { type: 'string' } } });
  const [what, ...more] = positionals;
  const chosen = what === 'all' ? names : names.filter(name => name === what);
  if (chosen.length === 0 || more.length > 0) throw new Error(usage);
  const targets = targetsOf(values.target);
  for (const name of chosen)
    for (const { file, bytes } of await makers[name](targets))
      console.log(`${join('dist/release', file)}  ${(bytes / 1e6).toFixed(1)} MB`);
}

await main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
});
