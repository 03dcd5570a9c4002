/*
 * Client ID metadata documents: a client whose id is the https URL of a document that describes it. The document is fetched
 * through the guarded way out, only for somebody who is signed in or for a client that is known already, never redirected,
 * small, and its failures are not remembered.
 */
import { decodeUtf8 } from '../../core/text.ts';
import type { Outbound, OutboundResult } from '../../net/outbound.ts';
import { type ClientMetadata, readMayRefresh, readMembers, readRedirectUris } from './client-metadata.ts';
import { cleanClientName } from './client-name.ts';
import { OAuthError, refuse } from './oauth-error.ts';

export type FetchedClient = ClientMetadata & { /** How long it may be used without looking again. */ freshMs: number };

const maxDocumentBytes = 5 * 1024;
const timeoutMs = 5000;
const minFreshMs = 5 * 60_000;
const maxFreshMs = 24 * 3_600_000;
const defaultFreshMs = 3_600_000;
const maxUrlLength = 2000;
const maxAtOnce = 8;

export const looksLikeMetadataUrl = (clientId: string): boolean => /^[a-z][a-z0-9+.-]*:/i.test(clientId);

/** https, with a path, in the one spelling that the URL parser gives back: no dot segments, no user, no fragment. */
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

/** The one host that a metadata URL proves something about. */
export const verifiedHost = (clientId: string): string | null =>
  isMetadataUrl(clientId) ? (URL.parse(clientId)?.host ?? null) : null;

const header = (answer: Extract<OutboundResult, { kind: 'answered' }>, name: string): string =>
  answer.headers
    .filter(([key]) => key.toLowerCase() === name)
    .map(([, value]) => value)
    .join(', ');

function freshFor(cacheControl: string): number {
  const seconds = /(?:^|[,\s])max-age=(\d{1,9})/i.exec(cacheControl)?.[1];
  const wanted = /no-store|no-cache/i.test(cacheControl) ? 0 : seconds === undefined ? defaultFreshMs : +seconds * 1000;
  return Math.min(maxFreshMs, Math.max(minFreshMs, wanted));
}

/** Public, without a secret: a document that anybody can read cannot hold one. @throws OAuthError */
function checkAuthentication(members: ReadonlyMap<string, unknown>): void {
  if (members.has('client_secret') || members.has('client_secret_expires_at'))
    throw refuse('invalid_client_metadata', 'the document holds a client secret');
  const keys = (members.get('jwks') as { keys?: unknown } | undefined)?.keys;
  if (Array.isArray(keys) && keys.some(key => typeof key === 'object' && key !== null && ('d' in key || 'k' in key)))
    throw refuse('invalid_client_metadata', 'the document holds a private key');
  const named = [
    members.get('token_endpoint_auth_method') ?? [],
    members.get('token_endpoint_auth_methods_supported') ?? [],
  ].flat();
  if (named.some(method => typeof method === 'string' && method.startsWith('client_secret_')))
    throw refuse('invalid_client_metadata', 'the document asks for authentication by a shared secret');
  if (named.length > 0 && !named.includes('none'))
    throw refuse('invalid_client_metadata', 'the document offers no authentication method that is supported (none)');
}

/** @throws OAuthError */
export function readMetadataDocument(url: string, text: string): ClientMetadata {
  const members = readMembers(parseJson(text));
  if (members.get('client_id') !== url)
    throw refuse('invalid_client_metadata', 'client_id in the document is not the address of the document');
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

/** @returns fetches and judges one document; several askers of one URL share a request @throws OAuthError */
export function createMetadataFetcher(send: Outbound['send']): MetadataFetcher {
  const underWay = new Map<string, Promise<FetchedClient>>();

  const fetchDocument: MetadataFetcher = async url => {
    const answer = await send({
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
    if (answer.kind !== 'answered') throw refuse('invalid_client_metadata', `the document: ${answer.reason}`);
    if (answer.status !== 200)
      throw refuse('invalid_client_metadata', `the document was answered with status ${answer.status}`);
    if (answer.truncated) throw refuse('invalid_client_metadata', 'the document is larger than 5 KB or was cut off');
    if (!/^application\/(?:[a-z0-9.!#$&^_-]+\+)?json\s*(?:;|$)/i.test(header(answer, 'content-type')))
      throw refuse('invalid_client_metadata', 'the document is not served as JSON');
    const text = decodeUtf8(answer.preview);
    if (text === undefined) throw refuse('invalid_client_metadata', 'the document is not UTF-8');
    return { ...readMetadataDocument(url, text), freshMs: freshFor(header(answer, 'cache-control')) };
  };

  return url => {
    const known = underWay.get(url);
    if (known) return known;
    if (underWay.size >= maxAtOnce)
      throw new OAuthError('temporarily_unavailable', 'too many client documents are being fetched, try again', {
        headers: { 'retry-after': '5' },
      });
    const work = fetchDocument(url).finally(() => underWay.delete(url));
    underWay.set(url, work);
    return work;
  };
}
