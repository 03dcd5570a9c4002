/* Errors of the system in words, with advice for the operator: files, programs, disks, `fetch`. */

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

/** Why a file cannot be read, written or started. */
export function fileProblem(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return reasons[code ?? ''] ?? message;
}

/** For `Bun.spawn`. */
export const startProblem = (error: unknown): string =>
  (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'there is no such program' : fileProblem(error);

/** The message of a failed `fetch`, without its advice for developers. */
export const fetchErrorMessage = (error: unknown): string =>
  (error as Error).message.replace(/ For more information, pass .*$/s, '');

const advice: [RegExp, (reason: string) => string][] = [
  [
    /^SQLITE_(?:CORRUPT|NOTADB)/,
    reason =>
      `the database file is damaged: ${reason}\nMove the data directory away and restore your newest backup into an empty one: hooktape restore FILE`,
  ],
  [
    /^(?:SQLITE_FULL|ENOSPC)/,
    reason => `the disk is full: ${reason}\nStored events are safe. Free some space and try again.`,
  ],
];

/** The message of a disk error, which Drizzle may have wrapped, with what to do; undefined for other errors. */
export function diskErrorMessage(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, cause, message } = error as Error & { code?: unknown };
  const [, sentence] = advice.find(([codes]) => codes.test(String(code))) ?? [];
  // The client prefixes the code to a message that already begins with it.
  return sentence ? sentence(message.replace(/^(SQLITE_\w+: )\1+/, '$1')) : diskErrorMessage(cause);
}
