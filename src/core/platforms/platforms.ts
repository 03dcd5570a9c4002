/* The whole table: one row a platform. A new platform is a new row in `table/`, and a verifier only when its scheme is new. */
import type { Platform } from './model.ts';
import { platformsAB } from './table/a-b.ts';
import { platformsC } from './table/c.ts';
import { platformsDG } from './table/d-g.ts';
import { platformsHL } from './table/h-l.ts';
import { platformsMN } from './table/m-n.ts';
import { platformsOR } from './table/o-r.ts';
import { platformsS } from './table/s.ts';
import { platformsTZ } from './table/t-z.ts';

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
