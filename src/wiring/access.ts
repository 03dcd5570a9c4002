/* Who may do what: credentials, their rate limits, and the rules for browsers. */
import { networkInterfaces } from 'node:os';
import { createAuthenticator } from '../http/authenticate.ts';
import { createBrowserGuard } from '../http/browser-guard.ts';
import { createSessionCookie } from '../http/cookie.ts';
import { createGate } from '../http/gate.ts';
import { isOpenOperation } from '../http/open-operations.ts';
import { createRateLimiter } from '../http/rate-limit.ts';
import { createRefusalThrottle } from '../http/refusal-throttle.ts';
import type { Accounts } from './accounts.ts';
import type { Infrastructure } from './infrastructure.ts';
import type { ConnectedApps } from './oauth.ts';

/** A person's dashboard asks more often than a program: a page is a handful of requests. */
const sessionRate = 10;

export function createAccess(
  { config, clock, onRequestError }: Infrastructure,
  { keys, sessions }: Accounts,
  { apps, challenge }: ConnectedApps,
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
      credential.kind === 'session' ? sessionRate * rateLimitPerMinute : rateLimitPerMinute,
    refuse: browserGuard.refuse,
    isOpen: isOpenOperation,
    challenge,
    onError: onRequestError,
  });
  return {
    cookie,
    browserGuard,
    gate,
    /** Who is signed in, in the browser that sent this. */
    async sessionOf(request: Request) {
      const token = cookie.read(request);
      return token === undefined ? undefined : sessions.authenticate(token);
    },
  };
}
