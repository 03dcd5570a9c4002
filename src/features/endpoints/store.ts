/* Endpoints. Ownership is part of every query. A deleted endpoint is invisible at once and removed in the background. */

import { and, eq, exists, getTableColumns, isNull, lt, notExists, sql } from 'drizzle-orm';
import type { PlanCutoff } from '../../core/events/retention.ts';
import type { Drizzle } from '../../db/database.ts';
import { endpointCounters, jsonRows } from '../../db/endpoint-counters.ts';
import { insertIf } from '../../db/insert-if.ts';
import { accounts, endpoints, pins, teams } from '../../db/schema.ts';
import type { RegisteredEndpoint } from './registry.ts';
import { registeredColumns, selectReplaced, toRegistered } from './tokens-store.ts';

export type EndpointRow = typeof endpoints.$inferSelect;
/** As the API shows it. `hasRules`: 0 or 1. */
export type CountedRow = EndpointRow & {
  hasRules: number;
  enabledAlerts: number;
  firingAlerts: number;
  untilExpiryMs: number | null;
};
/** What the API shows of an endpoint. */
export type ListedRow = Omit<
  CountedRow,
  | 'teamId'
  | 'deletedAt'
  | 'learnSecretsUntil'
  | 'retentionMs'
  | 'sweptSeq'
  | 'guardSecrets'
  | 'declaredFields'
  | 'madeByFile'
>;

export type EndpointsStore = ReturnType<typeof createEndpointsStore>;

/** @param scanDb the thread for long reads */
export function createEndpointsStore(db: Drizzle, scanDb: Drizzle) {
  const owned = (teamId: string, id: string) =>
    and(eq(endpoints.id, id), eq(endpoints.teamId, teamId), isNull(endpoints.deletedAt));
  const counted = (cutoff: PlanCutoff) => ({
    ...endpointCounters(cutoff),
    // Literal names, as in the counters.
    hasRules: sql<number>`EXISTS (SELECT 1 FROM answers WHERE answers.endpoint = endpoints.seq)`,
    enabledAlerts: sql<number>`(SELECT count(*) FROM alerts WHERE alerts.endpoint = endpoints.seq AND enabled)`,
    firingAlerts: sql<number>`(SELECT count(*) FROM alerts WHERE alerts.endpoint = endpoints.seq AND enabled AND firing)`,
  });
  return {
    /** It grows with every change of what the list and the overview show. */
    teamVersion: async (teamId: string): Promise<number> =>
      (await db.select({ version: teams.version }).from(teams).where(eq(teams.id, teamId)).get())?.version ?? 0,

    /** Oldest first. */
    async listOf(teamId: string, cutoff: PlanCutoff): Promise<ListedRow[]> {
      const { activity: _, ...counters } = counted(cutoff);
      const { seq, id, name, token, createdAt, retention, pausedAt, guard, declaredName } = endpoints;
      const guardJson = sql`json(${guard})`;
      const columns = {
        seq,
        id,
        name,
        token,
        createdAt,
        retention,
        pausedAt,
        guard: guardJson,
        declaredName,
        ...counters,
      };
      const live = sql`SELECT * FROM endpoints WHERE team_id = ${teamId} AND deleted_at IS NULL ORDER BY seq`;
      return jsonRows<typeof columns, ListedRow>(db, columns, sql`FROM (${live}) AS endpoints`);
    },

    async findCounted(teamId: string, id: string, cutoff: PlanCutoff): Promise<CountedRow | undefined> {
      const { activity: _, ...counters } = counted(cutoff);
      const columns = { ...getTableColumns(endpoints), ...counters };
      return db.select(columns).from(endpoints).where(owned(teamId, id)).get();
    },

    find: (teamId: string, id: string): Promise<EndpointRow | undefined> =>
      db.select().from(endpoints).where(owned(teamId, id)).get(),

    /** The ids of the team's endpoints with this name, at most two. */
    async named(teamId: string, name: string): Promise<string[]> {
      const isNamed = and(eq(endpoints.teamId, teamId), eq(endpoints.name, name), isNull(endpoints.deletedAt));
      return (await db.select({ id: endpoints.id }).from(endpoints).where(isNamed).limit(2)).map(({ id }) => id);
    },

    /**
     * Inserts the endpoint, in one statement, unless the team has `limit` endpoints (0: no limit) or no account.
     * @returns the row number; `full` or `gone` when it was not inserted
     */
    async insertWithin(limit: number, row: typeof endpoints.$inferInsert): Promise<number | 'full' | 'gone'> {
      const member = db.select({ id: accounts.id }).from(accounts).where(eq(accounts.teamId, row.teamId)).limit(1);
      const existing = db.$count(endpoints, and(eq(endpoints.teamId, row.teamId), isNull(endpoints.deletedAt)));
      const { rowsAffected, lastInsertRowid } = await insertIf(
        db,
        endpoints,
        row,
        and(exists(member), limit === 0 ? undefined : lt(existing, limit)),
      );
      if (rowsAffected === 1) return Number(lastInsertRowid);
      return (await member).length > 0 ? 'full' : 'gone';
    },

    /**
     * @param change with `pausedAt`, an endpoint that is paused already keeps its time @returns the changed endpoint; undefined
     * if it does not exist
     */
    async update(
      teamId: string,
      id: string,
      { pausedAt, ...change }: Partial<Omit<EndpointRow, 'seq' | 'id' | 'teamId' | 'token'>>,
    ): Promise<(Pick<EndpointRow, 'name' | 'retention'> & { registered: RegisteredEndpoint }) | undefined> {
      const pause = typeof pausedAt === 'number' ? sql`coalesce(${endpoints.pausedAt}, ${pausedAt})` : pausedAt;
      const [rows, replaced] = await db.batch([
        db
          .update(endpoints)
          .set({ ...change, ...(pause !== undefined && { pausedAt: pause }) })
          .where(owned(teamId, id))
          .returning({ name: endpoints.name, retention: endpoints.retention, ...registeredColumns }),
        selectReplaced(db, teamId, id),
      ]);
      const [row] = rows;
      return row && { name: row.name, retention: row.retention, registered: toRegistered(row, replaced) };
    },

    /** @param withPinned false: the endpoint is kept if it has pinned events */
    async markDeleted(
      teamId: string,
      id: string,
      { at, withPinned }: { at: number; withPinned: boolean },
    ): Promise<boolean> {
      const pinned = db.select({ one: sql`1` }).from(pins).where(eq(pins.endpoint, endpoints.seq));
      const { rowsAffected } = await db
        .update(endpoints)
        .set({ deletedAt: at })
        .where(and(owned(teamId, id), withPinned ? undefined : notExists(pinned)));
      return rowsAffected === 1;
    },

    async markAllDeleted(teamId: string, at: number): Promise<void> {
      await db
        .update(endpoints)
        .set({ deletedAt: at })
        .where(and(eq(endpoints.teamId, teamId), isNull(endpoints.deletedAt)));
    },

    /** The number of events in each of these hours. @param hours the beginnings, epoch ms */
    async activityOf(endpoint: number, hours: readonly number[], cutoff: PlanCutoff): Promise<number[]> {
      const [row] = await scanDb
        .select({ activity: endpointCounters(cutoff).activity(hours) })
        .from(endpoints)
        .where(eq(endpoints.seq, endpoint));
      return JSON.parse(row?.activity ?? '[]') as number[];
    },
  };
}
