/* Saved filters. Ownership is part of every query. */
import { and, asc, eq, exists, isNull, lt } from 'drizzle-orm';
import type { Drizzle } from '../../db/database.ts';
import { insertIf } from '../../db/insert-if.ts';
import { endpoints, filters } from '../../db/schema.ts';

export type FilterRow = typeof filters.$inferSelect;

/** An endpoint of a team. */
export type OwnEndpoint = { teamId: string; endpoint: number };

export type FiltersStore = ReturnType<typeof createFiltersStore>;

export function createFiltersStore(db: Drizzle) {
  const owned = ({ teamId, endpoint }: OwnEndpoint) =>
    exists(
      db
        .select({ seq: endpoints.seq })
        .from(endpoints)
        .where(and(eq(endpoints.seq, endpoint), eq(endpoints.teamId, teamId), isNull(endpoints.deletedAt))),
    );
  const of = (own: OwnEndpoint) => and(eq(filters.endpoint, own.endpoint), owned(own));

  return {
    /** Oldest first. */
    listOf: (own: OwnEndpoint): Promise<FilterRow[]> =>
      db.select().from(filters).where(of(own)).orderBy(asc(filters.createdAt), asc(filters.id)),

    /** @returns false if the endpoint has `limit` filters or no longer exists */
    async insertWithin(limit: number, { teamId }: Pick<OwnEndpoint, 'teamId'>, row: FilterRow): Promise<boolean> {
      const own = { teamId, endpoint: row.endpoint };
      const isBelowLimit = lt(db.$count(filters, eq(filters.endpoint, row.endpoint)), limit);
      return (await insertIf(db, filters, row, and(owned(own), isBelowLimit))).rowsAffected === 1;
    },

    async remove(own: OwnEndpoint, id: string): Promise<boolean> {
      return (await db.delete(filters).where(and(eq(filters.id, id), of(own)))).rowsAffected === 1;
    },
  };
}
