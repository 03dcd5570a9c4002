/*
 * Runs the writes of this process to a libSQL server one after another. SQLite writes one at a time anyway, and a server that
 * gets a dozen write batches at once may stop answering all writes until it is restarted (seen with sqld 0.24.32, after 6 to 30
 * seconds of such writes).
 */
import { LibsqlError } from '@libsql/client';
import { createSemaphore, type Semaphore } from '../core/concurrency/semaphore.ts';

const writer = 'writer';

/**
 * @param timeoutMs a write that waits longer for its turn does not run, and fails with the code `TIMEOUT`
 * @param monotonic the time in milliseconds; never goes back
 */
export function createWriteTurns({ timeoutMs, monotonic }: { timeoutMs: number; monotonic: () => number }) {
  const turns = createSemaphore(1);
  let depth = 0;

  const runWith =
    (take: Semaphore['run']) =>
    async <T>(write: () => Promise<T>): Promise<T> => {
      const cameAt = monotonic();
      depth++;
      try {
        return await take(writer, async () => {
          if (monotonic() - cameAt > timeoutMs)
            throw new LibsqlError('timed out waiting for earlier writes to the libSQL server', 'TIMEOUT');
          return write();
        });
      } finally {
        depth--;
      }
    };

  return {
    /** Runs a write after all earlier writes have ended, whether they succeeded or failed. */
    run: runWith(turns.run),
    /** Like `run`, but before all writes that wait in `run`. */
    runFirst: runWith(turns.runFirst),
    /** The number of writes that wait or run. */
    depth: () => depth,
  };
}
