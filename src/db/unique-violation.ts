/** Whether a write failed on a UNIQUE constraint. Drizzle wraps the error, batches do not, so causes are checked as well. */
export function isUniqueViolation(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code, extendedCode, message } = cause as Error & { code?: unknown; extendedCode?: unknown };
    if (extendedCode === 'SQLITE_CONSTRAINT_UNIQUE' || code === 'SQLITE_CONSTRAINT_UNIQUE') return true;
    // A libSQL server sends no extended codes.
    if (code === 'SQLITE_CONSTRAINT' && extendedCode === undefined && message.includes('UNIQUE constraint failed'))
      return true;
  }
  return false;
}
