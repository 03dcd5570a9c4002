/* Writes only if rows are still as they were: a batch has no conditions, so statements in it fail if a row has changed. */
import type { Client, InStatement, InValue } from '@libsql/client';

type Statement = { sql: string; args: InValue[] };

/** The error of a failed requirement contains it, because SQLite quotes the JSON path that it cannot read. */
const marker = 'hooktape-row-has-changed';
const requireStatement = (condition: string, args: InValue[]): Statement => ({
  sql: `SELECT json_extract('{}', iif(${condition}, '$', '${marker}'))`,
  args,
});

/** For `writeIfUnchanged`: an update of a row, whose condition must still hold. */
export const compareAndSetStatements = (update: Statement): Statement[] => [
  update,
  requireStatement('changes() > 0', []),
];

/** For `writeIfUnchanged`: the query must find no row. */
export const requireNoRowStatement = ({ sql, args }: Statement): Statement =>
  requireStatement(`NOT EXISTS (${sql})`, args);

/** Writes in one transaction. @returns false, with nothing written, if a row is no longer as they require */
export async function writeIfUnchanged(
  client: Pick<Client, 'batch'>,
  statements: readonly InStatement[],
): Promise<boolean> {
  try {
    await client.batch([...statements], 'write');
    return true;
  } catch (error) {
    if (error instanceof Error && error.message.includes(marker)) return false;
    throw error;
  }
}
