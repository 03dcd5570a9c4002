/*
 * The authorization server, put together: an own small one by OAuth 2.1, whose rules each have a room of their own. What
 * runs at each endpoint is here; how it is spoken over HTTP is in routes.ts.
 */
import type { Clock } from '../../core/clock.ts';
import type { RandomBytes } from '../../core/ids.ts';
import type { Sealer } from '../../core/seal.ts';
import type { Outbound } from '../../net/outbound.ts';
import { accessTokenMs, createAccessTokens } from './access-tokens.ts';
import { createAuthorization } from './authorization-endpoint.ts';
import { type AcceptedMethods, authenticateClient } from './client-auth.ts';
import { createMetadataFetcher } from './client-metadata-document.ts';
import { createClients, type RateLimit, type RegistrationPolicy } from './clients.ts';
import type { ClientsStore } from './clients-store.ts';
import { resourceMetadata, serverMetadata } from './discovery.ts';
import type { TokensStore } from './grants-store.ts';
import { refuse } from './oauth-error.ts';
import type { RequestParameters } from './request-parameters.ts';
import { createResources } from './scopes.ts';
import { createSigningKeys } from './signing-keys.ts';
import type { SigningKeysStore } from './signing-keys-store.ts';
import { createTokenEndpoint, type TokenAnswer } from './token-endpoint.ts';

export type OAuthPolicy = {
  /** How long a rotated refresh token still works: several processes may share one store of tokens. */
  refreshGraceMs: number;
  registration: RegistrationPolicy;
  /** Redirects to schemes of native apps (`com.example.app:/`). */
  allowPrivateUse: boolean;
};

export const defaultPolicy: OAuthPolicy = {
  refreshGraceMs: 120_000,
  registration: { mode: 'on' },
  allowPrivateUse: false,
};

export type OAuthService = ReturnType<typeof createOAuthService>;

const dayMs = 24 * 3_600_000;
/** Of one run; what is left waits for the next. */
const maxSweepSlices = 100;

export function createOAuthService(options: {
  stores: { clients: ClientsStore; tokens: TokensStore; keys: SigningKeysStore };
  sealer: Sealer;
  clock: Clock;
  random: RandomBytes;
  baseUrl: string;
  /** Issuers besides this one whose tokens are taken, for the resource metadata. */
  otherIssuers: readonly string[];
  /** The guarded way out for client documents; undefined where they are not fetched. */
  send: Outbound['send'] | undefined;
  limitRegistrations: RateLimit;
  limitDocumentFetches: RateLimit;
  limitAuthorizationRequests: RateLimit;
  /** Called with the id of each new grant, before its tokens are given out. */
  onGrantCreated: (grantId: string) => void;
  policy: OAuthPolicy;
  /** Called after grants may have ended. */
  onGrantEnded: () => void;
}) {
  const {
    stores,
    sealer,
    clock,
    random,
    baseUrl,
    otherIssuers,
    send,
    limitRegistrations,
    limitDocumentFetches,
    limitAuthorizationRequests,
    onGrantCreated,
    policy,
    onGrantEnded,
  } = options;
  const resources = createResources(baseUrl);
  const keys = createSigningKeys({ store: stores.keys, sealer, clock, tokenMs: accessTokenMs });
  const tokens = createAccessTokens({ keys, issuer: baseUrl, audiences: resources.all, clock, random });
  const clients = createClients({
    store: stores.clients,
    clock,
    random,
    fetchDocument: send && createMetadataFetcher(send),
    registration: policy.registration,
    takeRegistration: limitRegistrations,
    takeDocument: limitDocumentFetches,
  });
  const authorization = createAuthorization({
    clients,
    store: stores.tokens,
    resources,
    issuer: baseUrl,
    takeAuthorization: limitAuthorizationRequests,
    allowPrivateUse: policy.allowPrivateUse,
    clock,
    random,
  });
  const endpoint = createTokenEndpoint({
    store: stores.tokens,
    tokens,
    resources,
    clock,
    random,
    refreshGraceMs: policy.refreshGraceMs,
    onGrantEnded,
    onGranted: onGrantCreated,
  });
  const metadata = serverMetadata({
    baseUrl,
    resources: resources.all,
    canRegister: clients.isOpen,
    supportsDocuments: clients.supportsDocuments,
  });
  const issuers = [baseUrl, ...otherIssuers];
  const authenticate = (authorization: string | null, form: RequestParameters, accepted?: AcceptedMethods) =>
    authenticateClient(authorization, form, clients.presenting, accepted);

  return {
    metadata,
    /** By the suffix of its well-known address: ``, `/api`, `/mcp`. */
    resourceMetadata: (suffix: '' | '/api' | '/mcp') => resourceMetadata(`${baseUrl}${suffix}`, issuers),
    publicKeys: keys.published,
    canRegister: clients.isOpen,
    register: clients.register,
    authorize: authorization.start,
    decide: authorization.decide,

    /** @param authorization the header @throws OAuthError */
    async token(authorization: string | null, form: RequestParameters): Promise<TokenAnswer> {
      const grantType = form.get('grant_type');
      if (grantType === undefined) throw refuse('invalid_request', 'grant_type is missing');
      if (grantType !== 'authorization_code' && grantType !== 'refresh_token')
        throw refuse('unsupported_grant_type', 'grant_type must be authorization_code or refresh_token');
      const client = await authenticate(authorization, form);
      return grantType === 'refresh_token' ? endpoint.refresh(client, form) : endpoint.redeemCode(client, form);
    },

    /** RFC 7009. @throws OAuthError */
    async revoke(authorization: string | null, form: RequestParameters): Promise<void> {
      const client = await authenticate(authorization, form, 'any');
      const token = form.get('token');
      if (token === undefined) throw refuse('invalid_request', 'token is missing');
      await endpoint.revoke(client, token);
    },

    /** What an access token of this server claims; its grant is not looked at. */
    verify: tokens.verify,

    /** Ends every grant of the account, for "sign out everywhere" and a reset password. @returns how many */
    async revokeAllGrants(accountId: string): Promise<number> {
      const revoked = await stores.tokens.revokeGrantsOf(accountId, clock.now(), 'signed_out_everywhere');
      onGrantEnded();
      return revoked;
    },

    /** A new signing key, at once or when it has been published long enough. `revoke`: the old one is worth nothing now. */
    rotateSigningKeys: ({ now = false, revoke = false } = {}): Promise<void> =>
      now || revoke ? keys.rotateNow({ revoke }) : keys.rotateSoon(),

    /** Before anything is asked of it. @throws when a stored signing key cannot be opened */
    loadSigningKeys: keys.tick,

    /** Keys that are due and rows that nobody needs any more. Called now and then. */
    async maintain(): Promise<void> {
      await keys.tick();
      const now = clock.now();
      const olderThan = { clients: now - dayMs, documents: now - 7 * dayMs, grants: now - dayMs };
      // Slice by slice: other writes come between.
      for (let slices = 0; slices < maxSweepSlices; slices++) if (!(await stores.clients.sweep(now, olderThan))) break;
    },
  };
}
