/* The HTTP response that a sender gets, and its description in the API. */

export type Answer = {
  status: number;
  /** Names in lower case; without `content-length` and other framing. */
  headers: Readonly<Record<string, string>>;
  /** Empty for no body. */
  body: string;
};

/** What the sender of a stored event got. `status`: null with a fault. `rule`: the one that chose the answer. */
export type Answered = {
  status: number | null;
  rule: string | null;
  delayMs: number;
  fault: 'close' | 'reset' | 'stall' | null;
  limited: boolean;
};

/** An answer that no rule chose. */
export const answeredWith = (status: number): Answered => ({
  status,
  rule: null,
  delayMs: 0,
  fault: null,
  limited: false,
});
