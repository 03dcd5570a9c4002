/* Finds platforms by name. */
import type { Platform } from './platform.ts';

export type PlatformIndex = {
  all: readonly Platform[];
  /** By name or alias, in any letter case. */
  find: (name: string) => Platform | undefined;
};

export function createPlatformIndex(all: readonly Platform[]): PlatformIndex {
  const byName = new Map<string, Platform>();
  for (const platform of all) {
    for (const name of [platform.name, ...(platform.aliases ?? [])]) byName.set(name, platform);
  }
  return { all, find: name => byName.get(name.trim().toLowerCase()) };
}
