/* Errors of MCP Events: clients that declare the extension get the numbers of SEP-3415, others those of ChatGPT's design. */
import { AppError, ExpectedError } from '../errors.ts';

export const extensionName = 'io.modelcontextprotocol/events';

export type Dialect = 'sketch' | 'extension';

const codes = {
  not_found: { sketch: -32011, extension: -32023 },
  forbidden: { sketch: -32012, extension: -32024 },
  resource_exhausted: { sketch: -32013, extension: -32025 },
  unsupported: { sketch: -32014, extension: -32026 },
  callback_endpoint: { sketch: -32015, extension: -32027 },
} as const satisfies Record<string, Record<Dialect, number>>;
const invalidParams = -32602;
const internalError = -32603;

export type EventsErrorKind = keyof typeof codes;
type ErrorData = Readonly<Record<string, unknown>>;

/** The `error` of a JSON-RPC response, and of `notifications/events/error` and `…/terminated`. */
export type RpcError = { code: number; message: string; data?: ErrorData };

export class EventsError extends ExpectedError {
  readonly kind: EventsErrorKind;
  readonly data: ErrorData | undefined;

  constructor(kind: EventsErrorKind, message: string, data?: ErrorData) {
    super(message);
    this.name = 'EventsError';
    this.kind = kind;
    this.data = data;
  }
}

export const eventsNotFound = (
  kind: 'event' | 'endpoint' | 'subscription',
  message = `${kind} not found`,
): EventsError => new EventsError('not_found', message, { kind });
export const eventsForbidden = (reason: string): EventsError => new EventsError('forbidden', reason, { reason });

/** @param clientCapabilities as the client declares them in this request */
export function dialectOf(clientCapabilities: unknown): Dialect {
  const { extensions } = (clientCapabilities ?? {}) as { extensions?: Record<string, unknown> };
  return typeof extensions?.[extensionName] === 'object' && extensions[extensionName] !== null ? 'extension' : 'sketch';
}

/** @param onFault called with errors that no one expects, which clients see as `internal error` */
export function toRpcError(error: unknown, dialect: Dialect, onFault: (error: unknown) => void): RpcError {
  const known = error instanceof AppError ? toEventsError(error) : error;
  if (known instanceof EventsError) {
    const { kind, message, data } = known;
    return { code: codes[kind][dialect], message, ...(data && { data }) };
  }
  if (error instanceof AppError && error.code === 'invalid')
    return { code: invalidParams, message: error.message, ...(error.details && { data: error.details }) };
  const isTemporary = error instanceof AppError && error.code === 'unavailable';
  if (!isTemporary) onFault(error);
  return { code: internalError, message: isTemporary ? error.message : 'internal error' };
}

function toEventsError({ code, message, retryAfterSeconds = 1 }: AppError): EventsError | undefined {
  if (code === 'not_found') return eventsNotFound('endpoint', message);
  if (code === 'forbidden' || code === 'unauthorized') return eventsForbidden(message);
  if (code === 'rate_limited' || code === 'overloaded' || code === 'limit_reached')
    return new EventsError('resource_exhausted', message, { limit: message, retryAfterMs: retryAfterSeconds * 1000 });
  return undefined;
}
