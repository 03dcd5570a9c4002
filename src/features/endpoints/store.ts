/*
 * Endpoints and their tokens: the current one and the replaced ones. Ownership is part of every query. A deleted endpoint is invisible
 * at once and removed in the background. A replaced token is accepted until its overlap ends, and kept afterwards, so that signatures
 * that cover the URL can still be verified.
 */

import { and, asc, desc, eq, exists, getTableColumns, gt, inArray, isNull, lt, notExists, or, sql } from 'drizzle-orm';
import type { PlanCutoff } from '../../core/events/retention.ts';
import { pick } from '../../core/pick.ts';
import type { Drizzle } from '../../db/database.ts';
import { endpointCounters, jsonRows } from '../../db/endpoint-counters.ts';
import { insertIf } from '../../db/insert-if.ts';
import { accounts, endpoints, pins, previousTokens, teams } from '../../db/schema.ts';
import type { RegisteredEndpoint } from './registry.ts';

export type PreviousTokenRow = typeof previousTokens.$inferSelect;
export type EndpointRow = typeof endpoints.$inferSelect;

/** How many replaced tokens of an endpoint are kept after their overlap. */
const maxKept = 50;

const registeredColumns = pick(endpoints, 'seq', 'id', 'teamId', 'token', 'pausedAt', 'guard', 'guardSecrets');

/** @param replaced oldest first */
const toRegistered = (
  { seq, id, teamId, token, pausedAt, guard, guardSecrets }: Pick<EndpointRow, keyof typeof registeredColumns>,
  replaced: readonly PreviousTokenRow[],
): RegisteredEndpoint => ({
  seq,
  id,
  teamId,
  token,
  isPaused: pausedAt !== null,
  previous: replaced.map(one => ({ token: one.token, replacedAt: one.replacedAt, until: one.until })),
  ...(guard && { guarded: { guard, guardSecrets } }),
});

/** The replaced tokens of one of the team's endpoints, oldest first. */
const selectReplaced = (db: Drizzle, teamId: string, id: string) =>
  db
    .select(getTableColumns(previousTokens))
    .from(previousTokens)
    .innerJoin(endpoints, eq(endpoints.seq, previousTokens.endpoint))
    .where(and(eq(endpoints.id, id), eq(endpoints.teamId, teamId)))
    .orderBy(asc(previousTokens.seq));

export type TokensStore = ReturnType<typeof createTokensStore>;

export function createTokensStore(db: Drizzle) {
  const owned = (teamId: string, id: string) =>
    and(eq(endpoints.id, id), eq(endpoints.teamId, teamId), isNull(endpoints.deletedAt));

  return {
    /** The replaced tokens of the team's endpoints that are accepted at `now`, newest first. */
    taken: (teamId: string, now: number): Promise<PreviousTokenRow[]> =>
      db
        .select(getTableColumns(previousTokens))
        .from(previousTokens)
        .innerJoin(endpoints, eq(endpoints.seq, previousTokens.endpoint))
        .where(and(eq(endpoints.teamId, teamId), gt(previousTokens.until, now)))
        .orderBy(desc(previousTokens.seq)),

    /**
     * Gives the endpoint a new token, and keeps the old one until `until`.
     * @returns undefined when there is no such endpoint, or if `limit` of its replaced tokens are still accepted
     */
    async replace(
      { teamId, id }: { teamId: string; id: string },
      by: { id: string; token: string; now: number; until: number; limit: number },
    ): Promise<RegisteredEndpoint | undefined> {
      const { now, until } = by;
      const isReplaced = exists(
        db.select({ id: previousTokens.id }).from(previousTokens).where(eq(previousTokens.id, by.id)),
      );
      const [, rows, , replaced] = await db.batch([
        // Raw: the old token comes from the endpoint (INSERT … SELECT). Numbers are bound as REAL.
        db.run(sql`INSERT INTO previous_tokens (id, endpoint, token, replaced_at, until)
          SELECT ${by.id}, seq, token, CAST(${now} AS INTEGER), CAST(${until} AS INTEGER) FROM endpoints
          WHERE id = ${id} AND team_id = ${teamId} AND deleted_at IS NULL AND (SELECT count(*) FROM previous_tokens
            WHERE previous_tokens.endpoint = endpoints.seq AND previous_tokens.until > ${now}) < ${by.limit}`),
        db
          .update(endpoints)
          .set({ token: by.token })
          .where(and(owned(teamId, id), isReplaced))
          .returning(registeredColumns),
        db.delete(previousTokens).where(
          and(
            sql`${previousTokens.until} <= ${now}`,
            // Raw: this uses the endpoint of the inserted row, for which Drizzle would need further queries.
            sql`${previousTokens.endpoint} = (SELECT endpoint FROM previous_tokens WHERE id = ${by.id})`,
            sql`${previousTokens.id} NOT IN (SELECT id FROM previous_tokens
              WHERE endpoint = (SELECT endpoint FROM previous_tokens WHERE id = ${by.id})
              ORDER BY seq DESC LIMIT ${maxKept})`,
          ),
        ),
        selectReplaced(db, teamId, id),
      ]);
      return rows[0] && toRegistered(rows[0], replaced);
    },

    /** @returns undefined when the endpoint has no such replaced token, or its overlap has ended */
    async endOverlap(
      { teamId, id }: { teamId: string; id: string },
      { tokenId, now }: { tokenId: string; now: number },
    ): Promise<RegisteredEndpoint | undefined> {
      const endpoint = db.select({ seq: endpoints.seq }).from(endpoints).where(owned(teamId, id));
      const [ended, rows, replaced] = await db.batch([
        db
          .update(previousTokens)
          .set({ until: now })
          .where(
            and(
              eq(previousTokens.id, tokenId),
              inArray(previousTokens.endpoint, endpoint),
              gt(previousTokens.until, now),
            ),
          ),
        db.select(registeredColumns).from(endpoints).where(owned(teamId, id)),
        selectReplaced(db, teamId, id),
      ]);
      return ended.rowsAffected === 1 && rows[0] ? toRegistered(rows[0], replaced) : undefined;
    },

    /** What ingest needs of every live endpoint. */
    async listRegistered(): Promise<RegisteredEndpoint[]> {
      // In this order: an endpoint that is rotated in between has its old token in both results, and never in neither.
      const live = await db.select(registeredColumns).from(endpoints).where(isNull(endpoints.deletedAt));
      const replaced = await db.select().from(previousTokens).orderBy(asc(previousTokens.seq));
      const byEndpoint = Map.groupBy(replaced, ({ endpoint }) => endpoint);
      return live.map(row => toRegistered(row, byEndpoint.get(row.seq) ?? []));
    },

    /** The endpoint of this token, or of this replaced token. */
    async findRegistered(token: string): Promise<RegisteredEndpoint | undefined> {
      const had = db
        .select({ seq: previousTokens.endpoint })
        .from(previousTokens)
        .where(eq(previousTokens.token, token));
      const [row] = await db
        .select(registeredColumns)
        .from(endpoints)
        .where(and(or(eq(endpoints.token, token), inArray(endpoints.seq, had)), isNull(endpoints.deletedAt)));
      return row && toRegistered(row, await selectReplaced(db, row.teamId, row.id));
    },
  };
}

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
      const columns = {
        ...pick(endpoints, 'seq', 'id', 'name', 'token', 'createdAt', 'retention', 'pausedAt', 'declaredName'),
        guard: sql`json(${endpoints.guard})`,
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
