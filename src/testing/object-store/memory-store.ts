/*
 * An S3-compatible store in memory: objects, conditions, ranges, pages of lists, deletion of many, the checksum of bodies. It takes
 * any credentials; scripts/proofs/backup.ts runs against stores of other projects, which check them.
 */
import { createHash } from 'node:crypto';
import { errorResponse, noHeaders, openFaultyServer, type PlainRequest, type PlainResponse } from './faulty-server.ts';

type Kept = { bytes: Buffer; etag: string; modifiedAt: number };

const none = Buffer.alloc(0);
const escapeXml = (text: string): string => text.replace(/[&<>]/g, char => `&#${char.charCodeAt(0)};`);
const xml = (text: string): PlainResponse => ({
  status: 200,
  headers: { 'content-type': 'application/xml' },
  body: Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>\n${text}`),
});
const digest = (algorithm: string, bytes: Uint8Array, encoding: 'hex' | 'base64' = 'hex'): string =>
  createHash(algorithm).update(bytes).digest(encoding);

/** @returns what a failed condition of the request answers; undefined if all are met */
function unmet({ headers }: PlainRequest, kept: Kept | undefined): PlainResponse | undefined {
  const wanted = headers['if-match'];
  if (headers['if-none-match'] === '*' && kept) return errorResponse(412, 'PreconditionFailed');
  if (wanted !== undefined && !kept) return errorResponse(404, 'NoSuchKey');
  return wanted !== undefined && wanted !== kept?.etag ? errorResponse(412, 'PreconditionFailed') : undefined;
}

function ranged({ bytes, etag }: Kept, range: string | undefined): PlainResponse {
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(range ?? '') ?? [];
  if (from === undefined) return { status: 200, headers: { etag }, body: bytes };
  if (Number(from) >= bytes.length) return errorResponse(416, 'InvalidRange');
  return { status: 206, headers: { etag }, body: bytes.subarray(Number(from), Number(to) + 1) };
}

/** @param pageSize of lists @param versioning what the bucket says about versions */
export async function openMemoryStore({ pageSize = 1000, versioning = '' } = {}) {
  const bucket = 'tapes';
  const objects = new Map<string, Kept>();

  function list(query: URLSearchParams): PlainResponse {
    const after = query.get('continuation-token') ?? query.get('start-after') ?? '';
    const names = [...objects.keys()].filter(key => key.startsWith(query.get('prefix') ?? '') && key > after).sort();
    const page = names.slice(0, pageSize);
    const more = names.length > page.length;
    const contents = page.map(key => {
      const { bytes, etag, modifiedAt } = objects.get(key) ?? { bytes: none, etag: '', modifiedAt: 0 };
      return `<Contents><Key>${escapeXml(key)}</Key><LastModified>${new Date(modifiedAt).toISOString()}</LastModified><ETag>${etag}</ETag><Size>${bytes.length}</Size></Contents>`;
    });
    const next = more ? `<NextContinuationToken>${escapeXml(page.at(-1) ?? '')}</NextContinuationToken>` : '';
    return xml(`<ListBucketResult><IsTruncated>${more}</IsTruncated>${contents.join('')}${next}</ListBucketResult>`);
  }

  function removeMany(request: PlainRequest): PlainResponse {
    if (request.headers['content-md5'] !== digest('md5', request.body, 'base64'))
      return errorResponse(400, 'InvalidDigest');
    for (const [, key = ''] of request.body.toString().matchAll(/<Key>([^<]*)<\/Key>/g))
      objects.delete(key.replace(/&#(\d+);/g, (_whole, code) => String.fromCharCode(Number(code))));
    return xml('<DeleteResult/>');
  }

  function forObject(request: PlainRequest, key: string): PlainResponse {
    const kept = objects.get(key);
    const problem = unmet(request, kept);
    if (problem) return problem;
    if (request.method === 'PUT') {
      const etag = `"${digest('md5', request.body)}"`;
      objects.set(key, { bytes: request.body, etag, modifiedAt: Date.now() });
      return { status: 200, headers: { etag }, body: none };
    }
    if (request.method === 'DELETE') {
      objects.delete(key);
      return { status: 204, headers: noHeaders, body: none };
    }
    if (!kept) return errorResponse(404, 'NoSuchKey');
    if (request.method === 'HEAD')
      return { status: 200, headers: { etag: kept.etag, 'content-length': String(kept.bytes.length) }, body: none };
    return ranged(kept, request.headers.range);
  }

  async function handle(request: PlainRequest): Promise<PlainResponse> {
    const url = new URL(request.target, 'http://store');
    const [, named = '', ...rest] = url.pathname.split('/');
    const key = decodeURIComponent(rest.join('/'));
    if (named !== bucket) return errorResponse(404, 'NoSuchBucket');
    if (request.headers['x-amz-content-sha256'] !== digest('sha256', request.body))
      return errorResponse(400, 'XAmzContentSHA256Mismatch');
    if (key !== '') return forObject(request, key);
    if (url.searchParams.has('versioning'))
      return xml(
        `<VersioningConfiguration>${versioning && `<Status>${versioning}</Status>`}</VersioningConfiguration>`,
      );
    if (request.method === 'POST' && url.searchParams.has('delete')) return removeMany(request);
    return list(url.searchParams);
  }

  const server = await openFaultyServer(handle);
  return {
    ...server,
    /** By key. A test may damage and delete them. */
    objects,
    bucket,
    settings: { endpoint: server.endpoint, region: 'us-east-1', accessKeyId: 'tape', secretAccessKey: 'tape-secret' },
  };
}
