/* Whose files these are to read. */
import { chmodSync, statSync } from 'node:fs';

/**
 * For its owner alone. One that is another user's, or on a file system without modes, keeps the mode that it has: whoever gave
 * it to this user has said who else may.
 */
export function restrictToOwner(file: string): void {
  try {
    if ((statSync(file).mode & 0o777) !== 0o600) chmodSync(file, 0o600);
  } catch (error) {
    if (!['EPERM', 'ENOTSUP', 'ENOSYS', 'EROFS'].includes(String((error as { code?: unknown }).code))) throw error;
  }
}
