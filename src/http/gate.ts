/*
 * In front of every API operation: 401, then 429, then 403 for what is not an app's to do, and only then parsing and
 * validation (interface "Order of checks").
 * Runs in Elysia's global `onRequest`, the only hook that comes before the body is read.
 */
import { appForbiddenMessage, isAllowedToApps } from '../core/app-permissions.ts';
import { AppError, forbidden, rateLimited, unauthorized } from '../core/errors.ts';
import { appErrorResponse, errorBody } from './errors.ts';
import { requestContext } from './fetch-adapter.ts';
import type { RateLimiter } from './rate-limit.ts';
import type { RefusalThrottle } from './refusal-throttle.ts';

/** Who is asking. Read from the database for each request, so that revocation and plan changes apply at once. */
export type Principal = {
  accountId: string;
  email: string;
  role: 'owner' | 'member';
  teamId: string;
  plan: 'free' | 'pro';
  /** How the request was authenticated. */
  credential: { kind: 'key' | 'app' | 'session'; id: string };
  /** The connected app that asks, by a token or by a key that it made; undefined for a person and a person's key. */
  app: ActingApp | undefined;
};

/** `grantId` is null for an app of a foreign issuer. */
export type ActingApp = { id: string; grantId: string | null };

/** undefined: no credentials, or none that hold. An AppError thrown here is answered as it is. */
export type Authenticate = (request: Request) => Promise<Principal | undefined>;

export type Gate = {
  check: (context: { request: Request }) => Promise<Response | undefined>;
  /** 401 and 429 for an address outside `/api/` where only a bearer credential counts, never a cookie. */
  admitBearer: (request: Request) => Promise<Response | undefined>;
  /** The principal of a request that passed. @throws unauthorized when it did not come through the gate */
  principal: (request: Request) => Principal;
  /** The same for what only a person may do, of an operation that is open to apps. @throws forbidden for an app, unauthorized */
  person: (request: Request) => Principal;
  /** The same for open operations, which pass without one. */
  visitor: (request: Request) => Principal | undefined;
  /** Who the credentials of a request stand for now: for answers that outlive the first look. */
  recheck: Authenticate;
};

/**
 * What any operation may be refused with before it is reached, besides the 401, 429 and 503 that its own answers name: the
 * statuses of `check` below and of browser-guard.ts. The interface description says them of every operation.
 */
export const gateRefusals = (method: string): number[] => (method === 'GET' ? [403, 421] : [403, 415, 421]);

export type GateOptions = {
  authenticate: Authenticate;
  limiter: RateLimiter;
  /** Counts requests whose credentials do not hold. */
  refusals: RefusalThrottle;
  /** Whether the request brings credentials of a kind that `authenticate` looks at. */
  presentsCredentials: (request: Request) => boolean;
  /** Requests per minute for this credential; for a session, for all of its account. */
  limitOf: (principal: Principal) => number;
  /** What must not even be looked at, whoever asks (browser-guard.ts). */
  refuse: (request: Request, path: string, isOpen: boolean) => Response | undefined;
  /** Operations that need no credentials (sign-in and first run). */
  isOpen: (method: string, path: string) => boolean;
  /** The `WWW-Authenticate` value for a 401, or for a 403 because of the token's scope. */
  challenge: (request: Request, problem?: 'insufficient_scope') => string;
  onError: (error: unknown, request: Request) => void;
};

/** What the rate limit counts by. Anybody can sign in as often as they like: all sessions of an account count as one. */
const bucketOf = ({ accountId, credential: { kind, id } }: Principal): string =>
  `${kind}:${kind === 'session' ? accountId : id}`;

export function createGate(options: GateOptions): Gate {
  const { authenticate, limiter, refusals, presentsCredentials, limitOf, refuse, isOpen, challenge, onError } = options;
  const principals = new WeakMap<Request, Principal>();

  /** 401; or 429 for a client that was refused too often already. Without credentials there was nothing to check. */
  const refuseCredentials = (request: Request, waitSeconds: number): Response =>
    waitSeconds > 0
      ? appErrorResponse(
          new AppError('rate_limited', 'too many requests with invalid credentials, try again later', {
            retryAfterSeconds: waitSeconds,
          }),
        )
      : appErrorResponse(unauthorized(), { 'www-authenticate': challenge(request) });

  /** Credentials may end while the body is on its way, which can take minutes. @throws unauthorized */
  const checkAgain = async (request: Request, before: Principal, mayBeNobody: boolean): Promise<void> => {
    const now = await authenticate(request);
    const isSame = now?.accountId === before.accountId && now.credential.id === before.credential.id;
    if (!isSame && !mayBeNobody) throw unauthorized();
    if (isSame) principals.set(request, now);
    else principals.delete(request);
  };

  const identify = async (request: Request, withoutCredentials: boolean): Promise<Response | undefined> => {
    const principal = await authenticate(request);
    // Credentials that do not hold are refused here too: what has a bearer header was spared the rules for browsers.
    const isRefused = !principal && presentsCredentials(request);
    const refusedSeconds = isRefused ? refusals.count(requestContext(request).clientAddress) : 0;
    if (!principal && withoutCredentials && !request.headers.has('authorization')) return undefined;
    if (!principal) return refuseCredentials(request, refusedSeconds);
    const waitSeconds = limiter.take(bucketOf(principal), limitOf(principal));
    if (waitSeconds > 0) return appErrorResponse(rateLimited(waitSeconds));
    principals.set(request, principal);
    const mayBeNobody = withoutCredentials && !request.headers.has('authorization');
    requestContext(request).authenticatedAs(principal.accountId, () => checkAgain(request, principal, mayBeNobody));
    return undefined;
  };

  const admit = async (request: Request, withoutCredentials: boolean): Promise<Response | undefined> => {
    try {
      return await identify(request, withoutCredentials);
    } catch (error) {
      if (error instanceof AppError)
        return appErrorResponse(
          error,
          error.code === 'forbidden' ? { 'www-authenticate': challenge(request, 'insufficient_scope') } : {},
        );
      onError(error, request);
      return errorBody(503, 'credentials could not be checked, try again', { 'retry-after': '1' });
    }
  };

  const refuseApp = (request: Request, path: string): Response | undefined =>
    principals.get(request)?.app && !isAllowedToApps(request.method, path)
      ? appErrorResponse(forbidden(appForbiddenMessage))
      : undefined;

  const principal = (request: Request): Principal => {
    const found = principals.get(request);
    if (!found) throw unauthorized();
    return found;
  };

  return {
    async admitBearer(request) {
      if (request.headers.has('authorization')) return admit(request, false);
      return appErrorResponse(unauthorized(), { 'www-authenticate': challenge(request) });
    },
    async check({ request }) {
      const path = new URL(request.url, 'http://internal').pathname;
      const open = isOpen(request.method, path);
      const refusal = refuse(request, path, open);
      if (refusal) return refusal;
      if (!path.startsWith('/api/')) return undefined;
      return (await admit(request, open)) ?? refuseApp(request, path);
    },
    principal,
    person(request) {
      const found = principal(request);
      if (found.app) throw forbidden(appForbiddenMessage);
      return found;
    },
    visitor: request => principals.get(request),
    recheck: authenticate,
  };
}
