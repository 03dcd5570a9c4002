/* How much disk space an embedded database uses, and how much is left. */
import { stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Bytes of the file and its write-ahead log. @throws the file system's error if there is no file */
export async function databaseBytes(file: string): Promise<number> {
  const log = await stat(`${file}-wal`).catch(() => undefined);
  return (await stat(file)).size + (log?.size ?? 0);
}

/** The space of the file system that contains `file`. `freeBytes`: available to an ordinary user. */
export async function diskSpace(file: string): Promise<{ freeBytes: number; totalBytes: number }> {
  const { bavail, blocks, bsize } = await statfs(dirname(file));
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
}
