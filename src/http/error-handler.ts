/* The responses to errors that Elysia catches. Apart from errors.ts, which the start loads, because this needs the schema library. */
import { AppError, invalidInput } from '../core/errors.ts';
import { problemsOf, type SchemaError } from '../core/read-fields.ts';
import { appErrorResponse, errorBody, failureResponse } from './errors.ts';

/** Elysia's `onError`. Always returns a Response: Elysia would turn a plain object into a 500. */
export function createErrorHandler(onUnexpected: (error: unknown, request: Request) => void) {
  return ({ code, error, request }: { code: unknown; error: unknown; request: Request }): Response => {
    if (code === 'NOT_FOUND') return errorBody(404, 'not found');
    if (code === 'PARSE' && (error as Error).cause instanceof AppError)
      return appErrorResponse((error as Error).cause as AppError);
    if (code === 'VALIDATION') {
      const failure = error as { type?: string; all?: SchemaError[]; value?: unknown };
      // A path parameter that is not valid cannot name anything that exists.
      if (failure.type === 'params') return errorBody(404, 'not found');
      if (failure.type !== 'response' && failure.type !== undefined)
        return appErrorResponse(
          invalidInput(failure.type === 'query' ? 'query' : 'body', problemsOf(failure.all ?? [], failure.value)),
        );
    }
    const { response, isIncident } = failureResponse(error);
    if (isIncident) onUnexpected(error, request);
    return response;
  };
}
