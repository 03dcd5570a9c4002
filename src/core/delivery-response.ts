/* The HTTP response to a delivery. */
import type { Fault } from '../shared/answers.ts';

export type DeliveryResponse = {
  status: number;
  /** Names in lower case; without `content-length` and other framing. */
  headers: Readonly<Record<string, string>>;
  /** Empty for no body. */
  body: string;
  /** Set if a rule chose the answer. */
  chosen?: ChosenAnswer | undefined;
};

/** An answer that a rule chose. `headers` and `body` of the `DeliveryResponse` are then empty. */
export type ChosenAnswer = {
  /** Names as written, with repetitions; without framing. */
  fields: readonly (readonly [name: string, value: string])[];
  body: Uint8Array;
  delayMs: number;
  fault: Fault | null;
  /** Set if the answer takes time. */
  hold: DelayedResponse | undefined;
};

/** A response that is delayed or stalled on purpose. It occupies one of the limited slots of `delayed-responses.ts`. */
export type DelayedResponse = {
  /** Calls `run` after `ms`, or at once if the server stops. Does nothing after `release`. One call at a time. */
  after: (ms: number, run: () => void) => void;
  /** Call it when the sender has closed its side: the connection no longer counts, though the sender may still read. */
  releaseSlot: () => void;
  /** Call it when the response was sent or can no longer be sent. */
  release: () => void;
};
