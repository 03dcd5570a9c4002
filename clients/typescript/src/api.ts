/*
 * Requests to the REST API. Redirects are not followed, because they would carry the key to another host. A request that the
 * server postpones (429, or 503 with Retry-After) is repeated after that time, because the server has not executed it. A GET
 * whose connection breaks is repeated once.
 */
import { type Duration, durationText, milliseconds } from './duration.ts';
import { ApiError, ConnectionError } from './errors.ts';
import { safeLine } from './text.ts';

export type ApiOptions = {
  /** The server's origin, such as `http://localhost:4665`. */
  url: string | URL;
  /** An API key, `htk_…`. `undefined`, such as a variable that is not set, is an error. */
  key: string | undefined;
  /** How long a request may take. Default `30s`. */
  timeout?: Duration | undefined;
  /** How often a request that the server postpones is repeated. Default 5. */
  retries?: number | undefined;
  /** Replaces the global `fetch`. */
  fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
};

/** The options of every call. */
export type CallOptions = { signal?: AbortSignal | undefined };

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';
export type ApiRequest = CallOptions & {
  query?: Record<string, string | number | undefined> | undefined;
  body?: unknown;
  /** How long the server was asked to wait before it responds. */
  waitMs?: number | undefined;
  /** Overrides the client's timeout. */
  timeoutMs?: number | undefined;
  retries?: number | undefined;
};

export type Api = <T>(method: Method, path: string, request?: ApiRequest) => Promise<T>;

/** The connection may have been idle, and the server or a proxy has closed it. */
class BrokenConnectionError extends ConnectionError {}

/** A longer wait is left to the caller. */
const maxRetryWaitMs = 60_000;
const firstRetryWaitMs = 500;

export function createApi({ url, key, timeout = '30s', retries = 5, fetch: given }: ApiOptions): Api {
  const origin = readOrigin(url);
  if (typeof key !== 'string' || key.trim() === '') throw new TypeError('key: an API key (htk_…) is needed');
  const defaultTimeoutMs = milliseconds(timeout, 'timeout');
  // Browsers call fetch only as a function of the global object.
  const send = given ?? ((target: string, init: RequestInit) => globalThis.fetch(target, init));

  const once = async (
    method: Method,
    path: string,
    request: ApiRequest,
  ): Promise<{ response: Response; text: string }> => {
    const { signal, body, waitMs = 0 } = request;
    const timeoutMs = (request.timeoutMs ?? defaultTimeoutMs) + waitMs;
    signal?.throwIfAborted();
    const end = new AbortController();
    const timer = setTimeout(() => end.abort(), timeoutMs);
    const abort = (): void => end.abort();
    signal?.addEventListener('abort', abort, { once: true });
    try {
      const response = await send(`${origin}${path}${queryText(request.query)}`, {
        method,
        headers: {
          authorization: `Bearer ${key.trim()}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        redirect: 'manual',
        cache: 'no-store',
        credentials: 'omit',
        signal: end.signal,
      });
      return { response, text: await response.text() };
    } catch (cause) {
      signal?.throwIfAborted();
      const server = `${method} ${path}: ${origin}`;
      if (end.signal.aborted)
        throw new ConnectionError(`${server} did not answer within ${durationText(timeoutMs)}`, { cause });
      throw new BrokenConnectionError(`${server} cannot be reached${causeText(cause)}`, { cause });
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    }
  };

  return async <T>(method: Method, path: string, request: ApiRequest = {}): Promise<T> => {
    for (let attempt = 0; ; attempt++) {
      const allowed = request.retries ?? retries;
      const answer = await once(method, path, request).catch((error: unknown) => {
        const isRepeatable = method === 'GET' && attempt === 0 && allowed > 0;
        if (!isRepeatable || !(error instanceof BrokenConnectionError)) throw error;
        return undefined;
      });
      if (answer === undefined) continue;
      const { response, text } = answer;
      if (response.ok) return readJson<T>(`${method} ${path}`, text);
      const error = refusal(`${method} ${path}`, response, text);
      const waitMs = retryWaitMs(method, error, attempt);
      if (attempt >= allowed || waitMs === undefined || waitMs > maxRetryWaitMs) throw error;
      await sleep(waitMs, request.signal);
    }
  };
}

function readOrigin(url: string | URL): string {
  const parsed = URL.canParse(String(url)) ? new URL(String(url)) : undefined;
  if (parsed?.protocol !== 'http:' && parsed?.protocol !== 'https:')
    throw new TypeError(`url: ${JSON.stringify(String(url))} is not a URL such as "http://localhost:4665"`);
  return parsed.origin;
}

function queryText(query: ApiRequest['query'] = {}): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) params.set(name, String(value));
  return params.size > 0 ? `?${params}` : '';
}

/** How long to wait before the request is repeated; undefined if it must not be repeated. */
function retryWaitMs(method: Method, { status, retryAfterMs }: ApiError, attempt: number): number | undefined {
  if (status !== 429 && status !== 503) return undefined;
  if (retryAfterMs !== undefined) return retryAfterMs;
  return status === 429 || method === 'GET' ? firstRetryWaitMs * 2 ** attempt : undefined;
}

function refusal(request: string, response: Response, text: string): ApiError {
  const { status, headers } = response;
  if (response.type === 'opaqueredirect' || (status >= 300 && status <= 399)) {
    const location = headers.get('location');
    const target = location ? ` to ${safeLine(location)}` : '';
    return new ApiError(request, { status, error: `the server redirects${target}: give that one as url` });
  }
  const { error, position, nearest } = readErrorBody(text);
  return new ApiError(request, {
    status,
    error: typeof error === 'string' ? error : 'the server gave no reason',
    position: typeof position === 'number' ? position : undefined,
    nearest: typeof nearest === 'string' ? nearest : undefined,
    retryAfterMs: readRetryAfter(headers.get('retry-after')),
  });
}

function readErrorBody(text: string): Record<string, unknown> {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? { ...body } : {};
  } catch {
    return {};
  }
}

/** Seconds or a date (RFC 9110, 10.2.3). */
function readRetryAfter(value: string | null): number | undefined {
  if (value === null || value.trim() === '') return undefined;
  const ms = /^\d+$/.test(value.trim()) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

function readJson<T>(request: string, text: string): T {
  try {
    return JSON.parse(text) as T;
  } catch (cause) {
    throw new ConnectionError(`${request}: this is not the answer of a Hooktape server`, { cause });
  }
}

function causeText(cause: unknown): string {
  const { message, cause: inner } = cause as { message?: unknown; cause?: { message?: unknown } | undefined };
  const text = inner?.message ?? message;
  return typeof text === 'string' && text !== '' ? ` (${safeLine(text)})` : '';
}

/** @throws the signal's reason when it is aborted */
export function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', abort, { once: true });
  });
}
