/*
 * Ensures that only one process uses a data directory, and a database file at any place. The lock is SQLite's exclusive lock on
 * a small file: the operating system releases it when the process ends, even after a crash, so there are no stale locks to
 * clean up.
 */
import { existsSync, readFileSync, realpathSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type Client, createClient } from '@libsql/client/sqlite3';
import { ExpectedError } from '../../core/errors.ts';
import { toFileUrl } from './file-url.ts';
import { restrictToOwner } from './publish-file.ts';
import { resolveSymlinks } from './symlinks.ts';

const lockName = 'hooktape.lock';
const databaseName = 'hooktape.db';
const withHolder = (lockFile: string): string[] => [lockFile, `${lockFile}.holder`];

export const lockFilesIn = (directory: string): string[] => withHolder(join(directory, lockName));
/** @param database its directory must exist */
export const lockFilesOf = (database: string): string[] => withHolder(lockFileOf(database));

export type DataLock = { release: () => Promise<void> };

const unnamedHolder = 'another Hooktape';

export class LockedError extends ExpectedError {
  /** The holder's description of itself. */
  readonly holder: string;
  constructor(what: string, holder: string, cause: unknown) {
    // A file system without locks reports the same error as a held lock.
    const hint =
      holder === unnamedHolder
        ? ', or is on a file system without locks (as some network shares are): use a local disk'
        : '';
    super(`${what} is in use by ${holder}${hint}`, { cause });
    this.holder = holder;
  }
}

/** @param holder shown to other processes, e.g. `hooktape serve (pid 42)` @throws LockedError if another process holds it */
export const lockDataDirectory = (directory: string, holder: string): Promise<DataLock> =>
  lock(directory, join(directory, lockName), holder);

/** With symbolic links resolved. A database with the default name uses the lock of its data directory. */
function lockFileOf(database: string): string {
  const target = resolveSymlinks(database);
  const file = join(realpathSync(dirname(target)), basename(target));
  // No other file may have this name, because a damaged lock file is emptied.
  return basename(file) === databaseName ? join(dirname(file), lockName) : `${file}.${lockName}`;
}

/** The database may be used by a process with another data directory. @throws LockedError if another process holds either */
export async function lockDatabase(directory: string, database: string | undefined, holder: string): Promise<DataLock> {
  const directoryLock = await lockDataDirectory(directory, holder);
  if (database === undefined || !existsSync(dirname(resolveSymlinks(database)))) return directoryLock;
  const file = lockFileOf(database);
  if (file === join(realpathSync(directory), lockName)) return directoryLock;
  try {
    const databaseLock = await lock(database, file, holder);
    return {
      release: async () => {
        await databaseLock.release();
        await directoryLock.release();
      },
    };
  } catch (error) {
    await directoryLock.release();
    throw error;
  }
}

async function lock(what: string, lockFile: string, holder: string): Promise<DataLock> {
  const holderFile = `${lockFile}.holder`;
  const client = await acquire(lockFile)
    .catch(cause => {
      if (!hasCode(cause, 'SQLITE_NOTADB', 'SQLITE_CORRUPT')) throw cause;
      // A power failure damaged the file. No process holds the lock, or it would be busy, and the file has no content.
      // It is truncated, not removed, so that only one of two processes that do this at once gets the lock.
      truncateSync(lockFile, 0);
      return acquire(lockFile);
    })
    .catch(cause => {
      if (hasCode(cause, 'SQLITE_BUSY')) throw new LockedError(what, readHolder(holderFile), cause);
      throw cause;
    });
  restrictToOwner(lockFile);
  try {
    writeFileSync(holderFile, holder, { mode: 0o600 });
  } catch (error) {
    // On a full disk the lock works, but the holder has no name.
    if (!hasCode(error, 'ENOSPC')) throw error;
  }
  return {
    release: async () => {
      rmSync(holderFile, { force: true });
      await releaseLock(client);
    },
  };
}

const hasCode = (error: unknown, ...codes: string[]): boolean =>
  codes.includes(String((error as { code?: unknown }).code));

async function acquire(file: string): Promise<Client> {
  const client: Client = createClient({ url: toFileUrl(file), concurrency: 1, timeout: 0 });
  try {
    // In exclusive locking mode the first write takes a lock that is kept.
    await client.execute('PRAGMA locking_mode = EXCLUSIVE');
    await client.execute('PRAGMA journal_mode = MEMORY');
    // The file's content does not matter.
    await client.execute('PRAGMA synchronous = OFF');
    await client.execute('PRAGMA user_version = 1');
    await client.execute('PRAGMA user_version = 2');
    return client;
  } catch (error) {
    await releaseLock(client).catch(() => {});
    throw error;
  }
}

/** Closing alone would keep the lock until garbage collection; the first access in normal mode releases it. */
async function releaseLock(client: Client): Promise<void> {
  try {
    await client.execute('PRAGMA locking_mode = NORMAL');
    await client.execute('PRAGMA user_version');
  } finally {
    client.close();
  }
}

function readHolder(file: string): string {
  try {
    return readFileSync(file, 'utf8').slice(0, 200) || unnamedHolder;
  } catch {
    return unnamedHolder;
  }
}
