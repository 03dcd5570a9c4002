/* Failures of the storage that pass: no room, a failing or busy disk, a database that is not there for a moment. */
import { type AppError, unavailable } from './errors.ts';

const passing =
  /^(?:SQLITE_(?:FULL|IOERR|BUSY|LOCKED|NOMEM|READONLY|CANTOPEN)|ENOSPC|QUEUE_FULL|THREAD_DIED|CLIENT_CLOSED|HRANA_|SERVER_ERROR|ConnectionRefused)/;
const deepest = 5;
const retryAfterSeconds = 5;

/** What to tell whoever asked for something that failed so; undefined when it failed for another reason. */
export function storageRefusal(error: unknown): AppError | undefined {
  let cause = error;
  // Drizzle wraps the database's error, and that one the library's.
  for (let depth = 0; depth < deepest && cause instanceof Error; depth++) {
    if ('code' in cause && passing.test(String(cause.code)))
      return unavailable('the storage cannot take this now, try again', retryAfterSeconds, error);
    cause = cause.cause;
  }
  return undefined;
}
