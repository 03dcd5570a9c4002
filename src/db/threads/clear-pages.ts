/*
 * Clears a range of pages on the writing connection, in one transaction. Reads and writes pages with SQLite's table `sqlite_dbpage`, so
 * that they pass through the log like every other change.
 */
import type { PackedResult } from './messages.ts';
import type { NativeConnection } from './native-connection.ts';
import { clearPages, readFormat } from './page-slack.ts';

/** One row: the number of pages of the file, how many changed, and how many do not follow the format. */
const clearedColumns = ['pages', 'changed', 'unreadable'];

export function clearPagesOn(connection: NativeConnection, from: number, count: number): PackedResult {
  // While pages are cleared, nothing new is left behind. Each call says so, because the connection may have been replaced.
  connection.script('PRAGMA secure_delete = ON');
  return connection.inTransaction(execute => {
    const pages = Number(execute({ sql: 'PRAGMA page_count', args: [] }).rows[0]?.[0]);
    const read = (page: number): Buffer => {
      const { rows } = execute({ sql: 'SELECT data FROM sqlite_dbpage WHERE pgno = ?', args: [page] });
      if (!rows[0]) throw new RangeError(`page ${page} is missing`);
      return Buffer.from(rows[0][0] as ArrayBuffer);
    };
    const range = { from, to: Math.min(from + count, pages + 1) };
    const { changed, unreadable } = clearPages(range, readFormat(read(1)), read);
    for (const [page, content] of changed)
      execute({ sql: 'UPDATE sqlite_dbpage SET data = ? WHERE pgno = ?', args: [content, page] });
    const rows = [[pages, changed.size, unreadable]];
    return { columns: clearedColumns, columnTypes: [], rows, rowsAffected: changed.size, lastInsertRowid: undefined };
  });
}

export const stopClearing = (connection: NativeConnection): void => connection.script('PRAGMA secure_delete = OFF');
