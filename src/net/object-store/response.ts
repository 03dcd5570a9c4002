/* Reads responses of an object store, which are not trusted: their size is limited, and their texts are cut and cleaned. */
import { unescapeXml } from '../../core/encoding/xml.ts';
import { ObjectStoreError, type StoreFailure } from '../../core/network/object-store.ts';
import { readBody } from '../../core/network/response-body.ts';
import { retryAfterMs } from '../../core/network/retry-after.ts';

const maxErrorBytes = 64 << 10;
const maxShownChars = 200;

/** The text of the first element of this name, which contains no other elements. */
export function elementText(xml: string, name: string): string | undefined {
  const found = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1];
  return found === undefined ? undefined : unescapeXml(found);
}

/** The contents of all elements of this name, which do not contain each other. */
export const elementsOf = (xml: string, name: string): string[] =>
  [...xml.matchAll(new RegExp(`<${name}>(.*?)</${name}>`, 'gs'))].map(([, content = '']) => content);

const shown = (text: string): string =>
  text
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, maxShownChars);

/** Codes that say more than the status. Codes of other stores than AWS's are included. */
const failureOfCode: Record<string, StoreFailure> = {
  NoSuchKey: 'missing',
  NoSuchBucket: 'denied',
  AuthorizationHeaderMalformed: 'denied',
  ExpiredToken: 'denied',
  InvalidToken: 'denied',
  PreconditionFailed: 'condition',
  ConditionalRequestConflict: 'busy',
  OperationAborted: 'busy',
  SlowDown: 'busy',
  TooManyRequests: 'busy',
  RequestLimitExceeded: 'busy',
  XMinioStorageFull: 'full',
  XMinioAdminBucketQuotaExceeded: 'full',
  InsufficientStorage: 'full',
  QuotaExceeded: 'full',
  StorageFull: 'full',
  NotImplemented: 'unsupported',
  RequestTimeout: 'unavailable',
  BadDigest: 'unavailable',
  XAmzContentSHA256Mismatch: 'unavailable',
  IncompleteBody: 'unavailable',
};

function failureOf(status: number, code: string | undefined): StoreFailure {
  const known = code !== undefined && Object.hasOwn(failureOfCode, code) ? failureOfCode[code] : undefined;
  if (known) return known;
  if (status === 404) return 'missing';
  if (status === 412) return 'condition';
  if (status === 429 || status === 503) return 'busy';
  if (status === 507) return 'full';
  if (status === 501 || status === 405) return 'unsupported';
  if (status === 401 || status === 403 || (status >= 300 && status < 400)) return 'denied';
  return status >= 500 || status < 300 ? 'unavailable' : 'refused';
}

/** @param request names the request in the message @returns the error of a response outside 2xx */
export async function errorOf(request: string, response: Response, now: number): Promise<ObjectStoreError> {
  const { status } = response;
  const body = await readBody(response, maxErrorBytes, () => new Error('too long')).catch(() => Buffer.alloc(0));
  const xml = body.toString();
  const rawCode = elementText(xml, 'Code');
  const code = rawCode === undefined ? undefined : shown(rawCode);
  const reason = shown(elementText(xml, 'Message') ?? '');
  const what = code === undefined ? `status ${status}` : `status ${status} ${code}`;
  const redirect = status >= 300 && status < 400 ? 'the bucket is at another endpoint or in another region' : reason;
  return new ObjectStoreError(`${request}: ${what}${redirect === '' ? '' : ` (${redirect})`}`, {
    failure: failureOf(status, code),
    status,
    code,
    retryAfterMs: retryAfterMs([...response.headers], now),
  });
}
