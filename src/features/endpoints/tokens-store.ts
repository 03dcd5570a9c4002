/*
 * The tokens of endpoints: the current one and the replaced ones. A replaced token is accepted until its overlap ends, and kept
 * afterwards, so that signatures that cover the URL can still be verified.
 */

import { and, asc, desc, eq, exists, getTableColumns, gt, inArray, isNull, or, sql } from 'drizzle-orm';
import { pick } from '../../core/pick.ts';
import type { Drizzle } from '../../db/database.ts';
import { endpoints, previousTokens } from '../../db/schema.ts';
import type { RegisteredEndpoint } from './registry.ts';

export type PreviousTokenRow = typeof previousTokens.$inferSelect;
type EndpointRow = typeof endpoints.$inferSelect;

/** How many replaced tokens of an endpoint are kept after their overlap. */
const maxKept = 50;

export const registeredColumns = pick(endpoints, 'seq', 'id', 'teamId', 'token', 'pausedAt', 'guard', 'guardSecrets');

/** @param replaced oldest first */
export const toRegistered = (
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
export const selectReplaced = (db: Drizzle, teamId: string, id: string) =>
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
