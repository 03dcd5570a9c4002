/*
 * From node's request to the Fetch `Request` that the Elysia app takes, and back. The Request is built on a constant
 * origin, because a malformed Host would make it throw. It has no body: that waits on the wire for whoever asks for it
 * (request-body.ts). A response that fails before its first byte is told as a failure; one that fails midway breaks the
 * connection, so that it is never taken for a whole one.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Sender, senderOf } from './client-address.ts';
import { failureResponse } from './errors.ts';
import { type BodyBudgets, createRequestBody, type RequestBody, refuseDeepJson } from './request-body.ts';

/** What a Fetch Request does not carry, kept beside it. */
export type RequestContext = {
  clientAddress: string;
  /** Whoever sends the request has shown credentials of this account that hold. */
  authenticatedAs: (accountId: string) => void;
  id: string;
  /**
   * For what has no end, or is waited for: a sender that closes its half of the connection has gone, as far as anybody can tell.
   * Without this it is answered, because one that has said all may well wait for that. `graceMs`: an answer that is there so soon
   * is given all the same.
   */
  endWithSender: (graceMs: number) => void;
};

/** A client that has taken nothing for so long is not coming back. */
const stalledMs = 120_000;

const contexts = new WeakMap<Request, RequestContext & { body: RequestBody }>();
const local: RequestContext = {
  clientAddress: '127.0.0.1',
  authenticatedAs: () => {},
  id: 'none',
  endWithSender: () => {},
};

/** Where and how the request came in. Requests made by tests with `app.handle` have none: they count as local. */
export function requestContext(request: Request): RequestContext {
  return contexts.get(request) ?? local;
}

/** The request's body, taken off the wire now. @throws too_large, too_slow, invalid, overloaded */
export async function bodyOf(request: Request): Promise<Uint8Array> {
  const context = contexts.get(request);
  return context ? context.body.read() : refuseDeepJson(new Uint8Array(await request.arrayBuffer()));
}

export type Fetcher = (request: Request) => Response | Promise<Response>;

export type FetchAdapterOptions = {
  fetch: Fetcher;
  clientAddress: (sender: Sender) => string;
  budgets: BodyBudgets;
  /** How long a body without credentials may take; as usual without it. */
  anonymousBodyTimeoutMs?: number | undefined;
  newRequestId: () => string;
  onError: (error: unknown, requestId: string) => void;
};

export function createFetchAdapter(options: FetchAdapterOptions) {
  const { fetch, clientAddress: addressOf, budgets, anonymousBodyTimeoutMs: withinMs, newRequestId, onError } = options;
  return async (req: IncomingMessage, res: ServerResponse, target: string): Promise<void> => {
    const id = newRequestId();
    const clientAddress = addressOf(senderOf(req));
    const body = createRequestBody(req, res, { budgets, clientAddress, anonymousTimeoutMs: withinMs });
    const gone = new AbortController();
    res.on('close', () => {
      if (!res.writableFinished) gone.abort();
    });
    try {
      const request = new Request(`http://internal${target}`, {
        method: req.method ?? 'GET',
        headers: toHeaders(req.rawHeaders),
        signal: gone.signal,
      });
      contexts.set(request, {
        clientAddress,
        authenticatedAs: body.authenticatedAs,
        id,
        endWithSender: graceMs => endWithSender(req, res, graceMs),
        body,
      });
      const response = await answered(fetch, request, body);
      await sendResponse(response, req, res, defaultsFor(request));
    } catch (error) {
      if (gone.signal.aborted) return;
      const { response, isIncident } = failureResponse(error);
      if (isIncident || res.headersSent) onError(error, id);
      if (res.headersSent) return void res.destroy();
      await sendResponse(response, req, res, { 'x-content-type-options': 'nosniff' });
    }
  };
}

async function answered(fetch: Fetcher, request: Request, body: RequestBody): Promise<Response> {
  try {
    return await fetch(request);
  } finally {
    body.release();
  }
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

/** What every answer says unless it says otherwise: no guessing of types, and what an account sees is kept by no cache. */
function defaultsFor({ url }: Request): Record<string, string> {
  const headers = { 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' };
  // By the path that was answered, which need not be spelled like the target (`/x/../api/`).
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
  // What nobody asked for is thrown away: behind it lies the end of the connection.
  req.resume();
  response.headers.forEach((value, name) => {
    if (name !== 'set-cookie') headers[name] = value;
  });
  const cookies = response.headers.getSetCookie();
  if (cookies.length > 0) headers['set-cookie'] = cookies;
  if (!req.complete && !req.readableEnded) headers['connection'] = 'close';
  const begin = (): void => void res.writeHead(response.status, headers);
  if (!response.body || req.method === 'HEAD') {
    begin();
    await response.body?.cancel();
    res.end();
    return;
  }
  await sendBody(response.body, res, begin);
}

/**
 * Reads only as fast as the client does; one that goes away, or takes nothing for long, ends the reading.
 * @param begin called when the first of it is there, which is when the head goes out in any case
 */
async function sendBody(body: ReadableStream<Uint8Array>, res: ServerResponse, begin: () => void): Promise<void> {
  const reader = body.getReader();
  const stop = (): void => void reader.cancel().catch(() => {});
  if (res.destroyed) return stop();
  res.once('close', stop);
  for (;;) {
    const { done, value } = await reader.read();
    if (res.destroyed) return;
    if (!res.headersSent) begin();
    if (done) return void res.end();
    if (!res.write(value)) await drained(res);
  }
}

function drained(res: ServerResponse): Promise<void> {
  return new Promise(resolve => {
    const timer = setTimeout(() => res.destroy(), stalledMs);
    const goOn = (): void => {
      clearTimeout(timer);
      res.off('drain', goOn);
      res.off('close', goOn);
      resolve();
    };
    res.on('drain', goOn);
    res.on('close', goOn);
  });
}
