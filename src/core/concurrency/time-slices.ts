/* Time slices for long work on the main thread. While many deliveries arrive, long responses also pause between slices. */

/** Called after each small piece of work: it returns undefined during the slice, and then a promise to wait for. */
export type YieldIfDue = () => Promise<void> | undefined;

/** Waits this many milliseconds; with 0, until everything that is ready has run. */
export const pause = (ms: number): Promise<void> =>
  new Promise(resolve => {
    if (ms > 0) setTimeout(resolve, ms);
    else setImmediate(resolve);
  });

export type TimeSliceOptions = {
  monotonic: () => number;
  sliceMs?: number;
  wait?: typeof pause;
  pauseAfter?: (workedMs: number, now: number) => number;
  /** Ends the work after a pause. */
  signal?: AbortSignal | undefined;
};

/** The slices of one piece of work. The promise is rejected with the reason of the signal. */
export function createTimeSlices({
  monotonic,
  sliceMs = 3,
  wait = pause,
  pauseAfter = () => 0,
  signal,
}: TimeSliceOptions): YieldIfDue {
  let startedAt = monotonic();
  return () => {
    const now = monotonic();
    if (now - startedAt < sliceMs) return;
    return wait(pauseAfter(now - startedAt, now)).then(() => {
      signal?.throwIfAborted();
      startedAt = monotonic();
    });
  };
}

/** Does all steps of a generator, in time slices. */
export async function advance<Result>(steps: Generator<void, Result>, yieldIfDue: YieldIfDue): Promise<Result> {
  for (;;) {
    const { done, value } = steps.next();
    await yieldIfDue();
    if (done) return value;
  }
}

const answerSliceMs = 1.5;
/** In a longer slice, the work waited for the database or its reader, or the operating system ran something else. */
const maxCountedMs = 2 * answerSliceMs;
/** While many deliveries arrive, a response pauses this many times as long as it worked. */
const pauseFactor = 6;

export type AnswerSliceOptions = {
  monotonic: () => number;
  /** Whether many deliveries arrive. */
  isCaptureHigh: () => boolean;
  wait?: typeof pause;
};

/** Creates the time slices of one piece of work. */
export type CreateSlices = (signal?: AbortSignal) => YieldIfDue;

/** Creates time slices for long responses, which share the time that capture leaves. */
export function createAnswerSlices({ monotonic, isCaptureHigh, wait = pause }: AnswerSliceOptions): CreateSlices {
  let pausedUntil = 0;
  const pauseAfter = (workedMs: number, now: number): number => {
    if (!isCaptureHigh()) return 0;
    // The responses pause one after the other.
    pausedUntil = Math.max(now, pausedUntil) + pauseFactor * Math.min(workedMs, maxCountedMs);
    return pausedUntil - now;
  };
  return signal => createTimeSlices({ monotonic, sliceMs: answerSliceMs, wait, pauseAfter, signal });
}
