/*
 * Counts the app's responses by route template. The template is matched here instead of taken from the router, because a request
 * that the gate refuses never reaches the router.
 */
import type { Fetcher } from './fetch-adapter.ts';
import { pathPattern } from './path-pattern.ts';

export type AnsweredRequest = { route: string; method: string; status: number; durationMs: number };

/** The label of requests without a route: the dashboard's pages and files, and unknown paths. */
const other = 'other';

/** @param routes Elysia's `app.routes` @returns from method and path to the route's template, or `other` */
export function createRouteFinder(routes: readonly { method: string; path: string }[]) {
  const exact = new Map<string, string>();
  const patterns = new Map<string, { pattern: RegExp; path: string }[]>();
  for (const { method, path } of routes) {
    if (path.includes('*')) continue;
    if (!path.includes(':')) {
      exact.set(`${method} ${path}`, path);
      continue;
    }
    const same = patterns.get(method) ?? [];
    patterns.set(method, [...same, { pattern: pathPattern(path), path }]);
  }
  return (method: string, path: string): string =>
    exact.get(`${method} ${path}`) ?? patterns.get(method)?.find(({ pattern }) => pattern.test(path))?.path ?? other;
}

/** Wraps the app. @param onAnswered called for each response when its status is known; the body of a stream follows later */
export function countRequests(
  { fetch, routes }: { fetch: Fetcher; routes: readonly { method: string; path: string }[] },
  onAnswered: (answered: AnsweredRequest) => void,
  monotonic: () => number,
): Fetcher {
  const find = createRouteFinder(routes);
  return async request => {
    const startedAt = monotonic();
    const done = (status: number): void => {
      const method = request.method === 'HEAD' ? 'GET' : request.method;
      const route = find(method, new URL(request.url).pathname);
      onAnswered({ route, method: request.method, status, durationMs: monotonic() - startedAt });
    };
    try {
      const response = await fetch(request);
      done(response.status);
      return response;
    } catch (error) {
      done(500);
      throw error;
    }
  };
}
