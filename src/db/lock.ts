/*
 * One Hooktape per data directory. The lock is SQLite's own exclusive file lock on a small file of its own: the operating
 * system drops it with the process, however that dies, so there is no stale lock to clean up.
 */
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Client, createClient } from '@libsql/client/sqlite3';
import { toFileUrl } from './file-url.ts';

export type DataDirectoryLock = { release: () => Promise<void> };

export class LockedError extends Error {
  /** What the holder says of itself. */
  readonly holder: string;
  constructor(directory: string, holder: string, cause: unknown) {
    super(`${directory} is in use by ${holder}`, { cause });
    this.holder = holder;
  }
}

/**
 * @param holder what to tell the next one that comes, e.g. `hooktape serve (pid 42)`
 * @throws LockedError when another process holds the directory
 */
export async function lockDataDirectory(directory: string, holder: string): Promise<DataDirectoryLock> {
  const lockFile = join(directory, 'hooktape.lock');
  const holderFile = join(directory, 'hooktape.lock.holder');
  const client: Client = createClient({ url: toFileUrl(lockFile), concurrency: 1, timeout: 0 });
  try {
    // In exclusive locking mode the lock of the first write stays until the connection closes.
    await client.execute('PRAGMA locking_mode = EXCLUSIVE');
    await client.execute('PRAGMA journal_mode = MEMORY');
    await client.execute('PRAGMA user_version = 1');
    await client.execute('PRAGMA user_version = 2');
  } catch (cause) {
    client.close();
    if ((cause as { code?: unknown }).code !== 'SQLITE_BUSY') throw cause;
    throw new LockedError(directory, readHolder(holderFile), cause);
  }
  chmodSync(lockFile, 0o600);
  try {
    writeFileSync(holderFile, holder, { mode: 0o600 });
  } catch (error) {
    // On a full disk there is a lock without a name.
    if ((error as { code?: unknown }).code !== 'ENOSPC') throw error;
  }
  return {
    release: async () => {
      rmSync(holderFile, { force: true });
      // Closing alone leaves the lock to the garbage collector: it goes at the first access in normal mode.
      await client.execute('PRAGMA locking_mode = NORMAL');
      await client.execute('PRAGMA user_version');
      client.close();
    },
  };
}

function readHolder(file: string): string {
  try {
    return readFileSync(file, 'utf8').slice(0, 200) || 'another Hooktape';
  } catch {
    return 'another Hooktape';
  }
}
