/* The return_to parameter of a sign-in. It is untrusted, so only paths of this origin are accepted. */

/** The path, query and fragment to return to, or `/app` when `returnTo` is missing or not a path of this origin. */
export function safeReturnTo(returnTo: string | null, origin: string): string {
  if (returnTo === null || !/^\/(?![/\\])/.test(returnTo)) return '/app';
  try {
    const target = new URL(returnTo, origin);
    const path = target.pathname + target.search + target.hash;
    return target.origin === origin && !/^\/[/\\]/.test(path) ? path : '/app';
  } catch {
    return '/app';
  }
}

/** Whether the dashboard renders this path. Other paths need a full page load. */
export const isDashboardPath = (path: string): boolean =>
  /^\/(app([/?#]|$)|login([?#]|$)|setup([?#]|$)|$|[?#])/.test(path);
