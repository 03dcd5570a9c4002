/* The platforms for the dashboard, read from the catalog at build time (see `platforms/directory.ts`). */

import { listPlatforms } from '../../../platforms/directory.ts' with { type: 'macro' };
import type { PlatformDescription } from '../../../platforms/directory.ts';

// Copied, because the bundler would inline the list at every use.
const platforms: readonly PlatformDescription[] = Array.from(listPlatforms());

const byName = new Map<string, PlatformDescription>();
for (const platform of platforms) {
  for (const name of [platform.name, ...platform.aliases, platform.title.toLowerCase()]) byName.set(name, platform);
}

/** The suggestions for registering a secret, sorted by title. Any other name is allowed too. */
export const platformsWithSecret: readonly PlatformDescription[] = platforms
  .filter(({ secretHint }) => secretHint !== null)
  .sort((a, b) => a.title.localeCompare(b.title, 'en'));

/** Titles of the platforms that deliver their secret in a handshake. */
export const titlesWithDeliveredSecret: readonly string[] = platforms
  .filter(({ deliversSecret }) => deliversSecret)
  .map(({ title }) => title);

/** By name, alias or title, in any letter case. */
export const findPlatform = (text: string): PlatformDescription | undefined => byName.get(text.trim().toLowerCase());

export const platformTitle = (platform: string | null): string => {
  if (platform === null || platform === '') return 'unknown sender';
  return findPlatform(platform)?.title ?? platform.charAt(0).toUpperCase() + platform.slice(1);
};
