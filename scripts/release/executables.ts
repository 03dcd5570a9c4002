/* The executables to download, directly in `dist/release/`, with their SHA-256. They have the same bytes wherever they are built. */
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { buildExecutable } from '../lib/executable.ts';
import type { Target } from '../lib/native-plugin.ts';
import { type Made, platformOf, releaseDir } from './files.ts';

const built = new Map<Target, Promise<{ file: string; sha256: string }>>();

/** Builds the executable to download for this target, once. */
export function releasedExecutable(target: Target): Promise<{ file: string; sha256: string }> {
  const building = async () => {
    const file = join(releaseDir, `hooktape-${platformOf(target)}${target.startsWith('bun-windows') ? '.exe' : ''}`);
    mkdirSync(releaseDir, { recursive: true });
    await buildExecutable({ target, outfile: file });
    return { file, sha256: new Bun.CryptoHasher('sha256').update(readFileSync(file)).digest('hex') };
  };
  const one = built.get(target) ?? building();
  built.set(target, one);
  return one;
}

export async function makeExecutables(targets: readonly Target[]): Promise<Made[]> {
  const made: Made[] = [];
  const sums: string[] = [];
  for (const target of targets) {
    const { file, sha256 } = await releasedExecutable(target);
    made.push({ file: basename(file), bytes: statSync(file).size });
    sums.push(`${sha256}  ${basename(file)}\n`);
  }
  writeFileSync(join(releaseDir, 'SHA256SUMS'), sums.join(''));
  return made;
}
