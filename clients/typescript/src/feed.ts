/*
 * Reads an endpoint's feed page by page. The cursor moves only after a whole page has arrived, so no event is lost or
 * duplicated if the connection breaks or the server restarts.
 */
import type { Api, CallOptions } from './api.ts';
import { sleep } from './api.ts';
import type { FeedPage } from './api-types.ts';
import { ApiError, ConnectionError } from './errors.ts';

export type PagesOptions = CallOptions & {
  after: string;
  where?: string | undefined;
  content: 'none' | 'full';
  /**
   * The `performance.now()` until which to wait for events, read before each request. After that, the stored events are read
   * and the pages end.
   */
  deadline: () => number;
  /** Called with the error before the feed is read again. */
  onReconnect?: ((error: Error) => void) | undefined;
};

const pageSize = 100;
/** The server allows 25 s. Some proxies close connections that are silent for 30 s. */
const maxWaitSeconds = 20;
const firstBackoffMs = 100;
const maxBackoffMs = 5000;

/** @throws ApiError if the server refuses; ConnectionError if it cannot be reached by the deadline; the reason of an abort */
export async function* feedPages(api: Api, endpointId: string, options: PagesOptions): AsyncGenerator<FeedPage> {
  const { where, content, deadline, signal, onReconnect } = options;
  let after = options.after;
  let failures = 0;
  for (;;) {
    const leftMs = deadline() - performance.now();
    const waitS = Math.max(0, Math.min(maxWaitSeconds, Math.ceil(leftMs / 1000)));
    try {
      const page = await readPage(api, endpointId, {
        query: { after, where, content, limit: pageSize, wait: waitS },
        leftMs,
        signal,
      });
      failures = 0;
      // Cut off at the deadline. Events that arrived until then are read without waiting.
      if (page === undefined) continue;
      after = page.cursor;
      yield page;
      // The page may have moved the deadline.
      if (waitS === 0 && !page.more && deadline() <= performance.now()) return;
    } catch (error) {
      if (!isPassing(error) || leftMs <= 0) throw error;
      onReconnect?.(error);
      const backoffMs = Math.min(maxBackoffMs, firstBackoffMs * 2 ** failures++) * (0.5 + Math.random() / 2);
      const waitMs = (error instanceof ApiError && error.retryAfterMs) || backoffMs;
      await sleep(Math.max(0, Math.min(waitMs, deadline() - performance.now())), signal);
    }
  }
}

type PageRequest = CallOptions & {
  query: Record<string, string | number | undefined> & { wait: number };
  leftMs: number;
};

/** @returns undefined if no event had arrived by the deadline, which may be less than a second of waiting away */
async function readPage(
  api: Api,
  endpointId: string,
  { query, leftMs, signal }: PageRequest,
): Promise<FeedPage | undefined> {
  const path = `/api/endpoints/${encodeURIComponent(endpointId)}/feed`;
  const waitMs = query.wait * 1000;
  // Before the deadline, the caller retries.
  if (leftMs <= 0) return api<FeedPage>('GET', path, { query, signal });
  if (leftMs >= waitMs) return api<FeedPage>('GET', path, { query, signal, waitMs, retries: 0 });
  signal?.throwIfAborted();
  const cut = new AbortController();
  const timer = setTimeout(() => cut.abort(), leftMs);
  const abort = (): void => cut.abort();
  signal?.addEventListener('abort', abort, { once: true });
  try {
    return await api<FeedPage>('GET', path, { query, signal: cut.signal, waitMs, retries: 0 });
  } catch (error) {
    signal?.throwIfAborted();
    if (cut.signal.aborted) return undefined;
    throw error;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}

/** Whether the same request may succeed later. */
const isPassing = (error: unknown): error is Error =>
  error instanceof ConnectionError || (error instanceof ApiError && [429, 502, 503, 504].includes(error.status));
