/*
 * HEAD for streams and large responses. Elysia answers HEAD by reading the complete response to GET to count its bytes: that never ends
 * for a live stream, reads the whole history for an export, and a large event for its page.
 */
import type { Fetcher } from './fetch-adapter.ts';

const streamed = /^\/api\/endpoints\/[^/]+\/(?:export|stream)$/;
const event = /^\/api\/events\/[^/]+(?:\/raw)?$/;

/** Wraps the app: such a response is cancelled after its head. It has a Content-Length only when its body is one chunk. */
export function answerHeadRequests(fetch: Fetcher): Fetcher {
  return async request => {
    const { pathname } = new URL(request.url, 'http://internal');
    const isEvent = event.test(pathname);
    if (request.method !== 'HEAD' || !(isEvent || streamed.test(pathname))) return fetch(request);
    // Not a copy: the request's context is found by this object.
    Object.defineProperty(request, 'method', { value: 'GET', configurable: true });
    try {
      const response = await fetch(request);
      const headers = new Headers(response.headers);
      const length = isEvent && !headers.has('content-length') ? await lengthOfOneChunk(response) : undefined;
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
