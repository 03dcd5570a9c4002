/*
 * From node's request to the Fetch `Request` that the Elysia app takes, and back. The Request is built on a constant
 * origin, because a malformed Host would make it throw. Bodies are bounded here, each and all together; the gate decides first, so
 * an oversized one is only marked. A response that fails midway breaks the connection, so that it is never taken for a whole one.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { maxRequestBytes } from '../core/limits.ts';
import { outlineJson } from '../core/platforms/json-scan.ts';
import { type BodyBudget, type ReadBody, readBody } from './body.ts';
import { type Sender, senderOf } from './client-address.ts';
import { errorBody } from './errors.ts';

/** What a Fetch Request does not carry, kept beside it. */
export type RequestContext = {
  clientAddress: string;
  oversized: boolean;
  /** JSON inside JSON inside JSON, further than any operation asks for. */
  tooDeep: boolean;
  id: string;
  /**
   * For what is waited for: a sender that closes its half of the connection has gone, as far as anybody can tell. Without this it is
   * answered, because one that has said all may well wait for that.
   */
  endWithSender: () => void;
};

/** A client that has taken nothing for so long is not coming back. */
const stalledMs = 120_000;
/** What says why a body is not valid walks through all of it, and takes most of a minute for one that is deep enough. */
const maxJsonDepth = 64;

const contexts = new WeakMap<Request, RequestContext>();
const local: RequestContext = {
  clientAddress: '127.0.0.1',
  oversized: false,
  tooDeep: false,
  id: 'none',
  endWithSender: () => {},
};

/** Where and how the request came in. Requests made by tests with `app.handle` have none: they count as local. */
export function requestContext(request: Request): RequestContext {
  return contexts.get(request) ?? local;
}

export type Fetcher = (request: Request) => Response | Promise<Response>;

export type BridgeOptions = {
  fetch: Fetcher;
  clientAddress: (sender: Sender) => string;
  /** What all bodies that are arriving or in use may hold together: they come before anybody has shown credentials. */
  budget: BodyBudget;
  newRequestId: () => string;
  onError: (error: unknown, requestId: string) => void;
};

export function createBridge({ fetch, clientAddress, budget, newRequestId, onError }: BridgeOptions) {
  const responseTo = async (request: Request, read: SmallBody): Promise<Response> => {
    if (read.kind === 'no_room') return errorBody(503, 'too many requests at once, try again', { 'retry-after': '1' });
    try {
      return await fetch(request);
    } finally {
      if (read.kind === 'whole') read.release();
    }
  };

  return async (req: IncomingMessage, res: ServerResponse, target: string): Promise<void> => {
    const id = newRequestId();
    const gone = new AbortController();
    res.on('close', () => {
      if (!res.writableFinished) gone.abort();
    });
    try {
      const read = await readSmallBody(req, res, budget);
      if (read.kind === 'aborted') return void res.destroy();
      const body = read.kind === 'whole' ? read.body : undefined;
      const request = new Request(`http://internal${target}`, {
        method: req.method ?? 'GET',
        headers: toHeaders(req.rawHeaders),
        signal: gone.signal,
        ...(body && body.length > 0 && { body: new Uint8Array(body) }),
      });
      contexts.set(request, {
        clientAddress: clientAddress(senderOf(req)),
        oversized: read.kind === 'too_large',
        tooDeep: body !== undefined && (outlineJson(body)?.depth ?? 0) > maxJsonDepth,
        id,
        endWithSender: () => endWithSender(req, res),
      });
      const response = await responseTo(request, read);
      if (response.headers.get('content-type')?.startsWith('text/event-stream')) endWithSender(req, res);
      await sendResponse(response, req, res, defaultsFor(request));
    } catch (error) {
      if (gone.signal.aborted) return;
      onError(error, id);
      if (res.headersSent) return void res.destroy();
      res.writeHead(500, { 'content-type': 'application/json', 'x-content-type-options': 'nosniff' });
      res.end('{"error":"internal error"}');
    }
  };
}

function endWithSender({ socket }: IncomingMessage, res: ServerResponse): void {
  const end = (): void => void res.destroy();
  if (socket.readableEnded) end();
  else socket.once('end', end);
  res.once('close', () => socket.off('end', end));
}

function toHeaders(rawHeaders: readonly string[]): Headers {
  const headers = new Headers();
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) headers.append(rawHeaders[i] ?? '', rawHeaders[i + 1] ?? '');
  return headers;
}

type SmallBody = ReadBody | { kind: 'none' };

function readSmallBody(req: IncomingMessage, res: ServerResponse, budget: BodyBudget): Promise<SmallBody> {
  if (req.method === 'GET' || req.method === 'HEAD') {
    req.resume();
    return Promise.resolve({ kind: 'none' });
  }
  return readBody(req, maxRequestBytes, budget, () => {
    if (req.headers.expect !== undefined) res.writeContinue();
  });
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
  response.headers.forEach((value, name) => {
    if (name !== 'set-cookie') headers[name] = value;
  });
  const cookies = response.headers.getSetCookie();
  if (cookies.length > 0) headers['set-cookie'] = cookies;
  if (!req.complete && !req.readableEnded) headers['connection'] = 'close';
  res.writeHead(response.status, headers);
  if (!response.body || req.method === 'HEAD') {
    await response.body?.cancel();
    res.end();
    return;
  }
  await sendBody(response.body, res);
}

/** Reads only as fast as the client does; one that goes away, or takes nothing for long, ends the reading. */
async function sendBody(body: ReadableStream<Uint8Array>, res: ServerResponse): Promise<void> {
  const reader = body.getReader();
  const stop = (): void => void reader.cancel().catch(() => {});
  if (res.destroyed) return stop();
  res.once('close', stop);
  for (;;) {
    const { done, value } = await reader.read();
    if (res.destroyed) return;
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
