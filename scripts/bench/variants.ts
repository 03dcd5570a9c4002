/*
 * The program as it is, and with one part left out, all built from the same source in the same way. What a part costs is
 * the difference. A build whose source no longer has the place to cut fails, rather than compare a program with itself.
 */
import { join } from 'node:path';
import type { BunPlugin } from 'bun';
import { buildExecutable, repositoryRoot } from '../lib/executable.ts';

export type Variant = 'complete' | 'no fast path' | 'no detection' | 'no search index';

type Cut = { file: string; change: (source: string) => string };

const cuts: Record<Variant, readonly Cut[]> = {
  complete: [],
  'no fast path': [{ file: 'front.ts', change: source => source.replace('enabled = true,', 'enabled = false,') }],
  'no detection': [
    {
      file: 'platforms/engine/detect.ts',
      change: () => `
        const nothing = { platform: null, eventType: null };
        export const createDetector = () => ({ detect: () => nothing, refineByRegistered: found => found });`,
    },
    { file: 'platforms/engine/handshake.ts', change: () => 'export const createHandshake = () => () => null;' },
  ],
  'no search index': [
    {
      file: 'wiring/infrastructure.ts',
      change: source => source.replace('searchIndex = true,', 'searchIndex = false,'),
    },
  ],
};

export const variants = Object.keys(cuts) as Variant[];

/** Builds it below .bench/ and returns the path of the executable. */
export async function buildVariant(variant: Variant): Promise<string> {
  const outfile = join(repositoryRoot, '.bench', `hooktape-${variant.replaceAll(' ', '-')}`);
  const missing = new Set(cuts[variant]);
  await buildExecutable({ outfile, plugins: cuts[variant].map(cut => plugin(cut, () => missing.delete(cut))) });
  for (const { file } of missing) throw new Error(`${file} is not part of the program any more: adapt variants.ts`);
  return outfile;
}

function plugin({ file, change }: Cut, applied: () => void): BunPlugin {
  const path = join(repositoryRoot, 'src', file);
  return {
    name: `without ${file}`,
    setup: build => {
      build.onLoad({ filter: new RegExp(`${file.replaceAll('.', '\\.')}$`) }, async args => {
        const source = await Bun.file(args.path).text();
        if (args.path !== path) return { contents: source, loader: 'ts' };
        const contents = change(source);
        if (contents === source) throw new Error(`${file} has changed: adapt variants.ts`);
        applied();
        return { contents, loader: 'ts' };
      });
    },
  };
}
