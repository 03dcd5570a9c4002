/* Repeats requests to an object store that may succeed the next time. */
import { mayPass, type ObjectStore } from './object-store.ts';

const firstPauseMs = 500;
const longestPauseMs = 10_000;

type Options = { readonly sleep: (ms: number) => Promise<unknown>; readonly attempts?: number };

/** Tries again after failures that may pass, with growing pauses or as the store asks. @throws the last one, others at once */
export async function withRetries<T>(request: () => Promise<T>, { sleep, attempts = 6 }: Options): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await request();
    } catch (error) {
      if (!mayPass(error) || attempt >= attempts) throw error;
      const pauseMs = error.retryAfterMs ?? firstPauseMs * 2 ** (attempt - 1);
      await sleep(Math.min(pauseMs, longestPauseMs));
    }
  }
}

/** A store whose reads are repeated. A list is read as a whole. */
export const withRepeatedReads = (store: ObjectStore, options: Options): ObjectStore => ({
  ...store,
  get: (name, range) => withRetries(() => store.get(name, range), options),
  head: (name, given) => withRetries(() => store.head(name, given), options),
  list: async function* (given) {
    yield* await withRetries(() => Array.fromAsync(store.list(given)), options);
  },
  keepsVersions: given => withRetries(() => store.keepsVersions(given), options),
});
