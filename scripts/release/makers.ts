/* The builder of each kind, and the targets to build for. */
import { hostTarget } from '../lib/executable.ts';
import { addonPackages, isTarget, type Target } from '../lib/native-plugin.ts';
import { makeFormula } from './brew.ts';
import { makeClients } from './clients.ts';
import { makeDeb } from './deb.ts';
import { makeExecutables } from './executables.ts';
import type { Made } from './files.ts';
import { makeChart } from './helm.ts';
import { makeImages } from './image.ts';
import { makeNpmPackages } from './npm.ts';
import type { Kind } from './prerequisites.ts';

/** Each returns the files that it has created. */
export const makers: Record<Kind, (targets: readonly Target[]) => Promise<Made[]>> = {
  executables: makeExecutables,
  npm: makeNpmPackages,
  deb: makeDeb,
  brew: makeFormula,
  helm: makeChart,
  image: makeImages,
  clients: makeClients,
};

export function targetsOf(name: string | undefined): Target[] {
  if (name === undefined) return [hostTarget()];
  const all = Object.keys(addonPackages).filter(isTarget);
  if (name === 'all') return all;
  if (isTarget(name)) return [name];
  throw new Error(`unknown target ${name}; targets: all, ${all.join(', ')}`);
}
