/* The OAuth 2.1 authorization server: builds its parts and offers one function for each endpoint. HTTP is in routes.ts. */
import type { Clock } from '../../core/clock.ts';
import type { RandomBytes } from '../../core/ids/ids.ts';
import type { Sealer } from '../../core/secrets/seal.ts';
import type { Outbound } from '../../net/outbound.ts';
import { accessTokenMs, createAccessTokens } from './access-tokens.ts';
import { createAuthorizationEndpoint } from './authorization-endpoint.ts';
import { type AcceptedMethods, authenticateClient } from './client-auth.ts';
import { createMetadataFetcher } from './client-metadata-document.ts';
import { createClientRegistration, type RegistrationPolicy } from './client-registration.ts';
import { createClients } from './clients.ts';
import { resourceMetadata, serverMetadata } from './discovery.ts';
import { createKeyLogin, type KeyMaker } from './key-login.ts';
import { type RateLimit, refuse } from './oauth-error.ts';
import type { RequestParameters } from './request-parameters.ts';
import { createResources } from './scopes.ts';
import { createSigningKeys } from './signing-keys.ts';
import type { OAuthStores } from './store.ts';
import { createTokenEndpoint, type TokenResponse } from './token-endpoint.ts';

export type OAuthPolicy = {
  /** How long a rotated refresh token still works, because several processes of a client may share one. */
  refreshGraceMs: number;
  registration: RegistrationPolicy;
  /** Whether redirect URIs may have the private-use scheme of a native app (`com.example.app:/`). */
  allowPrivateUse: boolean;
};

export const defaultPolicy: OAuthPolicy = {
  refreshGraceMs: 120_000,
  registration: { mode: 'on' },
  allowPrivateUse: false,
};

type OAuthServiceOptions = {
  stores: OAuthStores;
  sealer: Sealer;
  clock: Clock;
  random: RandomBytes;
  baseUrl: string;
  /** Other issuers whose tokens are accepted, for the protected resource metadata. */
  otherIssuers: readonly string[];
  /** Fetches client metadata documents behind the address guard; undefined when they are switched off. */
  send: Outbound['send'] | undefined;
  limitRegistrations: RateLimit;
  limitDocumentFetches: RateLimit;
  limitAuthorizationRequests: RateLimit;
  /** The API keys of an account, for the sign-in of the command line. */
  apiKeys: KeyMaker;
  /** Called with the id of a new grant before its tokens are returned. */
  onGrantCreated: (grantId: string) => Promise<void>;
  /** Called after an app has ended its own grant. */
  onGrantRevoked: (grantId: string) => Promise<void>;
  policy: OAuthPolicy;
  /** Called after grants may have ended. */
  onGrantEnded: () => void;
};

export type OAuthService = ReturnType<typeof createOAuthService>;

const dayMs = 24 * 3_600_000;
/** The most batches of one run; the next run continues. */
const maxCleanupBatches = 100;

function createParts(options: OAuthServiceOptions) {
  const { stores, sealer, clock, random, baseUrl, send, policy } = options;
  const resources = createResources(baseUrl);
  const signingKeys = createSigningKeys({ store: stores.signingKeys, sealer, clock, tokenMs: accessTokenMs });
  const tokens = createAccessTokens({ signingKeys, issuer: baseUrl, audiences: resources.all, clock, random });
  const clients = createClients({
    store: stores.clients,
    clock,
    fetchDocument: send && createMetadataFetcher(send),
    limitDocumentFetches: options.limitDocumentFetches,
  });
  return {
    resources,
    signingKeys,
    tokens,
    clients,
    registration: createClientRegistration({ ...options, store: stores.clients, policy: policy.registration }),
    authorizationEndpoint: createAuthorizationEndpoint({
      ...options,
      ...stores,
      ...policy,
      clients,
      resources,
      issuer: baseUrl,
    }),
    keyLogin: createKeyLogin({
      ...options,
      store: stores.keyLogins,
      limitRequests: options.limitAuthorizationRequests,
    }),
    tokenEndpoint: createTokenEndpoint({ ...options, ...stores, ...policy, tokens, resources }),
  };
}

export function createOAuthService(options: OAuthServiceOptions) {
  const { stores, clock, baseUrl, otherIssuers, onGrantEnded } = options;
  const parts = createParts(options);
  const { resources, signingKeys, tokens, clients, registration, authorizationEndpoint, tokenEndpoint } = parts;
  const issuers = [baseUrl, ...otherIssuers];
  const authenticate = (authorization: string | null, form: RequestParameters, accepted?: AcceptedMethods) =>
    authenticateClient(authorization, form, clients.findForToken, accepted);

  return {
    metadata: serverMetadata({
      baseUrl,
      resources: resources.all,
      canRegister: registration.isEnabled,
      supportsDocuments: clients.supportsDocuments,
    }),
    /** @param suffix of the resource's well-known URL */
    resourceMetadata: (suffix: '' | '/api' | '/mcp') => resourceMetadata(`${baseUrl}${suffix}`, issuers),
    jwks: signingKeys.jwks,
    canRegister: registration.isEnabled,
    register: registration.register,
    authorize: authorizationEndpoint.authorize,
    decide: authorizationEndpoint.decide,
    keyLogin: parts.keyLogin,

    /** @param authorization the header @throws OAuthError */
    async token(authorization: string | null, form: RequestParameters): Promise<TokenResponse> {
      const grantType = form.get('grant_type');
      if (grantType === undefined) throw refuse('invalid_request', 'grant_type is missing');
      if (grantType !== 'authorization_code' && grantType !== 'refresh_token')
        throw refuse('unsupported_grant_type', 'grant_type must be authorization_code or refresh_token');
      const client = await authenticate(authorization, form);
      return grantType === 'refresh_token'
        ? tokenEndpoint.refresh(client, form)
        : tokenEndpoint.exchangeCode(client, form);
    },

    /** RFC 7009. @throws OAuthError */
    async revoke(authorization: string | null, form: RequestParameters): Promise<void> {
      const client = await authenticate(authorization, form, 'any');
      const token = form.get('token');
      if (token === undefined) throw refuse('invalid_request', 'token is missing');
      await tokenEndpoint.revoke(client, token);
    },

    /** The claims of a valid access token of this server. Does not check that its grant is still active. */
    verify: tokens.verify,

    /** Ends every grant of the account. @returns how many were active */
    async revokeAllGrants(accountId: string): Promise<number> {
      const revoked = await stores.grants.revokeAll(accountId, clock.now(), 'signed_out_everywhere');
      onGrantEnded();
      return revoked;
    },

    /**
     * Replaces the signing key, as soon as the new one has been published long enough.
     * @param now sign with the new key at once @param revoke also reject the tokens that the old key signed
     */
    async rotateSigningKeys({ now = false, revoke = false } = {}): Promise<void> {
      if (!now && !revoke) return signingKeys.scheduleRotation();
      await signingKeys.rotateNow({ revoke });
      if (revoke) onGrantEnded();
    },

    /** Call it before anything else. @throws if a stored signing key cannot be decrypted */
    loadSigningKeys: signingKeys.maintain,

    /** Rotates signing keys that are due and deletes rows that are no longer needed. Called at intervals. */
    async maintain(): Promise<void> {
      await signingKeys.maintain();
      const now = clock.now();
      const olderThan = { clients: now - dayMs, documents: now - 7 * dayMs, grants: now - dayMs };
      // In batches, so that other writes can run in between.
      for (let batches = 0; batches < maxCleanupBatches; batches++)
        if (!(await stores.cleanup.deleteBatch(now, olderThan))) break;
    },
  };
}
