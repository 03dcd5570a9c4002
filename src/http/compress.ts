/*
 * Compresses JSON answers for clients that accept it. Only routes that are declared as `compressed` are: the length of a compressed
 * answer reveals whether a text that a stranger chose resembles a secret in the same answer (BREACH; docs/adr/0017). For the same
 * reason, requests that a browser sends for another site get plain answers. An answer of such a route has `Vary`, whether it is
 * compressed or not. The ETag is the same for both.
 */
import { Duplex } from 'node:stream';
import zlib from 'node:zlib';
import { chooseEncoding, refusesIdentity } from './accept-encoding.ts';
import type { Fetcher } from './fetch-adapter.ts';
import type { MatchRoute } from './route-table.ts';

/** Smaller answers fit into a packet or two in any case. */
const minBytes = 1024;
/** Up to here compressing takes less than a millisecond and less than handing it to another thread. */
const maxBytesAtOnce = 64 * 1024;

// Levels at which a list of 50 events takes about 0.1 ms; higher ones save little of such answers.
const zstd = { params: { [zlib.constants.ZSTD_c_compressionLevel]: 1 } };
// The window bounds the memory of an encoder: 256 KiB.
const brotli = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 2, [zlib.constants.BROTLI_PARAM_LGWIN]: 18 } };
const gzip = { level: 4 };

type Encoder = { atOnce: (bytes: Uint8Array) => Uint8Array; inPieces: () => Duplex };

/** The first is preferred: it takes the least time, and its results are as small as the others'. */
const encoders = {
  zstd: { atOnce: bytes => zlib.zstdCompressSync(bytes, zstd), inPieces: () => zlib.createZstdCompress(zstd) },
  br: { atOnce: bytes => zlib.brotliCompressSync(bytes, brotli), inPieces: () => zlib.createBrotliCompress(brotli) },
  gzip: { atOnce: bytes => zlib.gzipSync(bytes, gzip), inPieces: () => zlib.createGzip(gzip) },
} satisfies Record<string, Encoder>;
const encodings = Object.keys(encoders) as (keyof typeof encoders)[];

/** Values of `Sec-Fetch-Site`. Other clients do not send it; `none`: the user entered the address. */
const sameSites: ReadonlySet<string | null> = new Set([null, 'none', 'same-origin']);

/** Wraps the app. Large answers are compressed by other threads, as fast as the client reads. */
export function compressAnswers(fetch: Fetcher, match: MatchRoute): Fetcher {
  return async request => {
    const response = await fetch(request);
    if (!match(request)?.route?.isCompressed || !mayBeJson(response)) return response;
    response.headers.append('vary', 'accept-encoding');
    if (!sameSites.has(request.headers.get('sec-fetch-site'))) return response;
    const accepted = request.headers.get('accept-encoding');
    const encoding = chooseEncoding(accepted, encodings);
    if (encoding === undefined) return response;
    const least = refusesIdentity(accepted) ? 1 : minBytes + 1;
    if (response.body) return encoded(response, encoding, least);
    // The answer to HEAD: its length is that of the plain answer, or missing because that is long.
    const length = response.headers.get('content-length');
    if (response.status !== 304 && Number(length ?? least) >= least) setEncoding(response.headers, encoding);
    return response;
  };
}

/** Also true for 304, which has no type but the `Vary` of the response that it replaces. */
const mayBeJson = ({ status, headers }: Response): boolean =>
  status === 304 || /^application\/json\b/.test(headers.get('content-type') ?? '');

function setEncoding(headers: Headers, encoding: string): void {
  headers.set('content-encoding', encoding);
  headers.delete('content-length');
}

async function encoded(response: Response, encoding: keyof typeof encoders, least: number): Promise<Response> {
  const { status, headers } = response;
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const start = await readUpTo(reader, maxBytesAtOnce);
  if (start.isComplete && start.bytes.length < least) return new Response(start.bytes, { status, headers });
  setEncoding(headers, encoding);
  const { atOnce, inPieces }: Encoder = encoders[encoding];
  if (start.isComplete) return new Response(new Uint8Array(atOnce(start.bytes)), { status, headers });
  // Bun's types of node's and of the global web streams differ.
  const transform = Duplex.toWeb(inPieces()) as unknown as ReadableWritablePair<Uint8Array, Uint8Array>;
  return new Response(continued(start.bytes, reader).pipeThrough(transform), { status, headers });
}

type Reader = {
  /** `value` is undefined at the end. */
  read: () => Promise<{ value?: Uint8Array | undefined }>;
  cancel: (reason?: unknown) => Promise<void>;
};

/** Reads the whole stream, or more than `limit` bytes of it. */
async function readUpTo(reader: Reader, limit: number): Promise<{ bytes: Buffer<ArrayBuffer>; isComplete: boolean }> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  while (length <= limit) {
    const { value } = await reader.read();
    if (!value) return { bytes: Buffer.concat(chunks), isComplete: true };
    chunks.push(value);
    length += value.length;
  }
  return { bytes: Buffer.concat(chunks), isComplete: false };
}

/** The stream that begins with `start` and goes on with what the reader has not read. */
const continued = (start: Uint8Array, reader: Reader): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start: controller => controller.enqueue(start),
    async pull(controller) {
      const { value } = await reader.read();
      if (value) controller.enqueue(value);
      else controller.close();
    },
    cancel: reason => reader.cancel(reason),
  });
