/* A client for S3-compatible object stores: what the program needs of one, as S3 requests. */
import { createHash } from 'node:crypto';
import type { Clock } from '../../core/clock.ts';
import {
  isStoreFailure,
  type ListedObject,
  type ObjectStore,
  ObjectStoreError,
  type WriteCondition,
} from '../../core/network/object-store.ts';
import { formatS3Location, type S3Location } from '../../core/network/s3-location.ts';
import { elementsOf, elementText } from './response.ts';
import { createSendS3, type S3Settings } from './signed-request.ts';

const maxListBytes = 8 << 20;
/** Of responses that have nothing to say. */
const maxBytes = 64 << 10;
const maxRemovedAtOnce = 1000;

const escapeXml = (text: string): string => text.replace(/[&<>"']/g, char => `&#${char.charCodeAt(0)};`);
const etagOf = (headers: Headers): string | undefined => headers.get('etag') ?? undefined;

function conditionHeaders(when: WriteCondition | undefined): Record<string, string> {
  if (when === undefined) return {};
  return when === 'absent' ? { 'if-none-match': '*' } : { 'if-match': when.etag };
}

function listedIn(xml: string, prefix: string): ListedObject[] {
  return elementsOf(xml, 'Contents').flatMap(content => {
    const key = elementText(content, 'Key');
    if (key === undefined || !key.startsWith(prefix)) return [];
    return {
      name: key.slice(prefix.length),
      size: Number(elementText(content, 'Size')),
      etag: elementText(content, 'ETag'),
      modifiedAt: Date.parse(elementText(content, 'LastModified') ?? ''),
    };
  });
}

export function createS3Store(
  settings: S3Settings,
  location: S3Location,
  dependencies: { readonly clock: Pick<Clock, 'now'>; readonly longestSilenceMs?: number },
): ObjectStore {
  const send = createSendS3(settings, location, dependencies);
  /** Of keys, with the slash that follows it. */
  const prefix = location.prefix === '' ? '' : `${location.prefix}/`;

  const remove: ObjectStore['remove'] = async (name, { signal } = {}) => {
    try {
      await send({ method: 'DELETE', key: prefix + name, signal, maxBytes });
    } catch (error) {
      if (!isStoreFailure(error, 'missing')) throw error;
    }
  };

  async function removeMany(names: readonly string[], signal: AbortSignal | undefined) {
    const objects = names.map(name => `<Object><Key>${escapeXml(prefix + name)}</Key></Object>`).join('');
    const body = Buffer.from(`<Delete><Quiet>true</Quiet>${objects}</Delete>`);
    const { bytes } = await send({
      method: 'POST',
      query: { delete: '' },
      body,
      // AWS requires it for this request alone.
      headers: { 'content-md5': createHash('md5').update(body).digest('base64'), 'content-type': 'application/xml' },
      signal,
      maxBytes: maxListBytes,
    });
    const problem = elementsOf(bytes.toString(), 'Error').find(error => elementText(error, 'Code') !== 'NoSuchKey');
    if (problem === undefined) return;
    const [code, key] = [elementText(problem, 'Code'), elementText(problem, 'Key')];
    throw new ObjectStoreError(`DELETE ${key?.slice(0, 1024)}: ${code?.slice(0, 100)}`, { failure: 'refused', code });
  }

  return {
    location: formatS3Location(location),
    put: async (name, bytes, { when, signal } = {}) => {
      const headers = { ...conditionHeaders(when), 'content-type': 'application/octet-stream' };
      const request = { method: 'PUT', key: prefix + name, body: bytes, headers, signal, maxBytes } as const;
      return etagOf((await send(request)).headers);
    },
    get: async (name, options) => {
      const { signal } = options;
      const [from, length] = 'range' in options ? options.range : [];
      const { headers, status, bytes } = await send({
        method: 'GET',
        key: prefix + name,
        signal,
        maxBytes: 'range' in options ? options.range[1] : options.maxBytes,
        ...(from !== undefined && { headers: { range: `bytes=${from}-${from + (length ?? 0) - 1}` } }),
      });
      const announced = headers.get('content-length');
      const isCut = announced !== null && Number(announced) !== bytes.length;
      if (isCut || (length !== undefined && (status !== 206 || bytes.length !== length)))
        throw new ObjectStoreError(`GET ${prefix}${name}: the response is not what was asked for`, {
          failure: 'unavailable',
          status,
        });
      return { bytes, etag: etagOf(headers) };
    },
    head: async (name, { signal } = {}) => {
      try {
        const { headers } = await send({ method: 'HEAD', key: prefix + name, signal, maxBytes });
        return { size: Number(headers.get('content-length')), etag: etagOf(headers) };
      } catch (error) {
        if (isStoreFailure(error, 'missing')) return undefined;
        throw error;
      }
    },
    async *list({ under = '', startAfter, signal } = {}) {
      const scope = {
        'list-type': '2',
        prefix: prefix + under,
        ...(startAfter !== undefined && { 'start-after': prefix + startAfter }),
      };
      let token: string | undefined;
      for (;;) {
        const query = token === undefined ? scope : { ...scope, 'continuation-token': token };
        const { bytes } = await send({ method: 'GET', query, signal, maxBytes: maxListBytes });
        const xml = bytes.toString();
        const next = elementText(xml, 'NextContinuationToken');
        const hasMore = elementText(xml, 'IsTruncated') === 'true';
        if (!xml.includes('<ListBucketResult') || (hasMore && (next === undefined || next === token)))
          throw new ObjectStoreError(`GET ${location.bucket}: the response is no list`, { failure: 'unavailable' });
        yield* listedIn(xml, prefix);
        if (!hasMore) return;
        token = next;
      }
    },
    remove,
    removeAll: async (names, { signal } = {}) => {
      for (let start = 0; start < names.length; start += maxRemovedAtOnce) {
        const some = names.slice(start, start + maxRemovedAtOnce);
        try {
          await removeMany(some, signal);
        } catch (error) {
          if (!isStoreFailure(error, 'unsupported')) throw error;
          for (const name of some) await remove(name, { signal });
        }
      }
    },
    keepsVersions: async ({ signal } = {}) => {
      try {
        const { bytes } = await send({ method: 'GET', query: { versioning: '' }, signal, maxBytes });
        const xml = bytes.toString();
        return /<\w*Versioning/.test(xml) ? elementText(xml, 'Status') !== undefined : undefined;
      } catch (error) {
        // Only this check needs the right to read this setting.
        const isUnknown = ['unsupported', 'missing'].some(failure => isStoreFailure(error, failure as 'missing'));
        if (isUnknown || (isStoreFailure(error, 'denied') && error.code === 'AccessDenied')) return undefined;
        throw error;
      }
    },
  };
}
