/* Rows that belong to an endpoint. Ownership is part of every query: for another team, they do not exist. */
import { and, asc, eq, exists, isNull, lt, type SQL } from 'drizzle-orm';
import type { SQLiteColumn, SQLiteTable, SQLiteUpdateSetSource } from 'drizzle-orm/sqlite-core';
import type { Drizzle } from './database.ts';
import { insertIf } from './insert-if.ts';
import { endpoints } from './schema.ts';

export type OwnEndpoint = { teamId: string; endpoint: number };

type ResourceTable = SQLiteTable & { id: SQLiteColumn; endpoint: SQLiteColumn };

export const isOwn = (db: Drizzle, { teamId, endpoint }: OwnEndpoint): SQL =>
  exists(
    db
      .select({ seq: endpoints.seq })
      .from(endpoints)
      .where(and(eq(endpoints.seq, endpoint), eq(endpoints.teamId, teamId), isNull(endpoints.deletedAt))),
  );

/** @param order the columns that lists are sorted by, oldest first */
export function createResourceStore<Table extends ResourceTable>(
  db: Drizzle,
  table: Table,
  order: readonly SQLiteColumn[],
) {
  type Row = Table['$inferSelect'];
  type NewRow = Table['$inferInsert'] & { endpoint: number };
  const rowsOf = (own: OwnEndpoint) => and(eq(table.endpoint, own.endpoint), isOwn(db, own));
  const rowOf = (own: OwnEndpoint, id: string) => and(eq(table.id, id), rowsOf(own));
  // Drizzle cannot tell which columns a table that is a type parameter has.
  const select = (condition: SQL | undefined) =>
    db
      .select()
      .from(table as SQLiteTable)
      .where(condition)
      .orderBy(...order.map(asc)) as unknown as Promise<Row[]>;

  return {
    listOf: (own: OwnEndpoint): Promise<Row[]> => select(rowsOf(own)),

    find: async (own: OwnEndpoint, id: string): Promise<Row | undefined> => (await select(rowOf(own, id)))[0],

    /** @returns false if the endpoint already has `limit` rows, or no longer exists */
    async insertWithin(limit: number, { teamId }: Pick<OwnEndpoint, 'teamId'>, row: NewRow): Promise<boolean> {
      const isBelowLimit = lt(db.$count(table, eq(table.endpoint, row.endpoint)), limit);
      const condition = and(isOwn(db, { teamId, endpoint: row.endpoint }), isBelowLimit);
      return (await insertIf(db, table, row, condition)).rowsAffected === 1;
    },

    /** @returns the changed row; undefined if it does not exist */
    async change(own: OwnEndpoint, id: string, change: Partial<Row>): Promise<Row | undefined> {
      const update = db.update(table).set(change as SQLiteUpdateSetSource<Table>);
      return ((await update.where(rowOf(own, id)).returning()) as Row[])[0];
    },

    /** A query that deletes the row, to be run alone or in a batch. */
    removeQuery: (own: OwnEndpoint, id: string) => db.delete(table).where(rowOf(own, id)),
  };
}
