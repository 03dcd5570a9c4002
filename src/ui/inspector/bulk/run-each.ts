/* Runs a task for many events, some at a time. One failure does not stop the others; an unreachable server stops all. */

import { ApiError } from '../../kit/api.ts';
import { messageOf } from '../../kit/toasts.tsx';

export type Failure = { id: string; problem: string };
export type Progress = {
  done: number;
  failures: Failure[];
  /** Seconds that the rate limit makes it wait; 0 when it does not. */
  waitS: number;
};

type RunOptions = {
  signal: AbortSignal;
  onProgress: (progress: Progress) => void;
  sleep?: (seconds: number) => Promise<void>;
};

const atOnce = 4;
const realSleep = (seconds: number): Promise<void> => new Promise(resolve => setTimeout(resolve, seconds * 1000));

/** Ends early when the signal is aborted: what was begun is finished. */
export async function runEach<T extends { id: string }>(
  events: readonly T[],
  task: (event: T) => Promise<unknown>,
  { signal, onProgress, sleep = realSleep }: RunOptions,
): Promise<Progress> {
  const progress: Progress = { done: 0, failures: [], waitS: 0 };
  let next = 0;
  let isUnreachable = false;
  const report = (): void => onProgress({ ...progress, failures: [...progress.failures] });

  const runOne = async (event: T): Promise<void> => {
    for (;;) {
      try {
        await task(event);
        progress.done++;
        return;
      } catch (error) {
        if (!(error instanceof ApiError && error.status === 429) || signal.aborted) {
          isUnreachable ||= error instanceof ApiError && error.status === 0;
          progress.failures.push({ id: event.id, problem: messageOf(error) });
          return;
        }
        progress.waitS = error.retryAfterSeconds;
        report();
        await sleep(error.retryAfterSeconds);
        progress.waitS = 0;
      }
    }
  };
  const work = async (): Promise<void> => {
    for (let event = events[next]; event && !signal.aborted && !isUnreachable; event = events[next]) {
      next++;
      await runOne(event);
      report();
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return progress;
}
