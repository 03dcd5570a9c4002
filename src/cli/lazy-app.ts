/* Loads the code that only requests need, for the first request that is not a health probe, so that the server starts without it. */
import type { App } from '../app.ts';

type LazyAppOptions = {
  /** undefined for a request that is not a health probe */
  answerProbe: (request: Request) => Promise<Response> | undefined;
  load: () => Promise<App>;
};

export function createLazyApp({ answerProbe, load }: LazyAppOptions): App {
  const loadApp = once(load);
  return { fetch: async request => answerProbe(request) ?? (await loadApp()).fetch(request) };
}

/** Loads at the first call. After a failure, the next call loads again. */
export function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined;
  return () => {
    loaded ??= load().catch(error => {
      loaded = undefined;
      throw error;
    });
    return loaded;
  };
}
