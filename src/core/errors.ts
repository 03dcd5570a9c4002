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
  /** The resource has changed since the version that the request names. */
  | 'precondition_failed'
  | 'too_large'
  /** The request did not arrive in time. */
  | 'too_slow'
  | 'rate_limited'
  | 'unreachable'
  | 'unavailable'
  /** More requests at once than there is capacity for. Not an incident: nothing needs to be repaired. */
  | 'overloaded'
  /** Stored data has changed on disk. */
  | 'damaged'
  | 'internal';

/** The facts of the message as fields, for programs. */
export type ErrorDetails = Readonly<Record<string, string | number | null>>;

/** An error that is expected: its message is complete, and a stack would not help. */
export class ExpectedError extends Error {}

export class AppError extends ExpectedError {
  readonly code: ErrorCode;
  /** When to try again, in whole seconds; it becomes `Retry-After`. */
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
/** Clients get one message for missing things and for another team's things, so that they cannot tell them apart. */
export const notFound = (thing: string): AppError => new AppError('not_found', `${thing} not found`);
export const conflict = (message: string): AppError => new AppError('conflict', message);
export const preconditionFailed = (message: string): AppError => new AppError('precondition_failed', message);
export const tooLarge = (message: string): AppError => new AppError('too_large', message);
export const tooSlow = (message: string): AppError => new AppError('too_slow', message);
export const rateLimited = (retryAfterSeconds: number): AppError =>
  new AppError('rate_limited', 'rate limit exceeded', { retryAfterSeconds });
/** For limits on the concurrent operations of one account. */
export const tooManyAtOnce = (max: number, things: string, retryAfterSeconds = 1): AppError =>
  new AppError('rate_limited', `at most ${max} ${things} at once`, { retryAfterSeconds });
export const unreachable = (message: string, cause?: unknown): AppError =>
  new AppError('unreachable', message, { cause });
export const unavailable = (message: string, retryAfterSeconds: number, cause?: unknown): AppError =>
  new AppError('unavailable', message, { cause, retryAfterSeconds });

/** Whether an event was not read because other large events are being read or sent, so that a retry makes sense. */
export const isShortOfMemory = ({ code }: AppError): boolean => code === 'rate_limited' || code === 'overloaded';
