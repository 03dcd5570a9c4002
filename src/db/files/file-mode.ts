/* Restricts the permissions of our files. */
import { chmodSync, statSync } from 'node:fs';

/**
 * Allows only the owner to read and write the file. The mode of another user's file, or one on a file system without modes, is
 * kept.
 */
export function restrictToOwner(file: string): void {
  try {
    if ((statSync(file).mode & 0o777) !== 0o600) chmodSync(file, 0o600);
  } catch (error) {
    if (!['EPERM', 'ENOTSUP', 'ENOSYS', 'EROFS'].includes(String((error as { code?: unknown }).code))) throw error;
  }
}
