/* Finds platforms of the catalog by name. */
import * as catalog from './catalog.ts';
import type { Platform } from './engine/model.ts';

export const platforms: readonly Platform[] = Object.values(catalog).sort((a, b) => (a.name < b.name ? -1 : 1));

const byName = new Map<string, Platform>();
for (const row of platforms) for (const name of [row.name, ...(row.aliases ?? [])]) byName.set(name, row);

/** A row by its name or one of its aliases, in any letter case. */
export const findPlatform = (name: string): Platform | undefined => byName.get(name.trim().toLowerCase());
