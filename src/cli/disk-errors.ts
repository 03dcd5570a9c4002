/* Messages for errors of the disk or the database file, with advice for the operator. */

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
