/* Fragments for queries with Drizzle. */
import type { InValue } from '@libsql/client';
import { and, type Column, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { SQLiteTable, SQLiteUpdateSetSource } from 'drizzle-orm/sqlite-core';
import type { Drizzle } from './database.ts';

/** Whether `value` is one of `list`. The list is a single parameter, because a statement has at most 32,766 parameters. */
export const inList = (value: Column | SQLWrapper, list: readonly (number | string)[]): SQL =>
  sql`${value} IN (SELECT value FROM json_each(${JSON.stringify(list)}))`;

/** A statement of `@libsql/client` that updates the rows that meet all conditions. */
export const updateStatement = <Table extends SQLiteTable>(
  db: Drizzle,
  table: Table,
  set: SQLiteUpdateSetSource<Table>,
  ...conditions: (SQL | undefined)[]
) =>
  toClientStatement(
    db
      .update(table)
      .set(set)
      .where(and(...conditions)),
  );

/** Converts a query to a statement of `@libsql/client`, for a batch whose raw results are needed. */
export function toClientStatement(query: { toSQL: () => { sql: string; params: unknown[] } }): {
  sql: string;
  args: InValue[];
} {
  const { sql, params } = query.toSQL();
  return { sql, args: params as InValue[] };
}
