/* The whole table: one row a platform. A new platform is a new row in `table/`, and a verifier only when its scheme is new. */

import { platformsAB } from './catalog/a-b.ts';
import { platformsC } from './catalog/c.ts';
import { platformsDG } from './catalog/d-g.ts';
import { platformsHL } from './catalog/h-l.ts';
import { platformsMN } from './catalog/m-n.ts';
import { platformsOR } from './catalog/o-r.ts';
import { platformsS } from './catalog/s.ts';
import { platformsTZ } from './catalog/t-z.ts';
import type { Platform } from './engine/model.ts';

export const platforms: readonly Platform[] = [
  ...platformsAB,
  ...platformsC,
  ...platformsDG,
  ...platformsHL,
  ...platformsMN,
  ...platformsOR,
  ...platformsS,
  ...platformsTZ,
];

const byName = new Map<string, Platform>();
for (const row of platforms) for (const name of [row.name, ...(row.aliases ?? [])]) byName.set(name, row);

/** A row by its name or one of its aliases, in any letter case. */
export const findPlatform = (name: string): Platform | undefined => byName.get(name.trim().toLowerCase());
