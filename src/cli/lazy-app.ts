/* Loads the code that only requests need, for the first request that is not a health probe. No other place loads it. */
import type { App } from '../app.ts';

type LazyAppOptions = {
  /** undefined for a request that is not a health probe */
  answerProbe: (request: Request) => Promise<Response> | undefined;
  load: () => Promise<App>;
};

/** After a failure, the next request loads the app again. */
export function createLazyApp({ answerProbe, load }: LazyAppOptions): App {
  let app: Promise<App> | undefined;
  const loaded = (): Promise<App> => {
    app ??= load().catch(error => {
      app = undefined;
      throw error;
    });
    return app;
  };
  return { fetch: async request => answerProbe(request) ?? (await loaded()).fetch(request) };
}
