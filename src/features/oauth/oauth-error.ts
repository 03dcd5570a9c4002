/*
 * Errors of the OAuth endpoints: a closed list of the codes of RFC 6749, 7009, 7591 and 8707, each with its status. The
 * description is for the developer of the client, and never contains a value of the request.
 */

type OAuthErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'unsupported_grant_type'
  | 'invalid_scope'
  | 'invalid_target'
  | 'invalid_redirect_uri'
  | 'invalid_client_metadata'
  | 'invalid_token'
  | 'slow_down'
  | 'temporarily_unavailable';

const statuses: Partial<Record<OAuthErrorCode, number>> = {
  invalid_client: 401,
  invalid_token: 401,
  slow_down: 429,
  temporarily_unavailable: 503,
};

export class OAuthError extends Error {
  readonly code: OAuthErrorCode;
  readonly status: number;
  readonly headers: Record<string, string>;

  constructor(
    code: OAuthErrorCode,
    description: string,
    options: { status?: number; headers?: Record<string, string> } = {},
  ) {
    super(description);
    this.name = 'OAuthError';
    this.code = code;
    this.status = options.status ?? statuses[code] ?? 400;
    this.headers = options.headers ?? {};
  }
}

export const refuse = (code: OAuthErrorCode, description: string): OAuthError => new OAuthError(code, description);

/** Counts a request of this key. @returns 0 when it is allowed, else the seconds until the next one is */
export type RateLimit = (key: string) => number;

export const tooManyRequests = (what: string, waitSeconds: number): OAuthError =>
  new OAuthError('slow_down', `too many ${what}, try again later`, { headers: { 'retry-after': String(waitSeconds) } });
