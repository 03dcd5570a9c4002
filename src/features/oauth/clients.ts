/*
 * Finds the OAuth client of a request. A client whose id is a URL is described by a client ID metadata document; when the
 * document can no longer be fetched, its existing connections keep working for a week.
 */
import type { Clock } from '../../core/clock.ts';
import type { ClientMetadata } from './client-metadata.ts';
import { isMetadataUrl, type MetadataFetcher } from './client-metadata-document.ts';
import type { ClientRow, ClientsStore } from './clients-store.ts';
import { type RateLimit, tooManyRequests } from './oauth-error.ts';

export type Clients = ReturnType<typeof createClients>;

const staleMs = 7 * 24 * 3_600_000;

export const toClientRow = (
  id: string,
  kind: ClientRow['kind'],
  metadata: ClientMetadata,
  createdAt: number,
): ClientRow => ({
  id,
  kind,
  name: metadata.name,
  redirectUris: metadata.redirectUris,
  authMethods: metadata.authMethods.join(' '),
  secretHash: null,
  mayRefresh: metadata.mayRefresh,
  createdAt,
  fetchedAt: null,
  freshUntil: null,
  disabledAt: null,
});

export function createClients(options: {
  store: ClientsStore;
  clock: Clock;
  /** undefined when metadata documents are switched off. */
  fetchDocument: MetadataFetcher | undefined;
  limitDocumentFetches: RateLimit;
}) {
  const { store, clock, fetchDocument, limitDocumentFetches } = options;

  const refetch = async (url: string, fetchDocument: MetadataFetcher): Promise<ClientRow> => {
    const document = await fetchDocument(url);
    const now = clock.now();
    const row = { ...toClientRow(url, 'cimd', document, now), fetchedAt: now, freshUntil: now + document.freshMs };
    await store.upsertFromDocument(row);
    return row;
  };

  const isFresh = (row: ClientRow): boolean => row.freshUntil === null || clock.now() < row.freshUntil;

  return {
    supportsDocuments: fetchDocument !== undefined,
    /** Whether the id is the URL of a metadata document that may be fetched. */
    isAcceptedUrl: (id: string): boolean => fetchDocument !== undefined && isMetadataUrl(id),

    /** Finds a stored client without fetching anything; undefined when it is unknown or disabled. */
    find: (id: string): Promise<ClientRow | undefined> => store.find(id),

    /**
     * Finds the client that a metadata document describes, and fetches the document unless a fresh copy is stored. Only for
     * requests of a signed-in user.
     * @throws OAuthError when the document cannot be fetched or is invalid, or after too many fetches for `clientAddress`
     */
    async findByDocument(url: string, clientAddress: string): Promise<ClientRow | undefined> {
      if (!fetchDocument || !isMetadataUrl(url)) return undefined;
      const stored = await store.find(url);
      if (stored && isFresh(stored)) return stored;
      const waitSeconds = limitDocumentFetches(clientAddress);
      if (waitSeconds > 0) throw tooManyRequests('client metadata documents', waitSeconds);
      await refetch(url, fetchDocument);
      // Read again, because a disabled client stays disabled regardless of its document.
      return store.find(url);
    },

    /** Finds the client of a token or revocation request. Only a client that is stored already has its document fetched. */
    async findForToken(id: string): Promise<ClientRow | undefined> {
      const stored = await store.find(id);
      if (stored?.kind !== 'cimd' || isFresh(stored)) return stored;
      if (!fetchDocument) return undefined;
      try {
        // Any caller may send any client_id, so fetches are limited per client.
        if (limitDocumentFetches(id) === 0) return await refetch(id, fetchDocument);
      } catch {
        // The stored copy is used instead.
      }
      return clock.now() - (stored.fetchedAt ?? 0) < staleMs ? stored : undefined;
    },
  };
}
