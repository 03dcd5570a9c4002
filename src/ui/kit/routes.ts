/* Finds what a table of patterns, such as `/app/endpoints/:id/events/:event?`, has for a path. */

import { attempt } from './attempt.ts';

export type Params = Readonly<Record<string, string>>;

/** The first pattern that fits wins. A part with `?` may be missing. */
export function findRoute<T>(
  table: Readonly<Record<string, T>>,
  path: string,
): { route: T; params: Params } | undefined {
  const given = path.replace(/\/+$/, '').split('/').map(safeDecode);
  for (const [pattern, route] of Object.entries(table)) {
    const params = fit(pattern.replace(/\/$/, '').split('/'), given);
    if (params) return { route, params };
  }
  return undefined;
}

function fit(pattern: readonly string[], given: readonly string[]): Params | undefined {
  if (given.length > pattern.length) return undefined;
  const params: Record<string, string> = {};
  for (const [at, part] of pattern.entries()) {
    const value = given[at] ?? '';
    const [, name = '', optional = ''] = /^:(\w+)(\??)$/.exec(part) ?? [];
    if (name === '' ? part !== value || at >= given.length : value === '' && optional === '') return undefined;
    if (name !== '') params[name] = value;
  }
  return params;
}

const safeDecode = (part: string): string => attempt(() => decodeURIComponent(part)) ?? part;
