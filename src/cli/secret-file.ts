/* A secret in a file of its own: whole or not there, nobody else's to read, never in the place of something else. */
import { rmSync, writeFileSync } from 'node:fs';
import { moveIntoPlace } from '../db/files/publish-file.ts';

/**
 * @param part where it is written first; in the same directory, and nobody else's
 * @throws conflict when `file` exists, or the file system's own error
 */
export function writeSecretFile(file: string, secret: string, part: string): void {
  // What an attempt that was cut off left behind.
  rmSync(part, { force: true });
  try {
    writeFileSync(part, secret, { mode: 0o600, flag: 'wx', flush: true });
    moveIntoPlace(part, file);
  } finally {
    rmSync(part, { force: true });
  }
}
