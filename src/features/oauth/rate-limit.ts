/* How the endpoints that need no client authentication limit their callers. */
import { OAuthError } from './oauth-error.ts';

/** Counts a request of this key. @returns 0 when it is allowed, else the seconds until the next one is */
export type RateLimit = (key: string) => number;

export const tooManyRequests = (what: string, waitSeconds: number): OAuthError =>
  new OAuthError('slow_down', `too many ${what}, try again later`, { headers: { 'retry-after': String(waitSeconds) } });
