/*
 * What the dashboard knows about platforms. The bundler runs this at build time and puts the result in the bundle: the dashboard
 * gets the texts without the engine, and there is nothing to fetch.
 */

import type { Platform } from './engine/platform.ts';
import { acceptedKeyFormats } from './engine/secrets.ts';
import { platforms } from './platforms.ts';

export type PlatformDescription = {
  name: string;
  title: string;
  docsUrl: string;
  /** Where to find the secret; null = the platform takes none. */
  secretHint: string | null;
};

export const describePlatforms = (all: readonly Platform[]): PlatformDescription[] =>
  all.map(platform => {
    const { name, title, docsUrl, secretHint } = platform;
    return { name, title, docsUrl, secretHint: acceptedKeyFormats(platform).length > 0 ? secretHint : null };
  });

/** Called as a macro. */
export const listPlatforms = (): PlatformDescription[] => describePlatforms(platforms);
