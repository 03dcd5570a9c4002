/*
 * HEAD of what has no end, or a long one. Elysia answers HEAD by reading the whole answer to GET and counting its bytes: of a
 * live stream that never ends, and it keeps the account's place; of an export it is the whole history, of an event up to several
 * times the largest body.
 */
import type { Fetcher } from './fetch-adapter.ts';

const streamed = /^\/api\/endpoints\/[^/]+\/(?:export|stream)\/?$/;
const event = /^\/api\/events\/[^/]+(?:\/raw)?\/?$/;

/** The same app, whose streams are answered as to GET and ended at once; their length stays unsaid unless they are short. */
export function answerHeadRequests(fetch: Fetcher): Fetcher {
  return async request => {
    const { pathname } = new URL(request.url, 'http://internal');
    const isEvent = event.test(pathname);
    if (request.method !== 'HEAD' || !(isEvent || streamed.test(pathname))) return fetch(request);
    // Not a copy: what is known of a request is kept beside this very one.
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

/** Of an answer that is no stream; ends one that is. */
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
