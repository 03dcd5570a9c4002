/* Marks of the best-known platforms: line drawings of our own on a 16 unit grid, no logos. Others get two letters of their title. */

import drawings from './platform-marks.json' with { type: 'json' };

const paths: Readonly<Record<string, string>> = drawings;

export const markOf = (platform: string): string | undefined =>
  Object.hasOwn(paths, platform) ? paths[platform] : undefined;

/** `SN` of `Standard Notes`, `St` of `Strapi`; `?` when there is no letter. */
export function lettersOf(title: string): string {
  const [first = '', second = ''] = title.match(/[\p{L}\p{N}]+/gu) ?? [];
  const [a = '?', b = ''] = first;
  const [c = b] = second;
  return a.toLocaleUpperCase() + (second === '' ? b.toLocaleLowerCase() : c.toLocaleUpperCase());
}
