/* The HTTP response that a sender gets. */
import type { Fault } from './answers/model.ts';

export type Answer = {
  status: number;
  /** Names in lower case; without `content-length` and other framing. */
  headers: Readonly<Record<string, string>>;
  /** Empty for no body. */
  body: string;
  /** Of an answer that a rule chose. */
  chosen?: ChosenAnswer | undefined;
};

/** An answer that a rule chose: `headers` and `body` of the `Answer` are empty. */
export type ChosenAnswer = {
  /** Names as written, also repeated ones; without framing. */
  fields: readonly (readonly [name: string, value: string])[];
  body: Uint8Array;
  delayMs: number;
  fault: Fault | null;
  /** Of an answer that takes time. */
  hold: Hold | undefined;
};

/** A connection whose sender waits on purpose. */
export type Hold = {
  /** Calls `run` after so long, or at once when the server stops; not after `release`. One call at a time. */
  after: (ms: number, run: () => void) => void;
  /** The sender has closed its side. It may still read the answer, but no longer takes a place. */
  giveWay: () => void;
  /** Call it when the answer was sent or cannot be sent any more. */
  release: () => void;
};
