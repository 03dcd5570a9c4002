/* Where a replay goes: the destination, with the captured path and query appended when that is asked for. */

/**
 * Appends the captured path below the URL's own, and the captured query after the URL's own; both stay as they were sent.
 * @param target `path` begins with `/` or is empty; `query` without `?`, null when there was none
 */
export function appendTarget(url: string, target: { path: string; query: string | null }): string {
  const [, base = '', ownQuery] = /^([^?#]*)(?:\?([^#]*))?/s.exec(url) ?? [];
  const path = target.path === '' ? base : base.replace(/\/$/, '') + target.path;
  const queries = [ownQuery, target.query ?? undefined].filter(one => one !== undefined && one !== '');
  const hasMark = ownQuery !== undefined || target.query !== null;
  return path + (hasMark ? `?${queries.join('&')}` : '');
}
