/* From a route's template to the paths that it stands for, as the router takes them: a slash at the end makes no difference. */

/** @param template such as `/api/events/:id` */
export function pathPattern(template: string): RegExp {
  const source = template
    .replace(/\/$/, '')
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replace(/:\w+/g, '[^/]+');
  return new RegExp(`^${source}/?$`);
}
