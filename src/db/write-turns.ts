/*
 * Runs the writes of this process to a libSQL server one after another, within time limits. SQLite writes one at a time anyway,
 * and sqld 0.24 with several connections may stop answering all writes, sooner with more writes at once (docs/installing.md).
 * The server may still carry out a write that has failed because its time was up.
 */
import { LibsqlError } from '@libsql/client';
import { createSemaphore } from '../core/concurrency/semaphore.ts';

const writer = 'writer';

/** `signal`: aborted when the time of the write is up. */
type Write<T> = (signal: AbortSignal) => Promise<T>;

export type WriteTurnsOptions = {
  /** A write that waits longer for its turn does not run. Once it runs, it has this time again. */
  writeMs: number;
  /** How long a capture may take, including the wait for its turn. */
  captureMs: number;
  monotonic: () => number;
  /** Called when a write fails because its time is up. */
  onTimeout: () => void;
};

/** Writes that take too long fail with the code `TIMEOUT`. */
export function createWriteTurns({ writeMs, captureMs, monotonic, onTimeout }: WriteTurnsOptions) {
  const turns = createSemaphore(1);
  let depth = 0;
  let unansweredSince: number | undefined;

  const limited = async <T>(write: Write<T>, signal: AbortSignal): Promise<T> => {
    unansweredSince ??= monotonic();
    try {
      // A WebSocket client ignores the signal.
      const result = await Promise.race([write(signal), untilAborted(signal)]);
      unansweredSince = undefined;
      return result;
    } catch (error) {
      if (signal.aborted) throw timeUp('the libSQL server did not answer the write in time');
      // The server has refused the write, or it cannot be reached.
      unansweredSince = undefined;
      throw error;
    }
  };
  const counted = async <T>(write: Promise<T>): Promise<T> => {
    depth++;
    try {
      return await write;
    } finally {
      depth--;
    }
  };
  const timeUp = (message: string): LibsqlError => {
    onTimeout();
    return new LibsqlError(message, 'TIMEOUT');
  };
  const waitedTooLong = () => timeUp('timed out waiting for earlier writes to the libSQL server');

  return {
    /** Runs a write after all earlier writes have ended, whether they succeeded or failed. */
    run: <T>(write: Write<T>): Promise<T> => {
      const cameAt = monotonic();
      return counted(
        turns.run(writer, () => {
          if (monotonic() - cameAt > writeMs) throw waitedTooLong();
          return limited(write, AbortSignal.timeout(writeMs));
        }),
      );
    },
    /** Runs a capture like `run`, but before all writes that wait in `run`. */
    runFirst: <T>(write: Write<T>): Promise<T> => {
      const signal = AbortSignal.timeout(captureMs);
      return counted(
        turns
          .runFirst(writer, () => limited(write, signal), signal)
          .catch(error => Promise.reject(error === signal.reason ? waitedTooLong() : error)),
      );
    },
    depth: () => depth,
    /** How long ago the server got the first of the writes that it has not answered; 0 if it answered the last one. */
    unansweredMs: (): number => (unansweredSince === undefined ? 0 : monotonic() - unansweredSince),
  };
}

const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
