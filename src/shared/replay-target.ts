/* The URL of a replay that appends the event's original path and query. */

/** Bytes that are not allowed in a path or query, or would end it. The captured text has one character a byte. */
const unsafe = /[^\x21-\x7e]|[#\\"<>^`{|}]/g;
const encode = (text: string): string =>
  text.replace(unsafe, char => `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);

/** @param path begins with `/` or is empty @param query without `?`; null if the event had no query */
export function appendTarget(base: string, { path, query }: { path: string; query: string | null }): string {
  const { origin, pathname, search } = new URL(base);
  const way = path === '' ? pathname : pathname.replace(/\/$/, '') + encode(path.replaceAll('?', '%3F'));
  const parts = [search.slice(1), encode(query ?? '')].filter(part => part !== '');
  return origin + way + (parts.length === 0 ? '' : `?${parts.join('&')}`);
}
