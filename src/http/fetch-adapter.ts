/*
 * Converts node's request to the Fetch `Request` that the Elysia app takes, and its `Response` back to node's response. The
 * Request has a constant origin, because a malformed Host would make the constructor throw. It has no body: an operation that
 * needs it calls `bodyOf` (request-body.ts). A response that fails before its first byte becomes an error response; one that
 * fails later aborts the connection, so that no client takes it for complete.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '../core/errors.ts';
import { type Sender, senderOf } from './client-address.ts';
import { failureResponse } from './errors.ts';
import { type BodyBudgets, createRequestBody, type RequestBody, refuseDeepJson } from './request-body.ts';

/** The facts about a request that a Fetch Request has no field for. */
export type RequestContext = {
  clientAddress: string;
  /** The address that the connection comes from, which may be a proxy. */
  peer: string;
  /** The target as it was sent: `request.url` is normalised and has no `.` and `..`. */
  target: string;
  /** Call it for a request with valid credentials of this account. `checkAgain` runs when the body has arrived. */
  authenticatedAs: (accountId: string, checkAgain: () => Promise<void>) => void;
  id: string;
  /**
   * For streams and long polls: ends the response when the client closes its half of the connection, which usually means that it
   * has disconnected. Other responses are sent, because such a client may still wait for them, and so are responses that end
   * within `graceMs`.
   */
  endWithSender: (graceMs: number) => void;
  /** Calls the function once the response was written or its client has disconnected. */
  onAnswered: (listener: () => void) => void;
};

/** A client that reads nothing of a response for this long is disconnected. */
const stalledMs = 120_000;

const contexts = new WeakMap<Request, RequestContext & { body: RequestBody }>();
const localContext: RequestContext = {
  clientAddress: '127.0.0.1',
  peer: '',
  target: '',
  authenticatedAs: () => {},
  id: 'none',
  endWithSender: () => {},
  onAnswered: listener => void setImmediate(listener),
};

/** The context of a request. Requests that tests pass to the app directly have a local one. */
export function requestContext(request: Request): RequestContext {
  return contexts.get(request) ?? localContext;
}

/** Reads the request's body. @throws too_large, too_slow, invalid, overloaded, unauthorized */
export async function bodyOf(request: Request): Promise<Uint8Array> {
  const context = contexts.get(request);
  return context ? context.body.read() : refuseDeepJson(new Uint8Array(await request.arrayBuffer()));
}

export type Fetcher = (request: Request) => Response | Promise<Response>;

export type FetchAdapterOptions = {
  fetch: Fetcher;
  clientAddress: (sender: Sender) => string;
  budgets: BodyBudgets;
  /** How long the body of an anonymous request may take, if it is not the default. */
  anonymousBodyTimeoutMs?: number | undefined;
  newRequestId: () => string;
  onError: (error: unknown, requestId: string) => void;
};

export function createFetchAdapter(options: FetchAdapterOptions) {
  const { fetch, clientAddress: addressOf, budgets, anonymousBodyTimeoutMs: withinMs, newRequestId, onError } = options;
  return async (req: IncomingMessage, res: ServerResponse, target: string): Promise<void> => {
    const id = newRequestId();
    const sender = senderOf(req);
    const clientAddress = addressOf(sender);
    const body = createRequestBody(req, res, { budgets, clientAddress, anonymousTimeoutMs: withinMs });
    const aborted = new AbortController();
    res.on('close', () => {
      if (!res.writableFinished) aborted.abort();
    });
    try {
      const request = new Request(`http://internal${target}`, {
        method: req.method ?? 'GET',
        headers: toHeaders(req.rawHeaders),
        signal: aborted.signal,
      });
      contexts.set(request, {
        clientAddress,
        peer: sender.peer,
        target,
        authenticatedAs: body.authenticatedAs,
        id,
        endWithSender: graceMs => endWithSender(req, res, graceMs),
        onAnswered: listener => onAnswered(res, listener),
        body,
      });
      const response = await fetchAndRelease(fetch, request, body);
      await sendResponse(response, req, res, defaultHeaders(request));
    } catch (error) {
      if (aborted.signal.aborted) return;
      const { response, isIncident } = failureResponse(error);
      // What is deleted while it is being sent ends its response, and nothing has failed.
      const wasDeleted = error instanceof AppError && error.code === 'not_found';
      if (isIncident || (res.headersSent && !wasDeleted)) onError(error, id);
      if (res.headersSent) return void res.destroy();
      await sendResponse(response, req, res, { 'x-content-type-options': 'nosniff' });
    }
  };
}

