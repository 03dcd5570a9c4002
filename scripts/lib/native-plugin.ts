/*
 * Bundler plugin that embeds libsql's native addon. libsql loads its addon with a computed `require`, which bundlers cannot
 * follow; the plugin replaces that code with native-addon.ts and the addon of the target. If a new libsql version no longer
 * matches, the build fails.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BunPlugin } from 'bun';

/** For each compile target, the package with libsql's addon. */
export const addonPackages = {
  'bun-linux-x64': '@libsql/linux-x64-gnu',
  'bun-linux-x64-baseline': '@libsql/linux-x64-gnu',
  'bun-linux-x64-musl': '@libsql/linux-x64-musl',
  'bun-linux-arm64': '@libsql/linux-arm64-gnu',
  'bun-linux-arm64-musl': '@libsql/linux-arm64-musl',
  'bun-darwin-x64': '@libsql/darwin-x64',
  'bun-darwin-arm64': '@libsql/darwin-arm64',
  'bun-windows-x64': '@libsql/win32-x64-msvc',
} as const;

export type Target = keyof typeof addonPackages;

export const isTarget = (name: string): name is Target => Object.hasOwn(addonPackages, name);

const addonLookup = /function requireNative\(\) \{[\s\S]*?\n\}\n/;

export function nativePlugin(root: string, target: Target): BunPlugin & { applied: () => boolean } {
  const addon = join(root, 'node_modules', addonPackages[target], 'index.node');
  let applied = false;
  return {
    name: 'libsql-native',
    applied: () => applied,
    setup(build) {
      if (!existsSync(addon)) {
        throw new Error(`${addonPackages[target]} is not installed; run: bun install --os='*' --cpu='*'`);
      }
      build.onLoad({ filter: /node_modules\/libsql\/index\.js$/ }, async ({ path }) => {
        const source = await Bun.file(path).text();
        const contents = source.replace(addonLookup, 'const { requireNative } = require("hooktape-native");\n');
        if (contents === source) throw new Error('libsql now loads its addon in another way: update native-plugin.ts');
        applied = true;
        return { contents, loader: 'js' };
      });
      // The path is part of the names of chunks, so it must not depend on where this is built.
      build.onResolve({ filter: /^hooktape-native$/ }, () => ({ path: 'native.ts', namespace: 'hooktape-native' }));
      build.onLoad({ filter: /.*/, namespace: 'hooktape-native' }, () => {
        const bytes = readFileSync(addon);
        return {
          loader: 'ts',
          contents: `
            import { readFileSync } from 'node:fs';
            import file from ${JSON.stringify(addon)} with { type: 'file' };
            import { addonDirs, lazyNative, loadAddon } from ${JSON.stringify(join(import.meta.dir, 'native-addon.ts'))};
            const addon = {
              name: '.libsql-${Bun.hash(bytes).toString(16)}.node',
              size: ${bytes.length},
              sha256: '${new Bun.CryptoHasher('sha256').update(bytes).digest('hex')}',
              read: () => readFileSync(file),
              compared: !Bun.isMainThread,
            };
            export const requireNative = () => lazyNative(() => loadAddon(addon, addonDirs(process.env)));`,
        };
      });
    },
  };
}
