/* The list of platforms for the dashboard. The bundler runs `listPlatforms`, so the dashboard needs no engine. */

import type { Platform } from './engine/platform.ts';
import { acceptedKeyFormats } from './engine/secrets.ts';
import { platforms } from './platforms.ts';

export type PlatformDescription = {
  name: string;
  aliases: readonly string[];
  title: string;
  docsUrl: string;
  /** Where to find the secret; null = the platform has no secret. */
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

/** The bundler calls this function as a macro. */
export const listPlatforms = (): PlatformDescription[] => describePlatforms(platforms);
