/*
 * The time limit of a request to an object store. The peer must not stay silent for long, and the whole must not be slower than
 * the lowest rate: so a silent store, or one byte now and then, delays no caller for long.
 */

const silenceMs = 20_000;
const lowestBytesPerMs = 32;

export type TimeLimit = {
  readonly signal: AbortSignal;
  /** Ends the request if it is not done in time for this many more bytes. */
  allow: (bytes: number) => void;
  /** Bytes have arrived. */
  progress: () => void;
  /** Stops the timers. */
  end: () => void;
  /** What was exceeded; undefined if the limit did not end the request. */
  reason: () => string | undefined;
};

/** @param bytes that the request sends @param outer ends the request, too */
export function createTimeLimit(bytes: number, outer?: AbortSignal, longestSilenceMs = silenceMs): TimeLimit {
  const own = new AbortController();
  let reason: string | undefined;
  const endWith = (why: string) => () => {
    reason = why;
    own.abort(new Error(why));
  };
  const timeFor = (length: number): number => longestSilenceMs + Math.ceil(length / lowestBytesPerMs);
  // While the request is sent nothing can be seen of it, so that silence counts only afterwards.
  let silence = setTimeout(endWith('no response in time'), timeFor(bytes));
  let whole: ReturnType<typeof setTimeout> | undefined;
  return {
    signal: outer ? AbortSignal.any([own.signal, outer]) : own.signal,
    allow: length => {
      clearTimeout(whole);
      whole = setTimeout(endWith('the response is too slow'), timeFor(length));
    },
    progress: () => {
      clearTimeout(silence);
      silence = setTimeout(endWith('the response stopped'), longestSilenceMs);
    },
    end: () => {
      clearTimeout(silence);
      clearTimeout(whole);
    },
    reason: () => reason,
  };
}
