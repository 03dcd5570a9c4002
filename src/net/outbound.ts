/*
 * The only outbound connections to destinations chosen by users. Each request is checked by the address guard, uses a new connection
 * to a pinned address, follows no redirect, has one deadline, and reads a bounded part of the response. Uses node:http, because
 * Bun's fetch ignores `lookup`, obeys proxy variables, decompresses, rewrites headers and drops the body of a GET.
 */

import { lookup as resolveName } from 'node:dns/promises';
import http, { type IncomingMessage, type RequestOptions } from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { Clock } from '../core/clock.ts';
import { type HeaderPair, isFieldValue, isToken, toPairs } from '../core/headers.ts';
import type { AllowEntry } from '../core/network/allow-list.ts';
import { createAddressGuard, type GuardVerdict, type Resolve, type ResolvedAddress } from './guard.ts';

export type OutboundRequest = {
  readonly url: string;
  readonly method: string;
  /** Sent in this order and spelling, except for the names in `ownHeaders`. */
  readonly headers: readonly HeaderPair[];
  readonly body: Uint8Array;
  /** From name resolution to the last byte. */
  readonly timeoutMs: number;
  /** How much of the response body is read. */
  readonly previewBytes?: number;
  readonly signal?: AbortSignal;
};

export type OutboundResult =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly headers: readonly HeaderPair[];
      readonly preview: Uint8Array;
      /** The body is longer than the preview, or was cut off by the peer or the deadline. */
      readonly truncated: boolean;
      readonly durationMs: number;
    }
  /** Not sent, because the URL is invalid or the destination is not allowed. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** There was no response. */
  | (Failure & { readonly durationMs: number });

export type Outbound = {
  readonly send: (request: OutboundRequest) => Promise<OutboundResult>;
  /** Why requests to a URL are refused at the moment; undefined if they are allowed, or if the name cannot be resolved. */
  readonly refusal: (url: string) => Promise<string | undefined>;
};

type UntimedResponse = Omit<Extract<OutboundResult, { kind: 'answered' }>, 'durationMs'>;
/** `by`: what ended it, if it is known; undefined for a connection that failed or a name that cannot be resolved. */
type Failure = { readonly kind: 'unreachable'; readonly reason: string; readonly by?: 'deadline' | 'tls' };
type Allowed = Extract<GuardVerdict, { kind: 'allowed' }>;

const connectTimeoutMs = 5000;
const defaultPreviewBytes = 65_536;

/** Headers of the connection, and headers that this module sets: a caller's value could contradict the request. */
const ownHeaders = new Set([
  'host',
  'accept-encoding',
  'content-length',
  'transfer-encoding',
  'connection',
  'proxy-connection',
  'keep-alive',
  'upgrade',
  'expect',
  'te',
  'trailer',
]);

/** Without a body, these methods send no Content-Length, and all other methods send 0. */
const bodilessMethods = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE']);

/** Names and values in turn, which node:http sends unchanged. */
function flatHeaders({ method, headers, body }: OutboundRequest, url: URL): string[] {
  const isSent = ([name, value]: HeaderPair): boolean =>
    isToken(name) && isFieldValue(value) && !ownHeaders.has(name.toLowerCase());
  // Without a length, node:http would send the body chunked.
  const length = body.byteLength > 0 || !bodilessMethods.has(method) ? ['Content-Length', String(body.byteLength)] : [];
  return ['Host', url.host, 'Accept-Encoding', 'identity', ...length, ...headers.filter(isSent).flat()];
}

/** A lookup that returns the pinned addresses, in both forms that node:net uses. */
const pinnedLookup =
  (addresses: readonly ResolvedAddress[]): LookupFunction =>
  (_host, options, done) => {
    const [first] = addresses;
    if (options.all || !first) done(null, [...addresses]);
    else done(null, first.address, first.family);
  };

const failure = (reason: string, by?: Failure['by']): Failure => ({ kind: 'unreachable', reason, ...(by && { by }) });

function explain(error: unknown): Failure {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'ECONNREFUSED') return failure('connection refused');
  if (code === 'ECONNRESET' || code === 'EPIPE') return failure('the connection was closed without a response');
  if (code.startsWith('HPE_')) return failure('the response is not HTTP');
  if (/CERT|ERR_TLS|ERR_SSL|SELF_SIGNED|EPROTO/.test(code))
    return failure(`the TLS connection failed (${code})`, 'tls');
  return failure(code === '' ? 'the connection failed' : `the connection failed (${code})`);
}

function readResponse(response: IncomingMessage, limit: number) {
  const chunks: Buffer[] = [];
  let size = 0;
  return {
    response: (truncated: boolean): UntimedResponse => ({
      kind: 'answered',
      status: response.statusCode ?? 0,
      headers: toPairs(response.rawHeaders),
      preview: new Uint8Array(Buffer.concat(chunks).subarray(0, limit)),
      truncated: truncated || size > limit,
    }),
    /** Adds a chunk. @returns whether the limit is exceeded */
    add: (chunk: Buffer): boolean => {
      chunks.push(chunk);
      size += chunk.byteLength;
      return size > limit;
    },
  };
}

