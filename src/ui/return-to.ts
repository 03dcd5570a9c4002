/* Where to go after signing in. The address comes from the URL, so only a path of this origin is ever followed. */

/** The path, query and fragment to return to; `/app` when the wish is absent or leads elsewhere. */
export function safeReturnTo(wish: string | null, origin: string): string {
  if (wish === null || !/^\/(?![/\\])/.test(wish)) return '/app';
  try {
    const target = new URL(wish, origin);
    const path = target.pathname + target.search + target.hash;
    return target.origin === origin && !/^\/[/\\]/.test(path) ? path : '/app';
  } catch {
    return '/app';
  }
}

/** Whether the dashboard itself shows this path; everything else needs a real navigation. */
export const isDashboardPath = (path: string): boolean =>
  /^\/(app([/?#]|$)|login([?#]|$)|setup([?#]|$)|$|[?#])/.test(path);
