/* Telling "this value is taken" from all other ways in which a write fails. */

/** Whether a write failed on a UNIQUE constraint. The error itself or a cause of it says so: Drizzle wraps, batches do not. */
export function isUniqueViolation(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code, extendedCode, message } = at as Error & { code?: unknown; extendedCode?: unknown };
    if (extendedCode === 'SQLITE_CONSTRAINT_UNIQUE' || code === 'SQLITE_CONSTRAINT_UNIQUE') return true;
    // A libSQL server knows no extended codes.
    if (code === 'SQLITE_CONSTRAINT' && extendedCode === undefined && message.includes('UNIQUE constraint failed'))
      return true;
  }
  return false;
}
