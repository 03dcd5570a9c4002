/*
 * Turns a route's template into a pattern that matches the same paths as the router: a trailing slash makes no difference, except
 * under `/api/`, where declared-only.ts refuses it.
 */

/** @param template such as `/api/events/:id` */
export function pathPattern(template: string): RegExp {
  const source = template
    .replace(/\/$/, '')
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replace(/:\w+/g, '[^/]+');
  return new RegExp(`^${source}${source.startsWith('/api/') ? '' : '/?'}$`);
}
