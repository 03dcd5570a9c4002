/* The errors that the client throws. An abort throws the reason of the signal, as fetch does. */
import type { EventSummary } from './api-types.ts';

/** All errors of this package. */
export class HooktapeError extends Error {
  override name = 'HooktapeError';
}

/** The server refused. `error` is its own text. */
export class ApiError extends HooktapeError {
  override name = 'ApiError';
  readonly status: number;
  readonly error: string;
  /** Of a filter that cannot be read: where in its text, in characters from 0. */
  readonly position: number | undefined;
  /** With `position`: the field that was probably meant. */
  readonly nearest: string | undefined;
  /** Of 429 and 503: how long to wait. */
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

/** There was no answer: nothing listens there, the connection broke, or the time was over. */
export class ConnectionError extends HooktapeError {
  override name = 'ConnectionError';
}

/** An event that did not match, with the first term of the filter that it fails. */
export type NearEvent = { event: EventSummary; clause: string };

/** The expected events did not arrive in time. The message says which ones did. */
export class NotArrivedError extends HooktapeError {
  override name = 'NotArrivedError';
  /** Everything that arrived, oldest first; at most 100 events. */
  readonly arrived: readonly EventSummary[];
  /** The up to three events that came nearest to the filter. */
  readonly nearest: readonly NearEvent[];

  constructor(message: string, found: { arrived: readonly EventSummary[]; nearest: readonly NearEvent[] }) {
    super(message);
    this.arrived = found.arrived;
    this.nearest = found.nearest;
  }
}
