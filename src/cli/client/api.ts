/*
 * Requests to the REST API of a server. Redirects are not followed, because they would carry the key to another host. If the
 * server refuses, the error has the server's text; without a response it is an UnreachableError.
 */
import { tryJson } from '../../core/json/try-json.ts';
import { isLoopbackHost } from '../../core/network/hosts.ts';
import { hostOfUrl } from '../../shared/addresses.ts';
import { type Arguments, type Io, OperationError, UnreachableError, UsageError } from '../io.ts';
import { filterUsageError } from '../parse-arguments.ts';
import { fetchErrorMessage } from '../system-errors.ts';
import { requireServer, type Server } from './server.ts';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
type Query = Readonly<Record<string, string | number | undefined>>;
type Asked = {
  query?: Query;
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
  signal?: AbortSignal;
  /** Replaces the deadline for the whole response: the longest time without a byte from the server. */
  silenceMs?: number;
};

export type Api = {
  server: Server;
  /** The JSON of the response. @throws RefusedError, UnreachableError, UsageError for a wrong filter */
  call: <T>(method: Method, path: string, asked?: Asked) => Promise<T>;
  /** Like `call`, with the headers of the response. */
  callWithHeaders: <T>(method: Method, path: string, asked?: Asked) => Promise<{ body: T; headers: Headers }>;
  /** The response itself, of any length. */
  open: (path: string, query?: Query) => Promise<Response>;
};

