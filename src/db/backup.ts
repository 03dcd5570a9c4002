/* A backup of a running database, and a restore. A copy gets its final name once it is complete, verified and on disk. */
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { constants, copyFile, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Client } from '@libsql/client';
import { AppError, invalid } from '../core/errors.ts';
import { structureProblems } from './checks/database-checks.ts';
import { fileExists, publishFile, syncFile } from './files/publish-file.ts';
import type { Maintenance } from './maintenance.ts';
import { readVersion } from './migrate.ts';
import { migrations } from './migrations.ts';
import type { SpawnThread } from './threads/prespawned-threads.ts';
import { startThread } from './threads/thread-handle.ts';
import { createThreadedClient } from './threads/threaded-client.ts';

/** Mode 0600; the database stays in use, and the copy is verified. @returns its size @throws conflict if `file` exists */
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
  /** The path where the copy is written first; in the same directory as `file`. */
  partialFile: string;
  /** Runs once the copy is complete, before it gets its name. */
  beforePublish?: () => void;
}): Promise<number> {
  if (existsSync(file)) throw fileExists(file);
  // Created before it has content, so that other users can never read it.
  await (await open(partialFile, 'wx', 0o600)).close();
  try {
    await maintenance.copyInto(partialFile);
    const bytes = await syncFile(partialFile);
    await withReader(spawn, partialFile, verify);
    beforePublish();
    await publishFile(partialFile, file);
    return bytes;
  } finally {
    for (const suffix of ['', '-journal']) rmSync(`${partialFile}${suffix}`, { force: true });
  }
}

export const copyOf =
  (from: string) =>
  (partialFile: string): Promise<void> =>
    copyFile(from, partialFile, constants.COPYFILE_FICLONE);

/**
 * Makes a copy at the place of the database. @param fill writes it into an empty file @param accept checks the copy before it gets
 * its name; throws to refuse it @throws invalid if it is damaged, not a Hooktape database, or of a newer version; conflict if `file`
 * exists
 */
export async function restoreBackup({
  spawn,
  fill,
  file,
  accept,
}: {
  spawn: SpawnThread;
  fill: (partialFile: string) => Promise<void>;
  file: string;
  accept: (client: Client) => Promise<void>;
}): Promise<void> {
  const partialFile = `${file}.restoring`;
  rmSync(partialFile, { force: true });
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  try {
    await (await open(partialFile, 'wx', 0o600)).close();
    await fill(partialFile);
    await withReader(spawn, partialFile, async client => {
      await verify(client);
      await accept(client);
    }).catch(error => {
      throw error instanceof AppError ? error : invalid(`${damaged}: ${(error as Error).message}`);
    });
    const handle = await open(partialFile, 'r+');
    await handle.chmod(0o600);
    await handle.close();
    await syncFile(partialFile);
    await publishFile(partialFile, file);
  } finally {
    // Reading a file that was copied by other means than a backup can create a log.
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${partialFile}${suffix}`, { force: true });
  }
}

const damaged = 'the copy is damaged or not a Hooktape database';

async function verify(client: Client): Promise<void> {
  const [problem] = await structureProblems(client, 'quick_check');
  if (problem !== undefined) throw invalid(`${damaged}: ${problem}`);
  const version = await readVersion(client);
  if (version === 0) throw invalid('it is not a Hooktape database');
  if (version > migrations.length)
    throw invalid(
      `its schema version is ${version}, but this Hooktape supports versions up to ${migrations.length}: it was written by a newer Hooktape`,
    );
}

/** Reads a file that no server uses, in a separate thread. */
async function withReader<T>(spawn: SpawnThread, path: string, use: (client: Client) => Promise<T>): Promise<T> {
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
