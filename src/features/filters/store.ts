/* Saved filters. */
import type { Drizzle } from '../../db/database.ts';
import { createResourceStore, type OwnEndpoint } from '../../db/resource-store.ts';
import { filters } from '../../db/schema.ts';

export type FilterRow = typeof filters.$inferSelect;

export type FiltersStore = ReturnType<typeof createFiltersStore>;

export function createFiltersStore(db: Drizzle) {
  const { listOf, insertWithin, removeQuery } = createResourceStore(db, filters, [filters.createdAt, filters.id]);
  return {
    listOf,
    insertWithin,
    remove: async (own: OwnEndpoint, id: string): Promise<boolean> => (await removeQuery(own, id)).rowsAffected === 1,
  };
}
