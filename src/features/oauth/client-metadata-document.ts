/*
 * Client ID metadata documents: the client id is the https URL of a document that describes the client. Documents are fetched
 * behind the address guard, without following redirects, and only up to 5 KB. Failures are not cached.
 */
import { decodeUtf8 } from '../../core/text.ts';
import type { Outbound, OutboundResult } from '../../net/outbound.ts';
import {
  type ClientMetadata,
  cleanClientName,
  readMayRefresh,
  readMembers,
  readRedirectUris,
} from './client-metadata.ts';
import { OAuthError, refuse } from './oauth-error.ts';

type FetchedClient = ClientMetadata & {
  /** How long the copy is used before the document is fetched again. */ freshMs: number;
};

const maxDocumentBytes = 5 * 1024;
const timeoutMs = 5000;
const minFreshMs = 5 * 60_000;
const maxFreshMs = 24 * 3_600_000;
const defaultFreshMs = 3_600_000;
const maxUrlLength = 2000;
const maxConcurrentFetches = 8;

export const looksLikeMetadataUrl = (clientId: string): boolean => /^[a-z][a-z0-9+.-]*:/i.test(clientId);

/** https, with a path, and exactly as the URL parser normalises it: no dot segments, user name or fragment. */
export function isMetadataUrl(clientId: string): boolean {
  const url = clientId.length <= maxUrlLength ? URL.parse(clientId) : null;
  return (
    url !== null &&
    url.protocol === 'https:' &&
    url.href === clientId &&
    url.pathname !== '/' &&
    !clientId.includes('#') &&
    url.username === '' &&
    url.password === ''
  );
}

/** The host that the client controls, because it serves the document; null for other kinds of ids. */
export const verifiedHost = (clientId: string): string | null =>
  isMetadataUrl(clientId) ? (URL.parse(clientId)?.host ?? null) : null;

const header = (response: Extract<OutboundResult, { kind: 'answered' }>, name: string): string =>
  response.headers
    .filter(([key]) => key.toLowerCase() === name)
    .map(([, value]) => value)
    .join(', ');

function parseFreshMs(cacheControl: string): number {
  const seconds = /(?:^|[,\s])max-age=(\d{1,9})/i.exec(cacheControl)?.[1];
  const requestedMs = /no-store|no-cache/i.test(cacheControl)
    ? 0
    : seconds === undefined
      ? defaultFreshMs
      : +seconds * 1000;
  return Math.min(maxFreshMs, Math.max(minFreshMs, requestedMs));
}

/** The client must be public, because a secret in its document would be public. @throws OAuthError */
function checkAuthentication(members: ReadonlyMap<string, unknown>): void {
  if (members.has('client_secret') || members.has('client_secret_expires_at'))
    throw refuse('invalid_client_metadata', 'the document contains a client secret');
  const keys = (members.get('jwks') as { keys?: unknown } | undefined)?.keys;
  if (Array.isArray(keys) && keys.some(key => typeof key === 'object' && key !== null && ('d' in key || 'k' in key)))
    throw refuse('invalid_client_metadata', 'the document contains a private key');
  const methods = [
    members.get('token_endpoint_auth_method') ?? [],
    members.get('token_endpoint_auth_methods_supported') ?? [],
  ].flat();
  if (methods.some(method => typeof method === 'string' && method.startsWith('client_secret_')))
    throw refuse('invalid_client_metadata', 'the document requires authentication with a shared secret');
  if (methods.length > 0 && !methods.includes('none'))
    throw refuse('invalid_client_metadata', 'the document must offer the authentication method none');
}

/** @throws OAuthError */
function readMetadataDocument(url: string, text: string): ClientMetadata {
  const members = readMembers(parseJson(text));
  if (members.get('client_id') !== url)
    throw refuse('invalid_client_metadata', 'client_id in the document is not the URL of the document');
  if (typeof members.get('client_name') !== 'string')
    throw refuse('invalid_client_metadata', 'the document has no client_name');
  checkAuthentication(members);
  return {
    name: cleanClientName(members.get('client_name'), new URL(url).host),
    redirectUris: readRedirectUris(members),
    authMethods: ['none'],
    mayRefresh: readMayRefresh(members),
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw refuse('invalid_client_metadata', 'the document is not valid JSON');
  }
}

export type MetadataFetcher = (url: string) => Promise<FetchedClient>;

/** The fetcher validates the document. Concurrent calls for one URL share a request. @throws OAuthError */
export function createMetadataFetcher(send: Outbound['send']): MetadataFetcher {
  const inFlight = new Map<string, Promise<FetchedClient>>();

  const fetchDocument: MetadataFetcher = async url => {
    const response = await send({
      url,
      method: 'GET',
      headers: [
        ['Accept', 'application/json'],
        ['User-Agent', 'Hooktape'],
      ],
      body: new Uint8Array(),
      timeoutMs,
      previewBytes: maxDocumentBytes,
    });
    if (response.kind !== 'answered')
      throw refuse('invalid_client_metadata', `the document could not be fetched: ${response.reason}`);
    if (response.status !== 200)
      throw refuse('invalid_client_metadata', `fetching the document returned status ${response.status}`);
    if (response.truncated) throw refuse('invalid_client_metadata', 'the document is larger than 5 KB or was cut off');
    if (!/^application\/(?:[a-z0-9.!#$&^_-]+\+)?json\s*(?:;|$)/i.test(header(response, 'content-type')))
      throw refuse('invalid_client_metadata', 'the document is not served as JSON');
    const text = decodeUtf8(response.preview);
    if (text === undefined) throw refuse('invalid_client_metadata', 'the document is not UTF-8');
    return { ...readMetadataDocument(url, text), freshMs: parseFreshMs(header(response, 'cache-control')) };
  };

  return url => {
    const pending = inFlight.get(url);
    if (pending) return pending;
    if (inFlight.size >= maxConcurrentFetches)
      throw new OAuthError('temporarily_unavailable', 'too many client documents are being fetched, try again', {
        headers: { 'retry-after': '5' },
      });
    const fetching = fetchDocument(url).finally(() => inFlight.delete(url));
    inFlight.set(url, fetching);
    return fetching;
  };
}
