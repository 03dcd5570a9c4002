/* The authorization server, the verification of access tokens, and the list of connected apps. */
import { networkOf } from '../core/addresses.ts';
import { createAppsService } from '../features/apps/service.ts';
import { createAppsStore } from '../features/apps/store.ts';
import { unverified } from '../features/oauth/access-tokens.ts';
import { verifiedHost } from '../features/oauth/client-metadata.ts';
import { createExternalIssuers } from '../features/oauth/external-issuers.ts';
import { challengeFor } from '../features/oauth/metadata.ts';
import type { FetchJson } from '../features/oauth/remote-keys.ts';
import { hasScope } from '../features/oauth/scopes.ts';
import { createOAuthService, defaultPolicy, type OAuthPolicy } from '../features/oauth/service.ts';
import { createSigningKeysStore } from '../features/oauth/store.keys.ts';
import { createTokensStore } from '../features/oauth/store.tokens.ts';
import { createClientsStore } from '../features/oauth/store.ts';
import { presentsBearer } from '../http/authenticate.ts';
import { createRateLimiter } from '../http/rate-limit.ts';
import { createOutbound, type Outbound } from '../net/outbound.ts';
import type { AccountsWiring } from './accounts.ts';
import { createGrantIndex } from './credential-index.ts';
import type { Infrastructure } from './infrastructure.ts';

/** What tests replace. */
export type TestOverrides = {
  /** Fetches client metadata documents. */
  send?: Outbound['send'];
  /** Fetches the metadata and keys of trusted issuers. */
  fetchJson?: FetchJson;
  oauth?: Partial<OAuthPolicy>;
};

const usesEveryMs = 30_000;
const maintainEveryMs = 60_000;
const hourMs = 3_600_000;
const registrationsPerHour = 20;
const documentsPerMinute = 10;
const authorizationsPerMinute = 60;
const issuerTimeoutMs = 5000;

/** For URLs that the operator configured, so their addresses are not checked. Does not follow redirects. */
const fetchJson: FetchJson = async url => {
  const response = await fetch(url, {
    headers: { accept: 'application/json' },
    redirect: 'error',
    signal: AbortSignal.timeout(issuerTimeoutMs),
  });
  if (!response.ok) throw new Error(`${url} answered with status ${response.status}`);
  return response.json();
};

export type OAuthWiring = ReturnType<typeof createOAuthWiring>;

/** @param onAccessEnded called after a grant or an app's connection ended */
export function createOAuthWiring(
  infrastructure: Infrastructure,
  { account }: Pick<AccountsWiring, 'account'>,
  onAccessEnded: () => void,
) {
  const { config, log, clock, random, sealer, every, database, overrides } = infrastructure;
  const { client, db } = database;
  const { baseUrl, oauthIssuers } = config;
  const registrations = createRateLimiter(clock.monotonic, hourMs);
  const documents = createRateLimiter(clock.monotonic);
  const authorizations = createRateLimiter(clock.monotonic);
  // Anybody may send the URL of a document, so it must not point to this host or network, whatever replays may reach.
  const send = overrides.send ?? createOutbound({ allow: [], allowLoopback: false, clock }).send;

  const tokensStore = createTokensStore(db, client);
  const grantIndex = createGrantIndex(infrastructure, tokensStore.grantIds);
  const oauth = createOAuthService({
    stores: {
      clients: createClientsStore(db, client),
      tokens: tokensStore,
      keys: createSigningKeysStore(db, client),
    },
    sealer,
    clock,
    random,
    baseUrl,
    otherIssuers: oauthIssuers.map(({ issuer }) => issuer),
    send: config.oauthCimd ? send : undefined,
    takeRegistration: address => registrations.take(networkOf(address), registrationsPerHour),
    takeDocument: address => documents.take(networkOf(address), documentsPerMinute),
    takeAuthorization: address => authorizations.take(networkOf(address), authorizationsPerMinute),
    onGranted: grantIndex.add,
    policy: { ...defaultPolicy, ...overrides.oauth },
    onGrantEnded: onAccessEnded,
  });
  const external = createExternalIssuers({
    issuers: oauthIssuers,
    fetchJson: overrides.fetchJson ?? fetchJson,
    clock,
    onFailure: (issuer, cause) => log.warn('the keys of a trusted issuer could not be fetched', { issuer, cause }),
  });
  const apps = createAppsService({
    store: createAppsStore(db),
    clock,
    random,
    unverified,
    issuer: baseUrl,
    mayBeGranted: grantIndex.mayExist,
    verifyOwn: oauth.verify,
    hasScope,
    verifyExternal: external.verify,
    accounts: account,
    verifiedHost,
    onAccessEnded,
  });
  every(usesEveryMs, 'writing the last uses of apps', apps.flushUses);
  every(maintainEveryMs, 'maintaining the authorization server', oauth.maintain);

  /** The `WWW-Authenticate` header: where a client gets a token. */
  const challenge = (request: Request, problem?: 'insufficient_scope'): string =>
    challengeFor(
      baseUrl,
      new URL(request.url, baseUrl).pathname,
      problem ?? (presentsBearer(request) ? 'invalid_token' : undefined),
    );
  return {
    oauth,
    apps,
    challenge,
    readGrants: grantIndex.reload,
    /** Call it before the database closes. */
    flushAppUses: () => apps.flushUses().catch(cause => log.warn('writing the last uses of apps failed', { cause })),
  };
}
