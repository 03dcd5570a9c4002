/*
 * Sends requests to an S3-compatible store. Every request is signed together with the SHA-256 of its body, so that the store refuses
 * bytes that changed on the way; it has a time limit, follows no redirect, and is sent once. Only the given credentials are used: no
 * environment variable is read.
 */
import { AwsV4Signer } from 'aws4fetch';
import type { Clock } from '../../core/clock.ts';
import { sha256 } from '../../core/encoding/sha256.ts';
import { ObjectStoreError } from '../../core/network/object-store.ts';
import type { S3Location } from '../../core/network/s3-location.ts';
import { errorOf } from './response.ts';
import { createTimeLimit, type TimeLimit } from './time-limit.ts';

export type S3Settings = {
  /** Origin and optional path; AWS's endpoint of the region by default. */
  readonly endpoint?: string | undefined;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
};

export type S3Request = {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** Without it, the request is for the bucket. */
  readonly key?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  readonly signal?: AbortSignal | undefined;
  /** The largest body of the response. */
  readonly maxBytes: number;
};
export type S3Response = { readonly headers: Headers; readonly status: number; readonly bytes: Buffer };
/** @throws ObjectStoreError for every status outside 2xx */
export type SendS3 = (request: S3Request) => Promise<S3Response>;

type Dependencies = { readonly clock: Pick<Clock, 'now'>; readonly longestSilenceMs?: number };

const noBody = new Uint8Array();

const encodeSegment = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, char => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);

/** Buckets are addressed by path, which every store understands. */
function urlOf({ endpoint, region }: S3Settings, bucket: string, { key, query = {} }: S3Request): string {
  const origin = (endpoint ?? `https://s3.${region}.amazonaws.com`).replace(/\/+$/, '');
  const path = key === undefined ? [bucket] : [bucket, ...key.split('/')];
  const search = Object.entries(query).map(([name, value]) => `${name}=${encodeSegment(value)}`);
  return `${origin}/${path.map(encodeSegment).join('/')}${search.length > 0 ? `?${search.join('&')}` : ''}`;
}

/** Why there is no response. Bun's codes are words such as `ConnectionRefused`. */
function connectionProblem(error: unknown): string {
  const { code, message } = error as { code?: unknown; message?: unknown };
  if (typeof code === 'string' && code !== '') return `the connection failed (${code})`;
  return `the connection failed${typeof message === 'string' ? ` (${message.slice(0, 200)})` : ''}`;
}

async function readResponse(response: Response, what: string, maxBytes: number, limit: TimeLimit): Promise<Buffer> {
  const length = Number(response.headers.get('content-length') ?? maxBytes);
  limit.allow(Math.min(length, maxBytes));
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    limit.progress();
    size += chunk.length;
    if (size > maxBytes)
      throw new ObjectStoreError(`${what}: the response has more than ${maxBytes} bytes`, { failure: 'unavailable' });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** @param clock its wall clock is part of signatures; if it is wrong, the store's clock corrects it */
export function createSendS3(settings: S3Settings, { bucket }: S3Location, dependencies: Dependencies): SendS3 {
  const { clock, longestSilenceMs } = dependencies;
  const { region, accessKeyId, secretAccessKey, sessionToken } = settings;
  /** Derived keys, one a day. */
  const signingKeys = new Map<string, ArrayBuffer>();
  let clockOffsetMs = 0;

  function sign(request: S3Request) {
    if (signingKeys.size > 10) signingKeys.clear();
    const { method, headers = {}, body = noBody } = request;
    return new AwsV4Signer({
      method,
      url: urlOf(settings, bucket, request),
      headers: { ...headers, 'x-amz-content-sha256': Buffer.from(sha256(body)).toString('hex') },
      accessKeyId,
      secretAccessKey,
      ...(sessionToken !== undefined && { sessionToken }),
      service: 's3',
      region,
      cache: signingKeys,
      datetime: new Date(clock.now() + clockOffsetMs).toISOString().replace(/[:-]|\.\d{3}/g, ''),
    }).sign();
  }

  async function attempt(request: S3Request, what: string): Promise<S3Response> {
    const { method, body, signal, maxBytes } = request;
    signal?.throwIfAborted();
    const { url, headers } = await sign(request);
    headers.set('accept-encoding', 'identity');
    headers.set('user-agent', 'hooktape');
    const limit = createTimeLimit(body?.length ?? 0, signal, longestSilenceMs);
    try {
      const response = await fetch(url, {
        method,
        headers,
        redirect: 'manual',
        signal: limit.signal,
        // Bun's own limit: the one above holds instead.
        timeout: false,
        ...(body && { body: body as Uint8Array<ArrayBuffer> }),
      } as RequestInit);
      limit.progress();
      if (!response.ok) {
        const error = await errorOf(what, response, clock.now());
        const date = Date.parse(response.headers.get('date') ?? '');
        if (error.code === 'RequestTimeTooSkewed' && !Number.isNaN(date)) clockOffsetMs = date - clock.now();
        throw error;
      }
      const bytes = method === 'HEAD' ? Buffer.alloc(0) : await readResponse(response, what, maxBytes, limit);
      return { headers: response.headers, status: response.status, bytes };
    } catch (error) {
      if (error instanceof ObjectStoreError) throw error;
      signal?.throwIfAborted();
      throw new ObjectStoreError(`${what}: ${limit.reason() ?? connectionProblem(error)}`, { failure: 'unavailable' });
    } finally {
      limit.end();
    }
  }

  return async request => {
    const what = `${request.method} ${request.key ?? bucket}`;
    try {
      return await attempt(request, what);
    } catch (error) {
      if (!(error instanceof ObjectStoreError && error.code === 'RequestTimeTooSkewed')) throw error;
      return attempt(request, what);
    }
  };
}
