/* Conditional changes: the statement checks what must hold, and the number of rows tells whether it did. */

/** Runs the statement. @returns whether it changed one row */
export const changesOne = async (statement: PromiseLike<{ rowsAffected: number }>): Promise<boolean> =>
  (await statement).rowsAffected === 1;
