/*
 * Copies of an embedded database: a backup out of a running one, a restore into an empty place. A copy carries its final
 * name only once it is whole, checked and on disk.
 */
import { existsSync, linkSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { constants, copyFile, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Client } from '@libsql/client';
import { AppError, conflict, invalid } from '../core/errors.ts';
import { structureProblems } from './checks/database-checks.ts';
import type { SpawnThread } from './database.ts';
import type { Maintenance } from './maintenance.ts';
import { readVersion } from './migrate.ts';
import { migrations } from './migrations.ts';
import { startThread } from './threads/thread-handle.ts';
import { createThreadedClient } from './threads/threaded-client.ts';

/**
 * Writes a consistent copy while everything goes on, mode 0600, and reads it back before it gets its name.
 * @returns its size in bytes
 * @throws conflict when `file` exists, or the file system's or database's own error
 */
export async function writeBackup({
  maintenance,
  spawn,
  file,
  partialFile,
  beforePublish = () => {},
}: {
  maintenance: Maintenance;
  spawn: SpawnThread;
  file: string;
  /** Where it is put together; in the same directory. */
  partialFile: string;
  /** What has to be there before the copy has its name. */
  beforePublish?: () => void;
}): Promise<number> {
  if (existsSync(file)) throw alreadyThere(file);
  // Made first, so that it is nobody else's to read at any moment.
  await (await open(partialFile, 'wx', 0o600)).close();
  try {
    await maintenance.copyInto(partialFile);
    const bytes = await flush(partialFile);
    await withFile(spawn, partialFile, verify);
    beforePublish();
    await publishForGood(partialFile, file);
    return bytes;
  } finally {
    for (const rest of ['', '-journal']) rmSync(`${partialFile}${rest}`, { force: true });
  }
}

/**
 * Puts a copy where a database is expected.
 * @param accept a last look at the copy, before it gets its name; throws to refuse it
 * @throws invalid when it is damaged, no Hooktape database, or of a newer version
 */
export async function restoreBackup({
  spawn,
  from,
  file,
  accept,
}: {
  spawn: SpawnThread;
  from: string;
  file: string;
  accept: (client: Client) => Promise<void>;
}): Promise<void> {
  const part = `${file}.restoring`;
  rmSync(part, { force: true });
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  try {
    await (await open(part, 'wx', 0o600)).close();
    await copyFile(from, part, constants.COPYFILE_FICLONE);
    await withFile(spawn, part, async client => {
      await verify(client);
      await accept(client);
    }).catch(error => {
      throw error instanceof AppError ? error : invalid(`${damaged}: ${(error as Error).message}`);
    });
    const handle = await open(part, 'r+');
    await handle.chmod(0o600);
    await handle.close();
    await flush(part);
    await publishForGood(part, file);
  } finally {
    // A file that was copied by other means than a backup may bring a log of its own.
    for (const rest of ['', '-wal', '-shm']) rmSync(`${part}${rest}`, { force: true });
  }
}

const damaged = 'the copy is damaged, or no Hooktape database';

async function verify(client: Client): Promise<void> {
  const [problem] = await structureProblems(client, 'quick_check');
  if (problem !== undefined) throw invalid(`${damaged}: ${problem}`);
  const version = await readVersion(client);
  if (version === 0) throw invalid('it is not a Hooktape database');
  if (version > migrations.length)
    throw invalid(
      `it has schema version ${version}, this Hooktape knows versions up to ${migrations.length}: a newer Hooktape wrote it`,
    );
}

/** A reader on a file that is nobody's database at the moment, in a thread of its own. */
async function withFile<T>(spawn: SpawnThread, path: string, use: (client: Client) => Promise<T>): Promise<T> {
  const thread = await startThread({
    spawn: () => spawn('reader'),
    open: { path, readOnly: true },
    onBusy: () => {},
    onThreadFailure: () => {},
  });
  try {
    return await use(createThreadedClient(thread, thread));
  } finally {
    await thread.close().catch(() => {});
  }
}

const alreadyThere = (file: string) => conflict(`${file} exists, and nothing is ever overwritten`);

/** @throws when the name cannot be brought to disk, too: then there is none */
async function publishForGood(part: string, file: string): Promise<void> {
  moveIntoPlace(part, file);
  try {
    await flushName(dirname(file));
  } catch (error) {
    rmSync(file, { force: true });
    throw error;
  }
}

/** Unlike a rename, a link never takes the place of something else. @throws conflict */
export function moveIntoPlace(part: string, file: string): void {
  try {
    linkSync(part, file);
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === 'EEXIST' || existsSync(file)) throw alreadyThere(file);
    // A file system without links.
    renameSync(part, file);
  }
}

/** @returns the size of what is on disk now */
async function flush(file: string): Promise<number> {
  // Windows flushes only what may be written.
  const handle = await open(file, 'r+');
  try {
    await handle.sync();
    return (await handle.stat()).size;
  } finally {
    await handle.close();
  }
}

const cannotFlushNames = new Set(['EACCES', 'EINVAL', 'EISDIR', 'ENOTSUP', 'EPERM']);

/** A new name is on disk only once its directory is; where directories cannot be flushed, names are written as they come. */
async function flushName(directory: string): Promise<void> {
  try {
    const handle = await open(directory, 'r');
    await handle.sync().finally(() => handle.close());
  } catch (error) {
    if (!cannotFlushNames.has(String((error as { code?: unknown }).code))) throw error;
  }
}
