/* Every error that a client can get. `message` never contains secrets, payloads or SQL; `cause` is for the log. */

import { type FieldPath, type FieldProblem, pathText, problemText } from './field-problems.ts';

export type ErrorCode =
  | 'invalid'
  | 'unauthorized'
  | 'forbidden'
  | 'limit_reached'
  | 'not_found'
  | 'conflict'
  /** It was there, and is not kept. */
  | 'gone'
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
  /** Of `invalid`: at least one problem with the input; for other codes none. */
  readonly problems: readonly FieldProblem[];

  constructor(
    code: ErrorCode,
    message: string,
    options: {
      cause?: unknown;
      retryAfterSeconds?: number;
      details?: ErrorDetails;
      problems?: readonly FieldProblem[];
    } = {},
  ) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.name = 'AppError';
    this.code = code;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.details = options.details;
    this.problems = options.problems ?? (code === 'invalid' ? [{ path: [], message }] : []);
  }
}

/** A problem with the input as a whole. */
export const invalid = (message: string): AppError => new AppError('invalid', message);
/** @param message without the name of the field @param error the whole message, where it is not path and message */
export const invalidAt = (path: FieldPath, message: string, error = problemText({ path, message })): AppError =>
  new AppError('invalid', error, { problems: [{ path, message }] });
/** @param problems at least one; the message is about the first */
export const invalidFields = (problems: readonly FieldProblem[]): AppError =>
  new AppError('invalid', problems.map(problemText)[0] ?? '', { problems });
export const unauthorized = (message = 'credentials are missing, invalid or revoked'): AppError =>
  new AppError('unauthorized', message);
export const forbidden = (message: string): AppError => new AppError('forbidden', message);
export const limitReached = (message: string): AppError => new AppError('limit_reached', message);
/** Clients get one message for missing things and for another team's things, so that they cannot tell them apart. */
export const notFound = (thing: string): AppError => new AppError('not_found', `${thing} not found`);
export const conflict = (message: string): AppError => new AppError('conflict', message);
export const gone = (message: string): AppError => new AppError('gone', message);
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

/** @param problems at least one; the message is about the first @param place of the input in the request */
export function invalidInput(place: 'body' | 'query', problems: readonly FieldProblem[]): AppError {
  const [first = { path: [], message: '' }] = problems;
  const field = pathText(first.path);
  const message = field === '' ? `invalid ${place}` : `invalid ${place}: ${field}: ${first.message}`;
  return new AppError('invalid', message, { problems });
}

/** For a field that only some requests may leave out. */
export const missingField = (name: string): AppError => invalidInput('body', [{ path: [name], message: 'required' }]);

/** Makes the problems of an `invalid` error problems of a field: their paths begin with `path`. Other errors stay as they are. */
export function within(path: FieldPath, error: unknown): unknown {
  if (!(error instanceof AppError) || error.code !== 'invalid') return error;
  const problems = error.problems.map(problem => ({ ...problem, path: [...path, ...problem.path] }));
  const [first = { path, message: error.message }] = problems;
  const { cause, details } = error;
  return new AppError('invalid', problemText(first), { cause, problems, ...(details && { details }) });
}

/** Runs a reader of one field; what it refuses is a problem with that field. */
export function inField<T>(path: FieldPath, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw within(path, error);
  }
}