/** The server refused. The message is the server's reason. */
export class RefusedError extends OperationError {
  readonly status: number;
  readonly retryAfterSeconds: number | undefined;
  constructor(status: number, message: string, retryAfterSeconds?: number) {
    super(message);
    this.status = status;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** For `catch`: what follows if the server refused with this status. Throws any other error again. */
export const whenRefused =
  <T>(status: number, then: (error: RefusedError) => T) =>
  (error: unknown): T => {
    if (error instanceof RefusedError && error.status === status) return then(error);
    throw error;
  };

/** If everything in a request comes from options, a problem with it is wrong usage. */
export function wrongUsage({ message }: Error): never {
  throw new UsageError(message);
}

type ErrorBody = { error?: unknown; position?: unknown; nearest?: unknown };

const answerTimeoutMs = 60_000;
/** How long a command waits for the rate limit. */
const maxWaitSeconds = 60;
const maxWaits = 5;
/** Pauses before retries: the server may only have restarted, or closed an idle connection. */
const pausesAfterBreaksMs = [100, 300, 900];
/** The error codes of `fetch` for connections that were closed before the end of the response. */
const breakCodes = ['ECONNRESET', 'ConnectionClosed', 'EPIPE'];

/** The server was reached, and the connection to it broke. */
class BrokenConnectionError extends UnreachableError {}

/** @throws OperationError without a key */
export const connect = (io: Io, given: Pick<Arguments, 'envFile'>): Api => createApi(io, requireServer(io, given));

/** @param isPatient whether a GET waits for the rate limit, and is repeated if its connection breaks */
export function createApi(io: Io, server: Server, isPatient = true): Api {
  const send = async (method: Method, path: string, { query = {}, body, headers }: Asked, deadline?: Deadline) => {
    const url = new URL(path, server.url);
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, String(value));
    const init = {
      method,
      headers: {
        'user-agent': `hooktape/${io.version}`,
        ...(server.key !== undefined && { authorization: `Bearer ${server.key}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      redirect: 'manual',
      ...(deadline ? { signal: deadline.signal } : { timeout: false }),
      ...withoutProxy(url),
    };
    for (let waits = 0; ; waits++) {
      const response = await reach(server.url, () => fetch(url, init as RequestInit));
      const seconds = Number(response.headers.get('retry-after'));
      if (
        response.status !== 429 ||
        method !== 'GET' ||
        !isPatient ||
        !(seconds <= maxWaitSeconds) ||
        waits >= maxWaits
      )
        return response;
      io.stderr(`Rate limit reached; continuing in ${seconds} s.\n`);
      await io.sleep(seconds * 1000);
      deadline?.restart();
    }
  };

  const callOnce = async <T>(method: Method, path: string, asked: Asked) => {
    using deadline = createDeadline(asked);
    const response = await send(method, path, asked, deadline);
    const onChunk = asked.silenceMs === undefined ? () => {} : deadline.restart;
    const text = await reach(server.url, () => readText(response, onChunk));
    if (!response.ok) throw refusal(server, response, text, filterIn(asked));
    try {
      return { body: JSON.parse(text) as T, headers: response.headers };
    } catch {
      throw new OperationError(`${server.url} is not a Hooktape server, or a proxy changed its response`);
    }
  };

  const callWithHeaders: Api['callWithHeaders'] = async <T>(method: Method, path: string, asked: Asked = {}) => {
    for (let breaks = 0; ; breaks++) {
      try {
        return await callOnce<T>(method, path, asked);
      } catch (error) {
        const pauseMs = isPatient && method === 'GET' ? pausesAfterBreaksMs[breaks] : undefined;
        if (!(error instanceof BrokenConnectionError) || pauseMs === undefined) throw error;
        await io.sleep(pauseMs);
      }
    }
  };

  return {
    server,
    callWithHeaders,
    call: async <T>(method: Method, path: string, asked?: Asked) =>
      (await callWithHeaders<T>(method, path, asked)).body,
    async open(path, query = {}) {
      const response = await send('GET', path, { query });
      if (!response.ok)
        throw refusal(server, response, await reach(server.url, () => response.text()), filterIn({ query }));
      return response;
    },
  };
}

type Deadline = Disposable & { signal: AbortSignal; restart: () => void };

/** Aborts a call if the caller aborts it, after a minute, or after the allowed silence. */
function createDeadline({ signal, silenceMs = answerTimeoutMs }: Asked): Deadline {
  const controller = new AbortController();
  const expire = (): void => controller.abort(new DOMException('no response', 'TimeoutError'));
  const onAbort = (): void => controller.abort(signal?.reason);
  let timer = setTimeout(expire, silenceMs);
  signal?.addEventListener('abort', onAbort);
  if (signal?.aborted) onAbort();
  return {
    signal: controller.signal,
    restart() {
      clearTimeout(timer);
      timer = setTimeout(expire, silenceMs);
    },
    [Symbol.dispose]() {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    },
  };
}

async function readText(response: Response, onChunk: () => void): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body ?? []) {
    onChunk();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** Options of `fetch` that bypass a proxy for loopback hosts: it would look on its own host, and see the requests. */
export const withoutProxy = (url: URL): { proxy?: string } =>
  // Bun accepts `false`, but its types do not have it.
  isLoopbackHost(hostOfUrl(url)) ? { proxy: false as unknown as string } : {};

/** @throws UnreachableError instead of the error of `fetch` */
export async function reach<T>(url: string, request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (error) {
    const { code, name } = error as { code?: unknown; name?: string };
    if (code === 'ConnectionRefused' || code === 'ECONNREFUSED')
      throw new UnreachableError(`${url} cannot be reached: connection refused`);
    if (name === 'TimeoutError') throw new UnreachableError(`${url} did not respond in time`);
    const isCertificate = /CERT|SELF_SIGNED|UNABLE_TO/.test(String(code));
    const hint = isCertificate ? '; set NODE_EXTRA_CA_CERTS to a file with the CA certificates to trust' : '';
    const message = `${url} cannot be reached: ${fetchErrorMessage(error)}${hint}`;
    throw breakCodes.includes(String(code)) ? new BrokenConnectionError(message) : new UnreachableError(message);
  }
}

const filterIn = ({ query, body }: Asked): unknown =>
  query?.['where'] ?? (body as { where?: unknown } | undefined)?.where;

/** @param filter the `where` of the request */
function refusal(server: Server, response: Response, text: string, filter: unknown): Error {
  const { status } = response;
  const body = readErrorBody(text);
  const location = response.headers.get('location');
  if (status >= 300 && status <= 399)
    return new OperationError(`${server.url} redirects to ${location}: sign in to that server instead`);
  // A reverse proxy responds for a server that is not running.
  if (body === undefined && status >= 502 && status <= 504)
    return new UnreachableError(`${server.url} cannot be reached: a proxy returned ${status}`);
  const message = typeof body?.error === 'string' ? body.error : `the server returned ${status}`;
  if (status === 400 && typeof body?.position === 'number' && typeof filter === 'string')
    return filterUsageError('--where', filter, message, body.position);
  if (status === 401)
    return new RefusedError(
      401,
      server.isKeyFromEnvironment
        ? `${server.url} does not accept the key in HOOKTAPE_KEY: ${message}`
        : `the saved key for ${server.url} is no longer valid: run \`hooktape login ${server.url}\``,
    );
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  const seconds = retryAfter >= 0 ? retryAfter : undefined;
  if (status === 429) {
    const when = seconds === undefined ? 'later' : `in ${seconds} s`;
    return new RefusedError(429, `${message}: try again ${when}`, seconds);
  }
  return new RefusedError(status, message, seconds);
}

function readErrorBody(text: string): ErrorBody | undefined {
  const body = tryJson(text);
  return typeof body === 'object' && body !== null ? body : undefined;
}
