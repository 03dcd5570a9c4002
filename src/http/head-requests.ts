/*
 * HEAD for streams and large responses. Elysia answers HEAD by reading the complete response to GET to count its bytes: that
 * never ends for a live stream, reads the whole history for an export, and reads a large event completely.
 */
import type { Fetcher } from './fetch-adapter.ts';
import type { MatchRoute } from './route-table.ts';

/** Wraps the app: the response of an operation with `head` is cancelled after its head. */
export function answerHeadRequests(fetch: Fetcher, match: MatchRoute): Fetcher {
  return async request => {
    const head = match(request)?.route?.operation?.head;
    if (request.method !== 'HEAD' || head === undefined) return fetch(request);
    // The request is changed and not copied, because its context is found by this object.
    Object.defineProperty(request, 'method', { value: 'GET', configurable: true });
    try {
      const response = await fetch(request);
      const headers = new Headers(response.headers);
      const length = head === 'chunk' && !headers.has('content-length') ? await lengthOfOneChunk(response) : undefined;
      if (length !== undefined) headers.set('content-length', String(length));
      else if (!response.bodyUsed) await response.body?.cancel();
      return new Response(null, { status: response.status, headers });
    } finally {
      Reflect.deleteProperty(request, 'method');
    }
  };
}

/** The length of a body that is a single chunk; cancels a longer one. */
async function lengthOfOneChunk({ body }: Response): Promise<number | undefined> {
  const reader = body?.getReader();
  if (!reader) return 0;
  const first = await reader.read();
  if (first.done) return 0;
  const { done } = await reader.read();
  if (done) return first.value.length;
  await reader.cancel();
  return undefined;
}
