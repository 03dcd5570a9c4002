/*
 * What the dashboard knows about platforms. The bundler runs `listPlatforms` at build time and puts its result in the bundle: the
 * dashboard gets these texts without the engine, and has nothing to fetch.
 */

import type { Platform } from './engine/platform.ts';
import { acceptedKeyFormats } from './engine/secrets.ts';
import { platforms } from './platforms.ts';

export type PlatformDescription = {
  name: string;
  aliases: readonly string[];
  title: string;
  docsUrl: string;
  /** Where to find the secret; null = the platform takes none. */
  secretHint: string | null;
  /** The platform sends its secret in a handshake. */
  deliversSecret: boolean;
};

export const describePlatforms = (all: readonly Platform[]): PlatformDescription[] =>
  all.map(platform => {
    const { name, aliases = [], title, docsUrl, handshakes = [] } = platform;
    const secretHint = acceptedKeyFormats(platform).length > 0 ? platform.secretHint : null;
    return { name, aliases, title, docsUrl, secretHint, deliversSecret: handshakes.some(one => one.deliversSecret) };
  });

/** Called as a macro. */
export const listPlatforms = (): PlatformDescription[] => describePlatforms(platforms);
