/* Counts the app's responses by route template, including responses to requests that the gate refuses. */
import type { Fetcher } from './fetch-adapter.ts';
import type { MatchRoute } from './route-table.ts';

export type AnsweredRequest = { route: string; method: string; status: number; durationMs: number };

/** The label of requests without a route: the dashboard's pages and files, and unknown paths. */
const other = 'other';

/** Wraps the app. @param onAnswered called for each response when its status is known; the body of a stream follows later */
export function countRequests(
  { fetch, match }: { fetch: Fetcher; match: MatchRoute },
  onAnswered: (answered: AnsweredRequest) => void,
  monotonic: () => number,
): Fetcher {
  return async request => {
    const startedAt = monotonic();
    const done = (status: number): void => {
      const route = match(request)?.route?.path ?? other;
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
