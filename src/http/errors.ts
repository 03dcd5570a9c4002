/*
 * The one place where an error becomes an HTTP response, always `{ error }`. An error about input also has `problems`, with the path of each field, and some errors have
 * details in further fields. An error that is not an AppError is a defect or an incident: it is logged with its cause, and the response only says whether to try again.
 */
import { AppError, type ErrorCode } from '../core/errors.ts';
import { pathText } from '../core/field-problems.ts';
import { storageRefusal } from '../core/storage-refusal.ts';

const statuses: Record<ErrorCode, number> = {
  invalid: 400,
  unauthorized: 401,
  forbidden: 403,
  limit_reached: 403,
  not_found: 404,
  conflict: 409,
  gone: 410,
  precondition_failed: 412,
  too_large: 413,
  too_slow: 408,
  rate_limited: 429,
  unreachable: 502,
  unavailable: 503,
  overloaded: 503,
  damaged: 500,
  internal: 500,
};

export function errorBody(
  status: number,
  error: string,
  headers: Record<string, string> = {},
  further: object = {},
): Response {
  return Response.json({ error, ...further }, { status, headers: { 'cache-control': 'no-store', ...headers } });
}

/** The response for an AppError, with `Retry-After` when it has one. */
export function appErrorResponse(error: AppError, headers: Record<string, string> = {}): Response {
  const { code, message, details, problems, retryAfterSeconds } = error;
  const retry = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
  const shown = problems.map(problem => ({ ...problem, path: pathText(problem.path) }));
  return errorBody(
    statuses[code],
    message,
    { ...retry, ...headers },
    { ...details, ...(shown.length > 0 && { problems: shown }) },
  );
}

const incidents: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['unavailable', 'damaged', 'internal']);

/** The response to any error, and whether the error should be logged. */
export function failureResponse(error: unknown): { response: Response; isIncident: boolean } {
  const refusal = error instanceof AppError ? error : storageRefusal(error);
  if (!refusal) return { response: errorBody(500, 'internal error'), isIncident: true };
  return {
    response: appErrorResponse(refusal),
    isIncident: incidents.has(refusal.code),
  };
}
