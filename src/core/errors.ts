/*
 * Every refusal that a caller can meet, as a closed list of codes. The edge (http/errors.ts) has the one table from code to
 * status. `message` is for the caller and never holds secrets, payloads or SQL; `cause` is for the log.
 */

export type ErrorCode =
  | 'invalid'
  | 'unauthorized'
  | 'forbidden'
  | 'limit_reached'
  | 'not_found'
  | 'conflict'
  | 'too_large'
  /** It did not arrive in its time. */
  | 'too_slow'
  | 'rate_limited'
  | 'unreachable'
  | 'unavailable'
  /** More at once than there is room for: no incident, and nothing to mend. */
  | 'overloaded'
  /** The disk has altered what was stored. */
  | 'damaged'
  | 'internal';

export class AppError extends Error {
  readonly code: ErrorCode;
  /** Whole seconds after which trying again makes sense; becomes `Retry-After`. */
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, message: string, options: { cause?: unknown; retryAfterSeconds?: number } = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.name = 'AppError';
    this.code = code;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

export const invalid = (message: string): AppError => new AppError('invalid', message);
export const unauthorized = (message = 'credentials are missing, invalid or revoked'): AppError =>
  new AppError('unauthorized', message);
export const forbidden = (message: string): AppError => new AppError('forbidden', message);
export const limitReached = (message: string): AppError => new AppError('limit_reached', message);
/** One text for "does not exist" and "is not yours": the two must not be told apart. */
export const notFound = (thing: string): AppError => new AppError('not_found', `${thing} not found`);
export const conflict = (message: string): AppError => new AppError('conflict', message);
export const tooLarge = (message: string): AppError => new AppError('too_large', message);
export const tooSlow = (message: string): AppError => new AppError('too_slow', message);
export const rateLimited = (retryAfterSeconds: number): AppError =>
  new AppError('rate_limited', 'rate limit exceeded', { retryAfterSeconds });
export const unreachable = (message: string, cause?: unknown): AppError =>
  new AppError('unreachable', message, { cause });
export const unavailable = (message: string, retryAfterSeconds: number, cause?: unknown): AppError =>
  new AppError('unavailable', message, { cause, retryAfterSeconds });
