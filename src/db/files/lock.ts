/*
 * One Hooktape per data directory, and per database wherever that lies. The lock is SQLite's own exclusive file lock on a small
 * file of its own: the operating system drops it with the process, however that dies, so there is no stale lock to clean up.
 */
import { existsSync, readFileSync, realpathSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type Client, createClient } from '@libsql/client/sqlite3';
import { restrictToOwner } from './file-mode.ts';
import { toFileUrl } from './file-url.ts';
import { resolveSymlinks } from './symlinks.ts';

const lockName = 'hooktape.lock';
const databaseName = 'hooktape.db';
const withHolder = (lockFile: string): string[] => [lockFile, `${lockFile}.holder`];

/** What a lock writes, which must be possible. */
export const lockFilesIn = (directory: string): string[] => withHolder(join(directory, lockName));
/** @param database in a directory that is there */
export const lockFilesOf = (database: string): string[] => withHolder(lockFileOf(database));

export type DataLock = { release: () => Promise<void> };

/** A holder without a name. */
const nobody = 'another Hooktape';

export class LockedError extends Error {
  /** What the holder says of itself. */
  readonly holder: string;
  constructor(what: string, holder: string, cause: unknown) {
    // A system that has no locks to give says so like one whose lock is taken.
    const doubt =
      holder === nobody
        ? ', or on a file system without locks, as network shares may be: it belongs on a local disk'
        : '';
    super(`${what} is in use by ${holder}${doubt}`, { cause });
    this.holder = holder;
  }
}

/**
 * @param holder what to tell the next one that comes, e.g. `hooktape serve (pid 42)`
 * @throws LockedError when another process holds the directory
 */
export const lockDataDirectory = (directory: string, holder: string): Promise<DataLock> =>
  lock(directory, join(directory, lockName), holder);

/** Behind all links. Of a database that has its usual name in a data directory it is that directory's lock. */
function lockFileOf(database: string): string {
  const place = resolveSymlinks(database);
  const file = join(realpathSync(dirname(place)), basename(place));
  // A name that nobody else's file has: what a power cut left of a lock is emptied.
  return basename(file) === databaseName ? join(dirname(file), lockName) : `${file}.${lockName}`;
}

/**
 * The data directory with the database: that may lie elsewhere, where another process with another data directory would find it.
 * @param database path of the file; undefined when it is on a server
 * @throws LockedError when another process holds either
 */
export async function lockDatabase(directory: string, database: string | undefined, holder: string): Promise<DataLock> {
  const own = await lockDataDirectory(directory, holder);
  if (database === undefined || !existsSync(dirname(resolveSymlinks(database)))) return own;
  const file = lockFileOf(database);
  if (file === join(realpathSync(directory), lockName)) return own;
  try {
    const others = await lock(database, file, holder);
    return {
      release: async () => {
        await others.release();
        await own.release();
      },
    };
  } catch (error) {
    await own.release();
    throw error;
  }
}

async function lock(what: string, lockFile: string, holder: string): Promise<DataLock> {
  const holderFile = `${lockFile}.holder`;
  const client = await take(lockFile)
    .catch(cause => {
      if (!hasCode(cause, 'SQLITE_NOTADB', 'SQLITE_CORRUPT')) throw cause;
      // What a power cut left of it. It never held anything, and has no holder, or it would be busy. Emptied, not removed: of two
      // that come to this at once, only one has it then.
      truncateSync(lockFile, 0);
      return take(lockFile);
    })
    .catch(cause => {
      if (hasCode(cause, 'SQLITE_BUSY')) throw new LockedError(what, readHolder(holderFile), cause);
      throw cause;
    });
  restrictToOwner(lockFile);
  try {
    writeFileSync(holderFile, holder, { mode: 0o600 });
  } catch (error) {
    // On a full disk there is a lock without a name.
    if (!hasCode(error, 'ENOSPC')) throw error;
  }
  return {
    release: async () => {
      rmSync(holderFile, { force: true });
      await letGo(client);
    },
  };
}

const hasCode = (error: unknown, ...codes: string[]): boolean =>
  codes.includes(String((error as { code?: unknown }).code));

async function take(file: string): Promise<Client> {
  const client: Client = createClient({ url: toFileUrl(file), concurrency: 1, timeout: 0 });
  try {
    // In exclusive locking mode the lock of the first write stays until the connection closes.
    await client.execute('PRAGMA locking_mode = EXCLUSIVE');
    await client.execute('PRAGMA journal_mode = MEMORY');
    // Nothing in it is worth a wait for the disk.
    await client.execute('PRAGMA synchronous = OFF');
    await client.execute('PRAGMA user_version = 1');
    await client.execute('PRAGMA user_version = 2');
    return client;
  } catch (error) {
    await letGo(client).catch(() => {});
    throw error;
  }
}

/** Closing alone leaves the lock to the garbage collector: it goes at the first access in normal mode. */
async function letGo(client: Client): Promise<void> {
  try {
    await client.execute('PRAGMA locking_mode = NORMAL');
    await client.execute('PRAGMA user_version');
  } finally {
    client.close();
  }
}

function readHolder(file: string): string {
  try {
    return readFileSync(file, 'utf8').slice(0, 200) || nobody;
  } catch {
    return nobody;
  }
}
