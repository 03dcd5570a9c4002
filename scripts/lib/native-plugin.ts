/*
 * Bundler plugin: libsql picks its native addon by a computed `require`, which no bundler can follow. The lookup is
 * replaced by native-addon.ts with the one addon of the target embedded. If libsql changes so that the replacement no
 * longer applies, the build fails rather than the binary.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BunPlugin } from 'bun';

/** Compile targets, and the package that has libsql's addon for each. */
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
        if (contents === source)
          throw new Error('libsql looks its addon up in another way now: adapt native-plugin.ts');
        applied = true;
        return { contents, loader: 'js' };
      });
      build.onResolve({ filter: /^hooktape-native$/ }, () => ({
        path: join(import.meta.dir, 'native.ts'),
        namespace: 'hooktape-native',
      }));
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
              read: () => readFileSync(file),
              compared: !Bun.isMainThread,
            };
            export const requireNative = () => lazyNative(() => loadAddon(addon, addonDirs(process.env)));`,
        };
      });
    },
  };
}
