/*
 * The one place where an error becomes an HTTP response, always `{ error }`, with further fields when the error has details. An error that is not an AppError is a defect or an
 * incident: it is logged with its cause, and the response only says whether to try again.
 */
import { AppError, type ErrorCode, type ErrorDetails } from '../core/errors.ts';
import { storageRefusal } from '../core/storage-refusal.ts';

const statuses: Record<ErrorCode, number> = {
  invalid: 400,
  unauthorized: 401,
  forbidden: 403,
  limit_reached: 403,
  not_found: 404,
  conflict: 409,
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
  details: ErrorDetails = {},
): Response {
  return Response.json({ error, ...details }, { status, headers: { 'cache-control': 'no-store', ...headers } });
}

/** The response for an AppError, with `Retry-After` when it has one. */
export function appErrorResponse(error: AppError, headers: Record<string, string> = {}): Response {
  const retry = error.retryAfterSeconds === undefined ? {} : { 'retry-after': String(error.retryAfterSeconds) };
  return errorBody(statuses[error.code], error.message, { ...retry, ...headers }, error.details);
}

type Problem = {
  path?: string;
  message?: string;
  schema?: { pattern?: string; description?: string; anyOf?: { const?: unknown; type?: unknown }[] };
  /** Of each option of `anyOf`. */
  errors?: readonly { First(): unknown }[];
};

/** Names the field and what was expected, never the received value. */
export function validationMessage(kind: string, problems: readonly Problem[]): string {
  const place = { body: 'body', query: 'query', params: 'path', headers: 'headers' }[kind] ?? kind;
  const first = besidesNull(problems.find(problem => problem.path) ?? problems[0]);
  const field = (first?.path ?? '').replace(/^\//, '').replaceAll('/', '.');
  return field ? `invalid ${place}: ${field}: ${expectation(first)}` : `invalid ${place}`;
}

/** Of a value that may also be null: what is wrong with it as the other type. */
function besidesNull(problem: Problem | undefined): Problem | undefined {
  const options = problem?.schema?.anyOf ?? [];
  const [place, ...others] = options.keys().filter(i => options[i]?.type !== 'null');
  if (place === undefined || others.length > 0) return problem;
  const inner = problem?.errors?.[place]?.First() as Problem | undefined;
  return inner ? besidesNull(inner) : problem;
}

/** Describes patterns and unions in words. */
function expectation({ message = 'not as expected', schema = {} }: Problem = {}): string {
  const { pattern, description, anyOf } = schema;
  if (pattern !== undefined && description !== undefined) return `expected ${description}`;
  if (anyOf?.every(option => option.const !== undefined)) return `expected ${anyOf.map(one => one.const).join(' or ')}`;
  return message === 'Expected required property' ? 'required' : message;
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

/** Elysia's `onError`. Always returns a Response: Elysia would turn a plain object into a 500. */
export function createErrorHandler(onUnexpected: (error: unknown, request: Request) => void) {
  return ({ code, error, request }: { code: unknown; error: unknown; request: Request }): Response => {
    if (code === 'NOT_FOUND') return errorBody(404, 'not found');
    if (code === 'PARSE' && (error as Error).cause instanceof AppError)
      return appErrorResponse((error as Error).cause as AppError);
    if (code === 'VALIDATION') {
      const failure = error as { type?: string; all?: Problem[] };
      // A path parameter that is not valid cannot name anything that exists.
      if (failure.type === 'params') return errorBody(404, 'not found');
      if (failure.type !== 'response' && failure.type !== undefined)
        return errorBody(400, validationMessage(failure.type, failure.all ?? []));
    }
    const { response, isIncident } = failureResponse(error);
    if (isIncident) onUnexpected(error, request);
    return response;
  };
}
