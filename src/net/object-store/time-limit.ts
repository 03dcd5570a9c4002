/* Ends a request whose peer is silent for long, or slower than the lowest rate: one byte now and then is not enough. */

const silenceMs = 20_000;
const lowestBytesPerMs = 32;

export type TimeLimit = ReturnType<typeof createTimeLimit>;

/** @param bytes that the request sends @param outer ends the request, too */
export function createTimeLimit(bytes: number, outer?: AbortSignal, longestSilenceMs = silenceMs) {
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
    /** Ends the request if it is not done in time for this many more bytes. */
    allow: (length: number): void => {
      clearTimeout(whole);
      whole = setTimeout(endWith('the response is too slow'), timeFor(length));
    },
    /** Bytes have arrived. */
    progress: (): void => {
      clearTimeout(silence);
      silence = setTimeout(endWith('the response stopped'), longestSilenceMs);
    },
    /** Stops the timers. */
    end: (): void => {
      clearTimeout(silence);
      clearTimeout(whole);
    },
    /** What was exceeded; undefined if the limit did not end the request. */
    reason: () => reason,
  };
}
