/*
 * The only place that opens outbound connections to addresses somebody else chose. node:http, because Bun's fetch ignores
 * `lookup`, obeys proxy variables, inflates answers, rewrites headers and drops the body of a GET. Each request: one guard
 * verdict, one fresh connection to a pinned address, no redirects, one deadline for all of it, a bounded part of the answer.
 */

import { lookup as resolveName } from 'node:dns/promises';
import http, { type IncomingMessage, type RequestOptions } from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { AllowEntry } from '../core/allow-list.ts';
import type { Clock } from '../core/clock.ts';
import { type HeaderPair, toPairs } from '../core/headers.ts';
import { createAddressGuard, type GuardVerdict, type Resolve, type ResolvedAddress } from './guard.ts';

export type OutboundRequest = {
  readonly url: string;
  readonly method: string;
  /** Sent in this order and spelling. Host, lengths, encodings and connection headers are not the caller's to set. */
  readonly headers: readonly HeaderPair[];
  readonly body: Uint8Array;
  /** Whole request: name resolution to last byte. */
  readonly timeoutMs: number;
  /** How much of the answer's body is kept; the rest is not read. */
  readonly previewBytes?: number;
  readonly signal?: AbortSignal;
};

export type OutboundResult =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly headers: readonly HeaderPair[];
      readonly preview: Uint8Array;
      /** The body went on, or was cut off by the peer or the deadline. */
      readonly truncated: boolean;
      readonly durationMs: number;
    }
  /** Not tried: a bad URL, or an address that is not public. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** Tried, and no answer came. */
  | { readonly kind: 'unreachable'; readonly reason: string; readonly durationMs: number };

export type Outbound = { readonly send: (request: OutboundRequest) => Promise<OutboundResult> };

type Answer = Omit<Extract<OutboundResult, { kind: 'answered' }>, 'durationMs'>;
type Failure = { readonly kind: 'unreachable'; readonly reason: string };
type Allowed = Extract<GuardVerdict, { kind: 'allowed' }>;

