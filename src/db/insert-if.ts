/* Conditional inserts: the check and the insert are one statement, so no other write can come in between. */
import { getTableColumns, type SQL, sql } from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import type { Drizzle } from './database.ts';

/**
 * Inserts the row if the condition holds when the statement runs: `rowsAffected` is then 1. Absent fields get the column's
 * default. Raw, because Drizzle's INSERT … SELECT has to list every column of the table and to select from one.
 */
export function insertIf<Table extends SQLiteTable>(
  db: Drizzle,
  table: Table,
  row: Table['$inferInsert'],
  condition: SQL | undefined,
) {
  const fields = Object.entries(getTableColumns(table)).flatMap(([key, column]) => {
    const value = (row as Record<string, unknown>)[key];
    return value === undefined ? [] : [{ name: sql.identifier(column.name), value: sql.param(value, column) }];
  });
  const list = (parts: SQL[]) => sql.join(parts, sql`, `);
  return db.run(sql`INSERT INTO ${table} (${list(fields.map(({ name }) => sql`${name}`))})
    SELECT ${list(fields.map(({ value }) => sql`${value}`))} WHERE ${condition ?? sql`TRUE`}`);
}