async function fetchAndRelease(fetch: Fetcher, request: Request, body: RequestBody): Promise<Response> {
  try {
    return await fetch(request);
  } finally {
    body.release();
  }
}

function onAnswered(res: ServerResponse, listener: () => void): void {
  const once = (): void => {
    res.off('finish', once).off('close', once);
    listener();
  };
  if (res.writableFinished || res.destroyed) setImmediate(listener);
  else res.once('finish', once).once('close', once);
}

function endWithSender({ socket }: IncomingMessage, res: ServerResponse, graceMs: number): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = (): void => {
    if (graceMs === 0) res.destroy();
    else timer = setTimeout(() => res.destroy(), graceMs);
  };
  if (socket.readableEnded) end();
  else socket.once('end', end);
  res.once('close', () => {
    clearTimeout(timer);
    socket.off('end', end);
  });
}

function toHeaders(rawHeaders: readonly string[]): Headers {
  const headers = new Headers();
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) headers.append(rawHeaders[i] ?? '', rawHeaders[i + 1] ?? '');
  return headers;
}

/** Headers of every response that does not set them itself: no type sniffing, and no caching of the API. */
function defaultHeaders({ url }: Request): Record<string, string> {
  const headers = { 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' };
  // The path of the Request, which is normalised: the target may be `/x/../api/`.
  return new URL(url, 'http://internal').pathname.startsWith('/api/')
    ? { ...headers, 'cache-control': 'no-store' }
    : headers;
}

async function sendResponse(
  response: Response,
  req: IncomingMessage,
  res: ServerResponse,
  defaults: Record<string, string>,
): Promise<void> {
  const headers: Record<string, string | string[]> = { ...defaults };
  // Discards a body that was not read, so that the end of the connection is noticed.
  req.resume();
  response.headers.forEach((value, name) => {
    if (name !== 'set-cookie') headers[name] = value;
  });
  const cookies = response.headers.getSetCookie();
  if (cookies.length > 0) headers['set-cookie'] = cookies;
  if (!req.complete && !req.readableEnded) headers['connection'] = 'close';
  const writeHead = (): void => void res.writeHead(response.status, headers);
  if (!response.body || req.method === 'HEAD') {
    writeHead();
    await response.body?.cancel();
    res.end();
    return;
  }
  await sendBody(response.body, res, writeHead);
}

/**
 * Reads the body only as fast as the client does, and stops when the client disconnects or reads nothing for long.
 * @param writeHead called when the first chunk is ready; before that, a failure can still become an error response
 */
async function sendBody(body: ReadableStream<Uint8Array>, res: ServerResponse, writeHead: () => void): Promise<void> {
  const reader = body.getReader();
  const cancel = (): void => void reader.cancel().catch(() => {});
  if (res.destroyed) return cancel();
  res.once('close', cancel);
  for (;;) {
    const { done, value } = await reader.read();
    if (res.destroyed) return;
    if (!res.headersSent) writeHead();
    if (done) return void res.end();
    if (!res.write(value)) await drained(res);
  }
}

function drained(res: ServerResponse): Promise<void> {
  return new Promise(resolve => {
    const timer = setTimeout(() => res.destroy(), stalledMs);
    const done = (): void => {
      clearTimeout(timer);
      res.off('drain', done);
      res.off('close', done);
      resolve();
    };
    res.on('drain', done);
    res.on('close', done);
  });
}
