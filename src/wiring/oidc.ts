/* Sign-in with an OpenID Connect provider, if one is configured. */
import { createPendingCookie } from '../features/oidc/pending.ts';
import { createOidcProvider, type ProviderFetch } from '../features/oidc/provider.ts';
import { createOidcService } from '../features/oidc/service.ts';
import { createRateLimiter } from '../http/rate-limit.ts';
import { networkOf } from '../shared/addresses.ts';
import type { CoreServices } from './core.ts';

/** The limit of a network: beginning and finishing a sign-in count as one each. */
const visitsPerMinute = 60;
/** Less than 10 s, with the answer of this server. */
const timeoutMs = 9500;

/** The operator has configured the issuer, so its address is not checked. */
const fetchProvider: ProviderFetch = (url, init) => fetch(url, init);

export function wireOidc(core: CoreServices) {
  const { config, log, clock, sealer, overrides, oidcStore, findOrCreateAccount, sessions, audit, metrics } = core;
  const { baseUrl, oidc } = config;
  if (!oidc) return { oidc: undefined };
  const { issuer, name } = oidc;
  const visits = createRateLimiter(clock.monotonic);
  const pending = createPendingCookie({ baseUrl, issuer, sealer, clock });
  const provider = createOidcProvider({
    config: oidc,
    redirectUri: `${baseUrl}/login/oidc/callback`,
    signedOutUri: `${baseUrl}/login`,
    fetch: overrides.oidc?.fetch ?? fetchProvider,
    clock,
    timeoutMs: overrides.oidc?.timeoutMs ?? timeoutMs,
    onFailure: cause => log.warn('a request to the OpenID Connect provider failed', { issuer, ...reasonOf(cause) }),
  });
  const service = createOidcService({
    config: oidc,
    provider,
    pending,
    store: oidcStore,
    findOrCreateAccount,
    startSession: sessions.start,
    sealer,
    clock,
    record: audit.recordOfAccount,
    onSignIn: metrics.signIn,
    onRefused: (reason, subject) =>
      log.info('a sign-in with the OpenID Connect provider was refused', { issuer, reason, subject }),
  });
  const limit = (address: string): number => visits.take(networkOf(address), visitsPerMinute);
  return { oidc: { name, service, pending, limit } };
}

/** What the operator needs to know. The error itself may contain tokens, claims and text of the provider. */
function reasonOf(cause: unknown): { reason: string; code?: string } {
  const { message, code, error, cause: inner } = Object(cause) as Record<string, unknown>;
  const words = [message, Object(inner)['message'], error].filter(word => typeof word === 'string' && word !== '');
  return { reason: [...new Set(words)].join(': '), ...(typeof code === 'string' && { code }) };
}
