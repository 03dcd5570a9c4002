/* Storage failures that may pass: a full, failing or busy disk, a database that is unreachable for a moment. */
import { type AppError, unavailable } from './errors.ts';

const temporary =
  /^(?:SQLITE_(?:FULL|IOERR|BUSY|LOCKED|NOMEM|READONLY|CANTOPEN)|ENOSPC|QUEUE_FULL|THREAD_DIED|CLIENT_CLOSED|HRANA_|SERVER_ERROR|ConnectionRefused)/;
const maxCauses = 5;
const retryAfterSeconds = 5;

/** The error for the client if `error` is such a failure; undefined for any other error. */
export function storageRefusal(error: unknown): AppError | undefined {
  let cause = error;
  // Drizzle wraps the database's error, and that one the library's.
  for (let depth = 0; depth < maxCauses && cause instanceof Error; depth++) {
    if ('code' in cause && temporary.test(String(cause.code)))
      return unavailable('the storage cannot take this now, try again', retryAfterSeconds, error);
    cause = cause.cause;
  }
  return undefined;
}
