/* The errors that the client throws. After an abort it throws the reason of the signal, like fetch. */
import type { EventSummary } from './api-types.ts';

/** All errors of this package. */
export class HooktapeError extends Error {
  override name = 'HooktapeError';
}

/** The server refused. `error` is the server's text. */
export class ApiError extends HooktapeError {
  override name = 'ApiError';
  readonly status: number;
  readonly error: string;
  /** For an invalid filter: the position of the problem, in characters from 0. */
  readonly position: number | undefined;
  /** With `position`: the field that was probably meant. */
  readonly nearest: string | undefined;
  /** For 429 and 503: how long to wait. */
  readonly retryAfterMs: number | undefined;

  constructor(
    request: string,
    answer: {
      status: number;
      error: string;
      position?: number | undefined;
      nearest?: string | undefined;
      retryAfterMs?: number | undefined;
    },
  ) {
    super(`${request}: ${answer.status} ${answer.error}`);
    this.status = answer.status;
    this.error = answer.error;
    this.position = answer.position;
    this.nearest = answer.nearest;
    this.retryAfterMs = answer.retryAfterMs;
  }
}

/** There was no response: no server listens there, the connection broke, or the request timed out. */
export class ConnectionError extends HooktapeError {
  override name = 'ConnectionError';
}

/** An event that did not match, with the first term of the filter that it fails. */
export type NearEvent = { event: EventSummary; clause: string };

/** The expected events did not arrive in time. The message lists the events that did arrive. */
export class NotArrivedError extends HooktapeError {
  override name = 'NotArrivedError';
  /** All events that arrived, oldest first; at most 100. */
  readonly arrived: readonly EventSummary[];
  /** Up to three events that nearly match the filter. */
  readonly nearest: readonly NearEvent[];

  constructor(message: string, found: { arrived: readonly EventSummary[]; nearest: readonly NearEvent[] }) {
    super(message);
    this.arrived = found.arrived;
    this.nearest = found.nearest;
  }
}
