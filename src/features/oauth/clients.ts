/*
 * Who is asking for access: clients that the operator put there, that registered themselves, or whose id is the address of
 * a document. A document that cannot be fetched again keeps existing connections working for a week.
 */
import type { Clock } from '../../core/clock.ts';
import { newId, newToken, type RandomBytes } from '../../core/ids.ts';
import { type ClientMetadata, readRegistration } from './client-metadata.ts';
import { isMetadataUrl, looksLikeMetadataUrl, type MetadataFetcher } from './client-metadata-document.ts';
import type { ClientRow, ClientsStore } from './clients-store.ts';
import { hashOf, matchesHash } from './credential-hash.ts';
import { OAuthError } from './oauth-error.ts';

/** 0 when it may pass, else after how many whole seconds it may. */
export type RateLimit = (key: string) => number;

export type RegistrationPolicy = { mode: 'on' | 'off' } | { mode: 'token'; token: string };

export type Clients = ReturnType<typeof createClients>;

const staleMs = 7 * 24 * 3_600_000;
const maxClients = 10_000;

const slowDown = (what: string, seconds: number): OAuthError =>
  new OAuthError('slow_down', `too many ${what}, try again later`, { headers: { 'retry-after': String(seconds) } });

export function createClients(options: {
  store: ClientsStore;
  clock: Clock;
  random: RandomBytes;
  /** undefined where documents are not fetched. */
  fetchDocument: MetadataFetcher | undefined;
  registration: RegistrationPolicy;
  takeRegistration: RateLimit;
  takeDocument: RateLimit;
}) {
  const { store, clock, random, fetchDocument, registration, takeRegistration, takeDocument } = options;

  const toRow = (id: string, kind: ClientRow['kind'], given: ClientMetadata): ClientRow => ({
    id,
    kind,
    name: given.name,
    redirectUris: given.redirectUris,
    authMethods: given.authMethods.join(' '),
    secretHash: null,
    mayRefresh: given.mayRefresh,
    createdAt: clock.now(),
    fetchedAt: null,
    freshUntil: null,
    disabledAt: null,
  });

  const refetch = async (url: string, fetchDocument: MetadataFetcher): Promise<ClientRow> => {
    const document = await fetchDocument(url);
    const now = clock.now();
    const row = { ...toRow(url, 'cimd', document), fetchedAt: now, freshUntil: now + document.freshMs };
    await store.putDocument(row);
    return row;
  };

  const isFresh = (row: ClientRow): boolean => row.freshUntil === null || clock.now() < row.freshUntil;

  return {
    supportsDocuments: fetchDocument !== undefined,
    isDocumentUrl: looksLikeMetadataUrl,
    /** Whether this address of a document may be looked at at all. */
    isAcceptedUrl: (id: string): boolean => fetchDocument !== undefined && isMetadataUrl(id),

    /** A client that needs no looking up elsewhere; undefined when unknown or disabled. */
    find: (id: string): Promise<ClientRow | undefined> => store.find(id),

    /**
     * The client that a document describes, for somebody who is signed in.
     * @param asker who is counted for it
     * @throws OAuthError when it cannot be fetched, is no such document, or too many are asked for
     */
    async fromDocument(url: string, asker: string): Promise<ClientRow | undefined> {
      if (!fetchDocument || !isMetadataUrl(url)) return undefined;
      const known = await store.find(url);
      if (known && isFresh(known)) return known;
      const wait = takeDocument(asker);
      if (wait > 0) throw slowDown('client documents', wait);
      await refetch(url, fetchDocument);
      // A disabled client stays disabled, whatever its document says.
      return store.find(url);
    },

    /** A client that presents a token or code: it is known already, if its document is not too old. */
    async presenting(id: string): Promise<ClientRow | undefined> {
      const known = await store.find(id);
      if (known?.kind !== 'cimd' || isFresh(known)) return known;
      if (!fetchDocument) return undefined;
      try {
        // Anybody may present anything: a document that cannot be had is not asked for again each time.
        if (takeDocument(id) === 0) return await refetch(id, fetchDocument);
      } catch {
        // As if it had not been asked for.
      }
      return clock.now() - (known.fetchedAt ?? 0) < staleMs ? known : undefined;
    },

    isOpen: registration.mode !== 'off',

    /**
     * RFC 7591. @returns the body of the 201 @throws OAuthError
     * @param asker who is counted for it @param bearer the initial access token, where one is needed
     */
    async register(json: unknown, asker: string, bearer: string | undefined): Promise<Record<string, unknown>> {
      if (registration.mode === 'token' && !(bearer && matchesHash(hashOf(registration.token), bearer)))
        throw new OAuthError('invalid_token', 'registration needs an initial access token', {
          headers: { 'www-authenticate': 'Bearer realm="hooktape"' },
        });
      const wait = takeRegistration(asker);
      if (wait > 0) throw slowDown('registrations', wait);
      const given = readRegistration(json);
      const row = toRow(newId('dcr', clock.now(), random), 'dcr', given);
      const secret = given.authMethods.includes('none') ? undefined : newToken(random);
      if (!(await store.insertWithin(maxClients, { ...row, secretHash: secret === undefined ? null : hashOf(secret) })))
        throw new OAuthError('temporarily_unavailable', 'too many clients are registered, try again later', {
          headers: { 'retry-after': '3600' },
        });
      return {
        client_id: row.id,
        client_id_issued_at: Math.floor(row.createdAt / 1000),
        ...(secret !== undefined && { client_secret: secret, client_secret_expires_at: 0 }),
        client_name: row.name,
        redirect_uris: row.redirectUris,
        grant_types: row.mayRefresh ? ['authorization_code', 'refresh_token'] : ['authorization_code'],
        response_types: ['code'],
        token_endpoint_auth_method: given.authMethods[0],
        scope: 'webhooks',
      };
    },
  };
}
