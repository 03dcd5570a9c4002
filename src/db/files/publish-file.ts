/* Gives a completely written file its final name, so that the name is on disk and never replaces another file; sets modes. */
import { chmodSync, existsSync, linkSync, renameSync, rmSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { conflict } from '../../core/errors.ts';

export const fileExists = (file: string) => conflict(`${file} already exists`);

/** @throws conflict if `file` exists; the file system's error, and then there is no `file` */
export async function publishFile(partialFile: string, file: string): Promise<void> {
  moveIntoPlace(partialFile, file);
  try {
    await syncDirectory(dirname(file));
  } catch (error) {
    rmSync(file, { force: true });
    throw error;
  }
}

/** Links rather than renames, because a link never replaces an existing file. @throws conflict if `file` exists */
export function moveIntoPlace(partialFile: string, file: string): void {
  try {
    linkSync(partialFile, file);
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === 'EEXIST' || existsSync(file)) throw fileExists(file);
    // The file system has no hard links.
    renameSync(partialFile, file);
  }
}

/** @returns the file's size in bytes */
export async function syncFile(file: string): Promise<number> {
  // Windows syncs only files that are open for writing.
  const handle = await open(file, 'r+');
  try {
    await handle.sync();
    return (await handle.stat()).size;
  } finally {
    await handle.close();
  }
}

const unsupportedCodes = new Set(['EACCES', 'EINVAL', 'EISDIR', 'ENOTSUP', 'EPERM']);

/** A new name is on disk only once its directory is synced. On systems that cannot sync directories, it does nothing. */
export async function syncDirectory(directory: string): Promise<void> {
  try {
    const handle = await open(directory, 'r');
    await handle.sync().finally(() => handle.close());
  } catch (error) {
    if (!unsupportedCodes.has(String((error as { code?: unknown }).code))) throw error;
  }
}

/** Mode 0600, except for another user's file, and on a file system without modes. */
export function restrictToOwner(file: string): void {
  try {
    if ((statSync(file).mode & 0o777) !== 0o600) chmodSync(file, 0o600);
  } catch (error) {
    if (!['EPERM', 'ENOTSUP', 'ENOSYS', 'EROFS'].includes(String((error as { code?: unknown }).code))) throw error;
  }
}
