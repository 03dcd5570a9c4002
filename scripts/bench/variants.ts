/*
 * Builds the complete program, and variants that lack one part, from the same source. The difference in speed is the cost of that
 * part. A build fails if the code to remove is not found.
 */
import { join } from 'node:path';
import type { BunPlugin } from 'bun';
import { buildExecutable, repositoryRoot } from '../lib/executable.ts';

/** `plain listener`: without the fast path and without the connection handling. */
export type Variant = 'complete' | 'no fast path' | 'plain listener' | 'no detection' | 'no search index';

type SourceChange = { file: string; change: (source: string) => string };

const sourceChanges: Record<Variant, readonly SourceChange[]> = {
  complete: [],
  'no fast path': [
    { file: 'front.ts', change: source => source.replace('fastPath: ingest.fastPath &&', 'fastPath: undefined &&') },
  ],
  'plain listener': [
    { file: 'front.ts', change: source => source.replace("if (isExecutable) return 'complete'", "return 'plain'") },
  ],
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
    {
      file: 'ingest/pack-rows.ts',
      change: source => source.replace('| null = signBlock)', '| null = null)'),
    },
  ],
};

export const variants = Object.keys(sourceChanges) as Variant[];

/** Builds the variant in .bench/. @returns the path of the executable */
export async function buildVariant(variant: Variant): Promise<string> {
  const outfile = join(repositoryRoot, '.bench', `hooktape-${variant.replaceAll(' ', '-')}`);
  const unapplied = new Set(sourceChanges[variant]);
  await buildExecutable({
    outfile,
    plugins: sourceChanges[variant].map(change => plugin(change, () => unapplied.delete(change))),
  });
  for (const { file } of unapplied) throw new Error(`${file} is no longer part of the program: update variants.ts`);
  return outfile;
}

function plugin({ file, change }: SourceChange, applied: () => void): BunPlugin {
  const path = join(repositoryRoot, 'src', file);
  return {
    name: `without ${file}`,
    setup: build => {
      build.onLoad({ filter: new RegExp(`${file.replaceAll('.', '\\.')}$`) }, async args => {
        const source = await Bun.file(args.path).text();
        if (args.path !== path) return { contents: source, loader: 'ts' };
        const contents = change(source);
        if (contents === source) throw new Error(`the code to change in ${file} was not found: update variants.ts`);
        applied();
        return { contents, loader: 'ts' };
      });
    },
  };
}
