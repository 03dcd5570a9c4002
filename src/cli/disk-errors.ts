/* What a command says when the disk, or the file on it, is at fault: what to do, in the words of an operator. */

const troubles: [RegExp, (words: string) => string][] = [
  [
    /^SQLITE_(?:CORRUPT|NOTADB)/,
    words =>
      `the database file is damaged: ${words}\nMove the data directory aside and bring your newest backup back into an empty one: hooktape restore FILE`,
  ],
  [/^(?:SQLITE_FULL|ENOSPC)/, words => `the disk is full: ${words}\nWhat is stored is safe. Make room and try again.`],
];

/** The error's own words, which Drizzle wraps, and the way out; undefined when it is about something else. */
export function diskErrorMessage(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, cause, message } = error as Error & { code?: unknown };
  const [, sentence] = troubles.find(([codes]) => codes.test(String(code))) ?? [];
  // The client puts the code before what the database said, which begins with it, too.
  return sentence ? sentence(message.replace(/^(SQLITE_\w+: )\1+/, '$1')) : diskErrorMessage(cause);
}
