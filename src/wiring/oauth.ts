/* The authorization server, the verification of access tokens, and the list of connected apps. */

import type { AccountService } from '../features/accounts/service.ts';
import { createExternalSubjects } from '../features/apps/external-subjects.ts';
import { createAppsService } from '../features/apps/service.ts';
import { createAppsStore, createSubjectsStore } from '../features/apps/store.ts';
import type { AuditService } from '../features/audit/service.ts';
import type { KeysService } from '../features/keys/service.ts';
import { decodeUnverified } from '../features/oauth/access-tokens.ts';
import { verifiedHost } from '../features/oauth/client-metadata-document.ts';
import { challengeFor } from '../features/oauth/discovery.ts';
import { createExternalIssuers } from '../features/oauth/external-issuers.ts';
import type { FetchJson } from '../features/oauth/remote-jwks.ts';
import { hasWebhooksScope } from '../features/oauth/scopes.ts';
import { createOAuthService, defaultPolicy } from '../features/oauth/service.ts';
import { createOAuthStores } from '../features/oauth/store.ts';
import { presentsBearer } from '../http/authenticate.ts';
import { createRateLimiter } from '../http/rate-limit.ts';
import { createOutbound } from '../net/outbound.ts';
import { networkOf } from '../shared/addresses.ts';
import { createGrantIndex } from './credential-index.ts';
import type { Infrastructure } from './infrastructure.ts';

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

type OAuthDependencies = {
  infrastructure: Infrastructure;
  account: AccountService;
  keys: KeysService;
  audit: AuditService;
  /** Called after a grant or an app's connection ended. */
  onAccessEnded: () => void;
};

export function wireOAuth({ infrastructure, account, keys, audit, onAccessEnded }: OAuthDependencies) {
  const { config, log, clock, random, sealer, every, direct, overrides } = infrastructure;
  const { db } = direct;
  const { baseUrl, oauthIssuers } = config;
  const registrations = createRateLimiter(clock.monotonic, hourMs);
  const documents = createRateLimiter(clock.monotonic);
  const authorizations = createRateLimiter(clock.monotonic);
  // Any caller may send the URL of a document, so it must not point to this host or network, even if replays may reach it.
  const send = overrides.send ?? createOutbound({ allow: [], allowLoopback: false, clock }).send;

  const stores = createOAuthStores(db);
  const grantIndex = createGrantIndex(infrastructure, stores.grants.ids);
  const oauth = createOAuthService({
    stores,
    sealer,
    clock,
    random,
    baseUrl,
    otherIssuers: oauthIssuers.map(({ issuer }) => issuer),
    send: config.oauthCimd ? send : undefined,
    limitRegistrations: address => registrations.take(networkOf(address), registrationsPerHour),
    limitDocumentFetches: key => documents.take(networkOf(key), documentsPerMinute),
    limitAuthorizationRequests: address => authorizations.take(networkOf(address), authorizationsPerMinute),
    apiKeys: {
      create: async (accountId, name) => {
        const key = await keys.create(accountId, name);
        await audit.recordOfAccount(accountId, 'key.created', { type: 'key', id: key.id });
        return key;
      },
      count: async accountId => (await keys.list(accountId)).length,
    },
    onGrantCreated: async grantId => {
      grantIndex.add(grantId);
      await audit.recordOfGrant(grantId, 'app.connected', 'dashboard');
    },
    onGrantRevoked: grantId => audit.recordOfGrant(grantId, 'app.disconnected', 'api'),
    policy: { ...defaultPolicy, ...overrides.oauth },
    onGrantEnded: onAccessEnded,
  });
  const external = createExternalIssuers({
    issuers: oauthIssuers,
    fetchJson: overrides.fetchJson ?? fetchJson,
    clock,
    onFailure: (issuer, cause) => log.warn('the keys of a trusted issuer could not be fetched', { issuer, cause }),
  });
  const subjects = createSubjectsStore(db);
  const externalSubjects = createExternalSubjects({ store: subjects, accounts: account, clock, random });
  const apps = createAppsService({
    store: createAppsStore(db),
    subjects,
    clock,
    tokens: {
      issuer: baseUrl,
      decodeUnverified,
      mayGrantExist: grantIndex.mayExist,
      verifyAccessToken: oauth.verify,
      hasRequiredScope: hasWebhooksScope,
      verifyExternalToken: external.verify,
      authenticateExternal: externalSubjects.authenticate,
    },
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
