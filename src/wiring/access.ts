/* Who may do what: credentials, their rate limits, and the rules for browsers. */
import { networkInterfaces } from 'node:os';
import type { Actor } from '../features/audit/service.ts';
import { createAuthenticator } from '../http/authenticate.ts';
import { createBrowserGuard } from '../http/browser-guard.ts';
import { createSessionCookie } from '../http/cookie.ts';
import { createGate } from '../http/gate.ts';
import { createRateLimiter } from '../http/rate-limit.ts';
import { createRefusalThrottle } from '../http/refusal-throttle.ts';
import type { AccountsWiring } from './accounts.ts';
import type { Infrastructure } from './infrastructure.ts';
import type { OAuthWiring } from './oauth.ts';

/** The dashboard sends several requests for each page, so a session gets this many times the limit of a key. */
const sessionRateFactor = 10;

export type AccessWiring = ReturnType<typeof createAccessWiring>;

export function createAccessWiring(
  { config, clock, onRequestError }: Infrastructure,
  { keys, sessions }: AccountsWiring,
  { apps, challenge }: OAuthWiring,
) {
  const { baseUrl, rateLimitPerMinute } = config;
  const cookie = createSessionCookie(baseUrl);
  const browserGuard = createBrowserGuard({
    baseUrl,
    cookie,
    ownAddresses: () => Object.values(networkInterfaces()).flatMap(found => found?.map(one => one.address) ?? []),
  });
  const gate = createGate({
    authenticate: createAuthenticator({
      keyHolder: keys.authenticate,
      appHolder: apps.authenticate,
      cookie,
      sessionHolder: sessions.authenticate,
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
    async sessionOf(request: Request) {
      const token = cookie.read(request);
      return token === undefined ? undefined : sessions.authenticate(token);
    },
  };
}
