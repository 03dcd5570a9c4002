/* Describes why a file cannot be read, written or started, in words instead of the system's error code. */

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  ENOTDIR: 'a part of its path is not a folder',
  EISDIR: 'it is a folder',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'its file system is read-only',
  ENOSPC: 'the disk is full',
  ENAMETOOLONG: 'its name is too long',
  ELOOP: 'its path has too many links',
};

export function fileProblem(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return reasons[code ?? ''] ?? message;
}

/** For `Bun.spawn`. */
export const startProblem = (error: unknown): string =>
  (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'there is no such program' : fileProblem(error);
