/* All stores of the authorization server. */
import type { Drizzle } from '../../db/database.ts';
import { createAuthorizationRequestsStore } from './authorization-requests-store.ts';
import { createCleanupStore } from './cleanup-store.ts';
import { createClientsStore } from './clients-store.ts';
import { createCodesStore } from './codes-store.ts';
import { createGrantsStore } from './grants-store.ts';
import { createKeyLoginsStore } from './key-logins-store.ts';
import { createSigningKeysStore } from './signing-keys-store.ts';

export type OAuthStores = ReturnType<typeof createOAuthStores>;

export const createOAuthStores = (db: Drizzle) => ({
  clients: createClientsStore(db),
  requests: createAuthorizationRequestsStore(db),
  codes: createCodesStore(db),
  grants: createGrantsStore(db),
  keyLogins: createKeyLoginsStore(db),
  signingKeys: createSigningKeysStore(db),
  cleanup: createCleanupStore(db),
});
