/*
 * Every error that a client can get, as a closed list of codes; http/errors.ts has the table of their statuses. `message` is for
 * the client and never contains secrets, payloads or SQL; `cause` is for the log.
 */

export type ErrorCode =
  | 'invalid'
  | 'unauthorized'
  | 'forbidden'
  | 'limit_reached'
  | 'not_found'
  | 'conflict'
  /** The thing has changed since the version that the request names. */
  | 'precondition_failed'
  | 'too_large'
  /** The request did not arrive in time. */
  | 'too_slow'
  | 'rate_limited'
  | 'unreachable'
  | 'unavailable'
  /** More requests at once than there is capacity for. Not an incident: nothing needs to be repaired. */
  | 'overloaded'
  /** What was stored has changed on disk. */
  | 'damaged'
  | 'internal';

/** For programs: what the message says in words. */
export type ErrorDetails = Readonly<Record<string, string | number | null>>;

/** An error that is expected: its message says all there is to say, and a stack would not help. */
export class ExpectedError extends Error {}

export class AppError extends ExpectedError {
  readonly code: ErrorCode;
  /** After how many whole seconds to try again; becomes `Retry-After`. */
  readonly retryAfterSeconds: number | undefined;
  /** Further fields of the response, beside `error`. */
  readonly details: ErrorDetails | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    options: { cause?: unknown; retryAfterSeconds?: number; details?: ErrorDetails } = {},
  ) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.name = 'AppError';
    this.code = code;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.details = options.details;
  }
}

export const invalid = (message: string): AppError => new AppError('invalid', message);
export const unauthorized = (message = 'credentials are missing, invalid or revoked'): AppError =>
  new AppError('unauthorized', message);
export const forbidden = (message: string): AppError => new AppError('forbidden', message);
export const limitReached = (message: string): AppError => new AppError('limit_reached', message);
/** The same message for what does not exist and what belongs to another team: clients must not see the difference. */
export const notFound = (thing: string): AppError => new AppError('not_found', `${thing} not found`);
export const conflict = (message: string): AppError => new AppError('conflict', message);
export const preconditionFailed = (message: string): AppError => new AppError('precondition_failed', message);
export const tooLarge = (message: string): AppError => new AppError('too_large', message);
export const tooSlow = (message: string): AppError => new AppError('too_slow', message);
export const rateLimited = (retryAfterSeconds: number): AppError =>
  new AppError('rate_limited', 'rate limit exceeded', { retryAfterSeconds });
/** Of one account, under way at the same time. */
export const tooManyAtOnce = (max: number, things: string, retryAfterSeconds = 1): AppError =>
  new AppError('rate_limited', `at most ${max} ${things} at once`, { retryAfterSeconds });
export const unreachable = (message: string, cause?: unknown): AppError =>
  new AppError('unreachable', message, { cause });
export const unavailable = (message: string, retryAfterSeconds: number, cause?: unknown): AppError =>
  new AppError('unavailable', message, { cause, retryAfterSeconds });

/** An event was not read because other large events are being read or sent: it is tried again. */
export const isShortOfMemory = ({ code }: AppError): boolean => code === 'rate_limited' || code === 'overloaded';
