/*
 * HEAD of what has no end, or a long one. Elysia answers HEAD by reading the whole answer to GET and counting its bytes: of a
 * live stream that never ends, and it keeps the account's place; of an export it is the whole history.
 */
import type { Fetcher } from './bridge.ts';

const streamed = /^\/api\/endpoints\/[^/]+\/(?:export|stream)\/?$/;

/** The same app, whose streams are answered as to GET and ended at once; their length stays unsaid. */
export function headOfStreams(fetch: Fetcher): Fetcher {
  return async request => {
    if (request.method !== 'HEAD' || !streamed.test(new URL(request.url, 'http://internal').pathname))
      return fetch(request);
    // Not a copy: what is known of a request is kept beside this very one.
    Object.defineProperty(request, 'method', { value: 'GET', configurable: true });
    try {
      const response = await fetch(request);
      await response.body?.cancel();
      return new Response(null, response);
    } finally {
      Reflect.deleteProperty(request, 'method');
    }
  };
}
