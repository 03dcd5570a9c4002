/* Writes a secret to its own file: atomically, readable by its owner only, never over an existing file. */
import { rmSync, writeFileSync } from 'node:fs';
import { moveIntoPlace } from '../db/files/publish-file.ts';

/**
 * @param part path of the temporary file, in the same directory
 * @throws conflict if `file` exists, or the file system's error
 */
export function writeSecretFile(file: string, secret: string, part: string): void {
  // Left by an interrupted attempt.
  rmSync(part, { force: true });
  try {
    writeFileSync(part, secret, { mode: 0o600, flag: 'wx', flush: true });
    moveIntoPlace(part, file);
  } finally {
    rmSync(part, { force: true });
  }
}