const CONNECT_TIMEOUT_MS = 5000;
const DEFAULT_PREVIEW_BYTES = 65_536;

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Bytes of a field value as latin1 text: no CR, LF, NUL or other controls (RFC 9110 section 5.5). */
const FIELD_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Decided here, or of the connection: a caller's value could only contradict what is really sent. */
const OWN_HEADERS = new Set([
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

/** Methods that say nothing by an absent body; all others state a length of 0. */
const BODILESS = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE']);

/** Names and values in turn, the form that node:http sends as it is. */
function flatHeaders({ method, headers, body }: OutboundRequest, url: URL): string[] {
  const isSent = ([name, value]: HeaderPair): boolean =>
    TOKEN.test(name) && FIELD_VALUE.test(value) && !OWN_HEADERS.has(name.toLowerCase());
  // A stated length, also 0, keeps node:http from sending the body in chunks.
  const length = body.byteLength > 0 || !BODILESS.has(method) ? ['Content-Length', String(body.byteLength)] : [];
  return ['Host', url.host, 'Accept-Encoding', 'identity', ...length, ...headers.filter(isSent).flat()];
}

/** Answers both shapes that node:net may ask for, whatever the name. */
const pinnedLookup =
  (addresses: readonly ResolvedAddress[]): LookupFunction =>
  (_host, options, done) => {
    const [first] = addresses;
    if (options.all || !first) done(null, [...addresses]);
    else done(null, first.address, first.family);
  };

function explain(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'ECONNREFUSED') return 'the connection was refused';
  if (code === 'ECONNRESET' || code === 'EPIPE') return 'the connection was closed without an answer';
  if (code.startsWith('HPE_')) return 'the answer is not HTTP';
  if (/CERT|ERR_TLS|ERR_SSL|SELF_SIGNED|EPROTO/.test(code)) return `the TLS connection failed (${code})`;
  return code === '' ? 'the connection failed' : `the connection failed (${code})`;
}

function readAnswer(response: IncomingMessage, limit: number) {
  const chunks: Buffer[] = [];
  let size = 0;
  return {
    answer: (truncated: boolean): Answer => ({
      kind: 'answered',
      status: response.statusCode ?? 0,
      headers: toPairs(response.rawHeaders),
      preview: new Uint8Array(Buffer.concat(chunks).subarray(0, limit)),
      truncated: truncated || size > limit,
    }),
    /** Takes one more chunk; true once more than the limit has come. */
    add: (chunk: Buffer): boolean => {
      chunks.push(chunk);
      size += chunk.byteLength;
      return size > limit;
    },
  };
}

/** One exchange with an allowed destination. Settles once, and then nothing of it is left open. */
function exchange(request: OutboundRequest, to: Allowed, deadline: AbortSignal): Promise<Answer | Failure> {
  return new Promise(settle => {
    const { url, host, port } = to;
    const options: RequestOptions & https.RequestOptions = {
      host,
      port,
      path: url.pathname + url.search,
      method: request.method,
      headers: flatHeaders(request, url),
      // A pooled socket would skip `lookup`, and with it the pin.
      agent: false,
      lookup: pinnedLookup(to.addresses),
      rejectUnauthorized: true,
      ...(isIP(host) ? {} : { servername: host }),
    };
    const outgoing = (url.protocol === 'https:' ? https : http).request(options);
    let reading: ReturnType<typeof readAnswer> | undefined;

    const finish = (failure: string, truncated = true): void => {
      clearTimeout(connectTimer);
      deadline.removeEventListener('abort', onDeadline);
      settle(reading ? reading.answer(truncated) : { kind: 'unreachable', reason: failure });
      outgoing.destroy();
    };
    const onDeadline = (): void => finish(String(deadline.reason));
    const connectTimer = setTimeout(
      () => finish(`no connection within ${CONNECT_TIMEOUT_MS / 1000} s`),
      CONNECT_TIMEOUT_MS,
    );
    deadline.addEventListener('abort', onDeadline);
    if (deadline.aborted) onDeadline();

    outgoing.on('socket', socket => socket.once('connect', () => clearTimeout(connectTimer)));
    // Once the answer has begun, its own end or error follows, after the bytes that are still on their way.
    outgoing.on('error', error => reading ?? finish(explain(error)));
    outgoing.on('close', () => finish('the connection was closed without an answer'));
    outgoing.on('upgrade', (response, socket) => {
      // Node leaves an upgraded socket to whoever listens.
      socket.destroy();
      reading = readAnswer(response, 0);
      finish('', false);
    });
    outgoing.on('response', response => {
      const current = readAnswer(response, request.previewBytes ?? DEFAULT_PREVIEW_BYTES);
      reading = current;
      response.on('data', (chunk: Buffer) => {
        if (current.add(chunk)) finish('');
      });
      response.on('end', () => finish('', !response.complete));
      response.on('error', () => finish(''));
    });
    outgoing.end(request.body);
  });
}

const systemResolve: Resolve = host => resolveName(host, { all: true });

/**
 * `allow` opens destinations that are not public, `allowLoopback` opens this host. `send` never throws: what can go wrong
 * outside is a value.
 */
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
      const fail = (): void => settle({ kind: 'unreachable', reason: String(deadline.reason) });
      if (deadline.aborted) fail();
      else deadline.addEventListener('abort', fail, { once: true });
    });
    const verdict = await Promise.race([guard(request.url), expired]);
    if (verdict.kind !== 'allowed') return verdict;
    try {
      return await exchange(request, verdict, deadline);
    } catch (error) {
      return { kind: 'unreachable', reason: explain(error) } as const;
    }
  };

  return {
    send: async request => {
      if (!TOKEN.test(request.method) || request.method === 'CONNECT') {
        return { kind: 'refused', reason: 'the method cannot be sent' };
      }
      const startedAt = clock.monotonic();
      const deadline = new AbortController();
      const timer = setTimeout(
        () => deadline.abort(`no complete answer within ${request.timeoutMs / 1000} s`),
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
