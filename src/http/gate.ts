/*
 * Authenticates API requests. The order of checks is 401, then 429, then 403 for an operation that is closed to apps or to read-only
 * keys, and only then parsing and validation. Therefore `check` runs in Elysia's global `onRequest`, the only hook before the body is read.
 */

import { appForbiddenMessage, isAllowedToApps, readOnlyMessage } from '../core/access/permissions.ts';
import type { Principal } from '../core/access/principal.ts';
import { AppError, forbidden, rateLimited, unauthorized } from '../core/errors.ts';
import { appErrorResponse, errorBody } from './errors.ts';
import { requestContext } from './fetch-adapter.ts';
import type { RateLimiter } from './rate-limit.ts';
import type { RefusalThrottle } from './refusal-throttle.ts';
import type { Route, RouteMatch } from './route-table.ts';

/** @returns undefined without valid credentials; an AppError that it throws becomes the response */
export type Authenticate = (request: Request) => Promise<Principal | undefined>;

export type Gate = ReturnType<typeof createGate>;

/**
 * The statuses of `check` and of browser-guard.ts, besides the 401, 429 and 503 of http/schemas.ts. The interface description
 * lists them for every operation.
 */
export const gateRefusals = (method: string): number[] => (method === 'GET' ? [403, 421] : [403, 415, 421]);

export type GateOptions = {
  authenticate: Authenticate;
  limiter: RateLimiter;
  /** Counts requests with invalid credentials. */
  refusals: RefusalThrottle;
  /** Whether the request has credentials, valid or not. */
  presentsCredentials: (request: Request) => boolean;
  /** Requests per minute for this credential; for a session, for all of its account. */
  limitOf: (principal: Principal) => number;
  /** Refuses requests that a browser sends for another site (browser-guard.ts), before authentication. */
  refuse: (request: Request, path: string, isOpen: boolean) => Response | undefined;
  /** The `WWW-Authenticate` value for a 401, or for a 403 because of the token's scope. */
  challenge: (request: Request, problem?: 'insufficient_scope') => string;
  onError: (error: unknown, request: Request) => void;
};

/** Streams that a credential may open in a minute, so that it does not open and close them in a loop. */
const streamsPerMinute = 600;

type AdmitOptions = { withoutCredentials: boolean; isStream: boolean };

/** The key of the rate limit. All sessions of an account count together, because signing in again makes a new one. */
const bucketOf = ({ accountId, credential: { kind, id } }: Principal): string =>
  `${kind}:${kind === 'session' ? accountId : id}`;

export function createGate(options: GateOptions) {
  const { authenticate, limiter, refusals, presentsCredentials, limitOf, refuse, challenge, onError } = options;
  const principals = new WeakMap<Request, Principal>();

  /** 401, or 429 for a client that sent invalid credentials too often. */
  const refuseCredentials = (request: Request, waitSeconds: number): Response =>
    waitSeconds > 0
      ? appErrorResponse(
          new AppError('rate_limited', 'too many requests with invalid credentials, try again later', {
            retryAfterSeconds: waitSeconds,
          }),
        )
      : appErrorResponse(unauthorized(), { 'www-authenticate': challenge(request) });

  /** Checks the credentials again after the body has arrived, which can take minutes. @throws unauthorized */
  const checkAgain = async (request: Request, before: Principal, mayBeAnonymous: boolean): Promise<void> => {
    const now = await authenticate(request);
    const isSame = now?.accountId === before.accountId && now.credential.id === before.credential.id;
    if (!isSame && !mayBeAnonymous) throw unauthorized();
    if (isSame) principals.set(request, now);
    else principals.delete(request);
  };

  const identify = async (
    request: Request,
    { withoutCredentials, isStream }: AdmitOptions,
  ): Promise<Response | undefined> => {
    const principal = await authenticate(request);
    // This applies to open operations, too: a request with an authorization header skips the rules for browsers, so the header
    // must be valid.
    const isRefused = !principal && presentsCredentials(request);
    const refusedSeconds = isRefused ? refusals.count(requestContext(request).clientAddress) : 0;
    if (!principal && withoutCredentials && !request.headers.has('authorization')) return undefined;
    if (!principal) return refuseCredentials(request, refusedSeconds);
    const waitSeconds = isStream
      ? limiter.take(`stream ${bucketOf(principal)}`, streamsPerMinute)
      : limiter.take(bucketOf(principal), limitOf(principal));
    if (waitSeconds > 0) return appErrorResponse(rateLimited(waitSeconds));
    principals.set(request, principal);
    const mayBeAnonymous = withoutCredentials && !request.headers.has('authorization');
    requestContext(request).authenticatedAs(principal.accountId, () => checkAgain(request, principal, mayBeAnonymous));
    return undefined;
  };

  const admit = async (request: Request, admitOptions: AdmitOptions): Promise<Response | undefined> => {
    try {
      return await identify(request, admitOptions);
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

  /** 403 for an operation that these credentials may not use, and for a request without an operation. */
  const refuseOperation = (request: Request, operation: Route['operation']): Response | undefined => {
    const { app, isReadOnly } = principals.get(request) ?? {};
    if (app && !(operation && isAllowedToApps(operation.permission)))
      return appErrorResponse(forbidden(appForbiddenMessage));
    if (isReadOnly && !operation?.reads) return appErrorResponse(forbidden(readOnlyMessage));
    return undefined;
  };

  /** The principal of a request that passed. @throws unauthorized without one */
  const principal = (request: Request): Principal => {
    const found = principals.get(request);
    if (!found) throw unauthorized();
    return found;
  };

  return {
    /**
     * 401 and 429 for a path outside `/api/` that accepts bearer credentials but no cookie.
     * @param isStream it opens a stream, which does not count as a request: streams have a limit of their own
     */
    async admitBearer(request: Request, isStream = false): Promise<Response | undefined> {
      if (request.headers.has('authorization')) return admit(request, { withoutCredentials: false, isStream });
      return appErrorResponse(unauthorized(), { 'www-authenticate': challenge(request) });
    },
    async check(request: Request, match: RouteMatch | undefined): Promise<Response | undefined> {
      const path = new URL(request.url, 'http://internal').pathname;
      const operation = match?.route?.operation;
      const isOpen = operation?.isOpen ?? false;
      const refusal = refuse(request, path, isOpen);
      if (refusal) return refusal;
      if (!path.startsWith('/api/')) return undefined;
      return (
        (await admit(request, { withoutCredentials: isOpen, isStream: false })) ?? refuseOperation(request, operation)
      );
    },
    principal,
    /** The principal of a request to an open operation, which needs no credentials. */
    findPrincipal: (request: Request): Principal | undefined => principals.get(request),
    /** Authenticates the request again, for responses that last long. */
    recheck: authenticate,
  };
}
