/* The request target as received: split, never normalised. */

/** The prefix of ingest addresses: `/in/{token}` and `/in/{token}/…` (interface "Addresses"). */
export const ingestPrefix = '/in/';

export const isIngestTarget = (target: string): boolean => /^\/in(?:$|[/?])/.test(target);

/** Whether the path has a segment `.` or `..`, even percent-encoded, as RFC 3986 and WHATWG URLs resolve them. */
export const hasDotSegment = (target: string): boolean =>
  /[/\\](?:\.|%2e){1,2}(?:[/\\]|$)/i.test(splitTarget(target).path);

/** Everything after the first `?`, undecoded; null when there is no `?`; `''` if nothing follows it (interface "Ingest"). */
export function splitTarget(target: string): { path: string; query: string | null } {
  const mark = target.indexOf('?');
  return mark < 0 ? { path: target, query: null } : { path: target.slice(0, mark), query: target.slice(mark + 1) };
}

/** Decoded [name, value] pairs in order, with repeated names. Invalid percent-encoding is left as it is. */
export function queryPairs(query: string | null): [string, string][] {
  // URLSearchParams removes one leading `?`, which must not be one of the query itself.
  return query ? [...new URLSearchParams(`?${query}`)] : [];
}
