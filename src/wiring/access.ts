/* Who may do what: credentials, their rate limits, and the rules for browsers. */
import { networkInterfaces } from 'node:os';
import type { Actor } from '../features/audit/service.ts';
import { createAuthenticator } from '../http/authenticate.ts';
import { createBrowserGuard } from '../http/browser-guard.ts';
import { clientInfo } from '../http/client-info.ts';
import { createSessionCookie } from '../http/cookie.ts';
import { createGate } from '../http/gate.ts';
import { createRateLimiter } from '../http/rate-limit.ts';
import { createRefusalThrottle } from '../http/refusal-throttle.ts';
import { createSessionOf } from '../http/session-of.ts';
import { createTrustedHeader } from '../http/trusted-header.ts';
import type { wireAccounts } from './accounts.ts';
import type { Infrastructure } from './infrastructure.ts';
import type { wireOAuth } from './oauth.ts';
import type { wireProvenAddresses } from './sign-in.ts';

type AccessDependencies = ReturnType<typeof wireAccounts> &
  ReturnType<typeof wireOAuth> &
  ReturnType<typeof wireProvenAddresses> & { infrastructure: Infrastructure };

/** The dashboard sends several requests for each page, so a session gets this many times the limit of a key. */
const sessionRateFactor = 10;

export function wireAccess({
  infrastructure: { config, clock, log, onRequestError },
  keys,
  sessions,
  apps,
  headerSignIn,
  challenge,
}: AccessDependencies) {
  const { baseUrl, rateLimitPerMinute, authHeader } = config;
  const cookie = createSessionCookie(baseUrl);
  const header = createTrustedHeader(authHeader, () =>
    log.warn('a trusted proxy sent HOOKTAPE_AUTH_HEADER without exactly one email address; such headers are ignored', {
      header: authHeader?.name,
    }),
  );
  const sessionOf = createSessionOf({
    cookie,
    header,
    authenticate: sessions.authenticate,
    end: sessions.signOut,
    now: clock.now,
  });
  const browserGuard = createBrowserGuard({
    baseUrl,
    cookie,
    ownAddresses: () => Object.values(networkInterfaces()).flatMap(found => found?.map(one => one.address) ?? []),
  });
  const gate = createGate({
    authenticate: createAuthenticator({
      keyHolder: keys.authenticate,
      appHolder: apps.authenticate,
      sessionOf,
    }),
    limiter: createRateLimiter(clock.monotonic),
    refusals: createRefusalThrottle(clock.monotonic),
    presentsCredentials: request => request.headers.has('authorization') || cookie.read(request) !== undefined,
    limitOf: ({ credential }) =>
      credential.kind === 'session' ? sessionRateFactor * rateLimitPerMinute : rateLimitPerMinute,
    refuse: browserGuard.refuse,
    challenge,
    onError: onRequestError,
  });
  return {
    cookie,
    browserGuard,
    gate,
    /** Who made an answered request: for sign-in and sign-up the person whom the answer signs in. */
    async actorOf(request: Request, answer: Response): Promise<Actor | undefined> {
      const principal = gate.findPrincipal(request);
      const token = principal ? undefined : cookie.readAnswer(answer);
      const session = token === undefined ? undefined : await sessions.authenticate(token);
      return principal ?? (session && { ...session, credential: { kind: 'session', id: session.sessionId } });
    },
    /** The session of the browser that sent the request. */
    sessionOf,
    /** Starts a session for the person whom the trusted header names, unless the browser has one. @returns its token */
    async signInByHeader(request: Request): Promise<string | undefined> {
      const email = header.emailOf(request);
      if (email === undefined || (await sessionOf(request))) return undefined;
      return headerSignIn.signIn(email, clientInfo(request, undefined));
    },
  };
}