/** Sends the request to an allowed destination. No connection is left open when it settles. */
function exchange(request: OutboundRequest, to: Allowed, deadline: AbortSignal): Promise<UntimedResponse | Failure> {
  return new Promise(settle => {
    const { url, host, port } = to;
    const options: RequestOptions & https.RequestOptions = {
      host,
      port,
      path: url.pathname + url.search,
      method: request.method,
      headers: flatHeaders(request, url),
      // A pooled socket would skip `lookup`, and therefore the guard.
      agent: false,
      lookup: pinnedLookup(to.addresses),
      rejectUnauthorized: true,
      ...(isIP(host) ? {} : { servername: host }),
    };
    const outgoing = (url.protocol === 'https:' ? https : http).request(options);
    let reading: ReturnType<typeof readResponse> | undefined;

    const finish = (why: Failure | undefined, truncated = true): void => {
      clearTimeout(connectTimer);
      deadline.removeEventListener('abort', onDeadline);
      settle(reading ? reading.response(truncated) : (why ?? failure('the connection failed')));
      outgoing.destroy();
    };
    const onDeadline = (): void => finish(failure(String(deadline.reason), 'deadline'));
    const connectTimer = setTimeout(
      () => finish(failure(`could not connect within ${connectTimeoutMs / 1000} s`, 'deadline')),
      connectTimeoutMs,
    );
    deadline.addEventListener('abort', onDeadline);
    if (deadline.aborted) onDeadline();

    outgoing.on('socket', socket => socket.once('connect', () => clearTimeout(connectTimer)));
    // After the response has begun, its own end or error event follows, with the bytes that are still in transit.
    outgoing.on('error', error => reading ?? finish(explain(error)));
    outgoing.on('close', () => finish(failure('the connection was closed without a response')));
    outgoing.on('upgrade', (response, socket) => {
      // Node does not close an upgraded socket.
      socket.destroy();
      reading = readResponse(response, 0);
      finish(undefined, false);
    });
    outgoing.on('response', response => {
      const current = readResponse(response, request.previewBytes ?? defaultPreviewBytes);
      reading = current;
      response.on('data', (chunk: Buffer) => {
        if (current.add(chunk)) finish(undefined);
      });
      response.on('end', () => finish(undefined, !response.complete));
      response.on('error', () => finish(undefined));
    });
    outgoing.end(request.body);
  });
}

const systemResolve: Resolve = host => resolveName(host, { all: true });

/** @param allow destinations that are allowed although they are not public @returns `send`, which never throws */
export function createOutbound({
  allow,
  allowLoopback,
  clock,
  resolve = systemResolve,
}: {
  allow: readonly AllowEntry[];
  allowLoopback: boolean;
  clock: Pick<Clock, 'monotonic'>;
  resolve?: Resolve;
}): Outbound {
  const guard = createAddressGuard({ allow, allowLoopback, resolve });

  const attempt = async (request: OutboundRequest, deadline: AbortSignal) => {
    const expired = new Promise<Failure>(settle => {
      const fail = (): void => settle(failure(String(deadline.reason), 'deadline'));
      if (deadline.aborted) fail();
      else deadline.addEventListener('abort', fail, { once: true });
    });
    const verdict = await Promise.race([guard(request.url), expired]);
    if (verdict.kind !== 'allowed') return verdict;
    try {
      return await exchange(request, verdict, deadline);
    } catch (error) {
      return explain(error);
    }
  };

  return {
    refusal: async url => {
      const late = Promise.withResolvers<undefined>();
      const timer = setTimeout(() => late.resolve(undefined), connectTimeoutMs);
      const verdict = await Promise.race([guard(url), late.promise]);
      clearTimeout(timer);
      return verdict?.kind === 'refused' ? verdict.reason : undefined;
    },

    send: async request => {
      if (!isToken(request.method) || request.method === 'CONNECT') {
        return { kind: 'refused', reason: "this method can't be sent" };
      }
      const startedAt = clock.monotonic();
      const deadline = new AbortController();
      const timer = setTimeout(
        () => deadline.abort(`no complete response within ${request.timeoutMs / 1000} s`),
        request.timeoutMs,
      );
      const onCancel = (): void => deadline.abort('the request was cancelled');
      request.signal?.addEventListener('abort', onCancel);
      if (request.signal?.aborted) onCancel();
      const result = await attempt(request, deadline.signal);
      clearTimeout(timer);
      request.signal?.removeEventListener('abort', onCancel);
      return result.kind === 'refused' ? result : { ...result, durationMs: Math.round(clock.monotonic() - startedAt) };
    },
  };
}
