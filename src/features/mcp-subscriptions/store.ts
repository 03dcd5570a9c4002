/*
 * Subscriptions, and the callbacks that have answered the challenge. Each read says whether a subscription may still send, so that
 * nothing is sent after a grant or an endpoint has ended, however it ended.
 */

import type { Client, InStatement } from '@libsql/client';
import { and, asc, count, eq, gt, isNull, lt, lte, or, type SQL, sql } from 'drizzle-orm';
import { subscriptionQueue } from '../../core/mcp-events/subscription.ts';
import type { Health } from '../../core/network/destination-health.ts';
import { pick } from '../../core/pick.ts';
import { compareAndSetStatements, writeIfUnchanged } from '../../db/compare-and-set.ts';
import type { Database, Drizzle } from '../../db/database.ts';
import { insertIf } from '../../db/insert-if.ts';
import { accounts, endpoints, teams } from '../../db/schema.ts';
import { connectedApps } from '../../db/schema-oauth.ts';
import { mcpCallbacks, mcpSubscriptions, queueItems, queues } from '../../db/schema-queues.ts';
import { inList, toClientStatement, updateStatement } from '../../db/sql-fragments.ts';

type Row = typeof mcpSubscriptions.$inferSelect;
type Issuers = readonly string[];
/** The most subscriptions of an app and of a team. */
type Limits = { app: number; team: number };
/** Why it has ended: its app's access, its endpoint, or its time. */
export type EndReason = 'access' | 'endpoint' | 'time';
/** A subscription with its team and its endpoint. `ended`: null while it may send. */
export type Subscription = Row & { plan: 'free' | 'pro'; endpointId: string | null; ended: EndReason | null };
export type NewSubscription = Omit<
  typeof mcpSubscriptions.$inferInsert,
  'seq' | 'failures' | 'failingSince' | 'probeAt' | 'answered'
>;
export type ListedSubscription = Row & { endpointId: string | null; endpointName: string | null; waiting: number };

export type SubscriptionsStore = ReturnType<typeof createSubscriptionsStore>;

const table = mcpSubscriptions;
/** A response that was not written within this time was not written at all: the process had ended. */
const unansweredMs = 60_000;

/**
 * Whether the app has access through this grant; a grant of null is that of an app of an external issuer.
 * @param issuers which are trusted
 */
const hasAccess = (at: { appId: SQL; grantId: SQL; teamId: SQL }, now: number, issuers: Issuers): SQL => sql`EXISTS (
  SELECT 1 FROM connected_apps AS app JOIN accounts ON accounts.id = app.account_id AND accounts.team_id = ${at.teamId}
  WHERE app.id = ${at.appId} AND app.revoked_at IS NULL
    AND NOT EXISTS (SELECT 1 FROM oauth_clients WHERE oauth_clients.id = app.client_id AND disabled_at IS NOT NULL)
    AND CASE WHEN ${at.grantId} IS NULL THEN ${inList(sql`app.issuer`, issuers)} ELSE EXISTS (SELECT 1 FROM oauth_grants AS own
      WHERE own.id = ${at.grantId} AND own.app_id = app.id AND own.revoked_at IS NULL AND own.expires_at > ${now}) END)`;

const ownAccess = { appId: sql`${table.appId}`, grantId: sql`${table.grantId}`, teamId: sql`${table.teamId}` };
const endedAt = (now: number, issuers: Issuers): SQL<EndReason | null> => sql<EndReason | null>`CASE
  WHEN NOT ${hasAccess(ownAccess, now, issuers)} THEN 'access'
  WHEN ${table.endpoint} IS NOT NULL AND ${endpoints.seq} IS NULL THEN 'endpoint'
  WHEN ${table.refreshBefore} <= ${now} THEN 'time' END`;

function createReads(db: Drizzle, issuers: Issuers) {
  const isLive = and(
    eq(endpoints.seq, table.endpoint),
    eq(endpoints.teamId, table.teamId),
    isNull(endpoints.deletedAt),
  );
  const select = (now: number, condition: SQL | undefined, limit = 1000) =>
    db
      .select({ row: table, plan: teams.plan, endpointId: endpoints.id, ended: endedAt(now, issuers) })
      .from(table)
      .leftJoin(teams, eq(teams.id, table.teamId))
      .leftJoin(endpoints, isLive)
      .where(condition)
      .orderBy(asc(table.seq))
      .limit(limit)
      .then(rows => rows.map(({ row, plan, ...rest }): Subscription => ({ ...row, plan: plan ?? 'free', ...rest })));
  const isStarted = (now: number): SQL | undefined =>
    or(eq(table.answered, true), sql`abs(${table.createdAt} - ${now}) > ${unansweredMs}`);
  return {
    /** @param owner of its queue */
    open: async (owner: string, now: number): Promise<Subscription | undefined> =>
      (await select(now, eq(table.owner, owner)))[0],

    find: async (id: string, now: number): Promise<Subscription | undefined> =>
      (await select(now, eq(table.id, id)))[0],

    /** The subscriptions to endpoints that may have new events, or to alerts, with `endpoint` null. */
    startedOf: (endpoint: number, now: number): Promise<Subscription[]> =>
      select(now, and(eq(table.name, 'webhook.received'), eq(table.endpoint, endpoint), isStarted(now))),
    startedOfAlerts: (now: number): Promise<Subscription[]> =>
      select(now, and(eq(table.name, 'alert.changed'), isStarted(now))),

    /** Row numbers of endpoints with subscriptions to their events. @param among if given, only of these endpoints */
    async watchedEndpoints(among?: readonly number[]): Promise<number[]> {
      if (among?.length === 0) return [];
      const isWatched = and(eq(table.name, 'webhook.received'), among && inList(table.endpoint, among));
      return (await db.selectDistinct({ endpoint: table.endpoint }).from(table).where(isWatched)).flatMap(
        ({ endpoint }) => endpoint ?? [],
      );
    },

    async ended(now: number): Promise<Subscription[]> {
      return (await select(now, sql`(${endedAt(now, issuers)}) IS NOT NULL`)).filter(({ ended }) => ended !== null);
    },

    /** The subscriptions of an account's apps, oldest first. */
    async listOf(accountId: string, now: number): Promise<ListedSubscription[]> {
      const waiting = db
        .select({ items: count() })
        .from(queueItems)
        .innerJoin(
          queues,
          and(eq(queues.seq, queueItems.queue), eq(queues.kind, subscriptionQueue), eq(queues.owner, table.owner)),
        );
      const rows = await db
        .select({
          row: table,
          endpointId: endpoints.id,
          endpointName: endpoints.name,
          waiting: sql<number>`(${waiting})`,
        })
        .from(table)
        .innerJoin(accounts, eq(accounts.id, table.accountId))
        .leftJoin(endpoints, isLive)
        .where(and(eq(table.accountId, accountId), sql`(${endedAt(now, issuers)}) IS NULL`))
        .orderBy(asc(table.seq));
      return rows.map(({ row, ...rest }) => ({ ...row, ...rest }));
    },
  };
}

/** Statements for transactions. */
const createStatements = (db: Drizzle) => ({
  changeStatement: (owner: string, set: Partial<Row>): InStatement =>
    updateStatement(db, table, set, eq(table.owner, owner)),
  /** For `writeMoved`: fails if it no longer exists, or has no longer the position or the secrets that `set` replaces. */
  refreshStatements: ({ owner, position, sealed }: Row, set: Partial<Row>): InStatement[] =>
    compareAndSetStatements(
      updateStatement(
        db,
        table,
        set,
        eq(table.owner, owner),
        set.position === undefined ? undefined : eq(table.position, position),
        set.sealed === undefined ? undefined : eq(table.sealed, sealed),
      ),
    ),

  /** Saves what an attempt showed, unless a refresh came in between. */
  attemptStatement: ({ owner, refreshedAt }: Row, set: Partial<Row> & Health): InStatement =>
    updateStatement(db, table, set, eq(table.owner, owner), eq(table.refreshedAt, refreshedAt)),

  /** For `writeMoved`: the position must be as it was read. */
  movePositionStatements: ({ owner, position }: Row, to: number): InStatement[] =>
    compareAndSetStatements(
      updateStatement(db, table, { position: to }, eq(table.owner, owner), eq(table.position, position)),
    ),
  /** For `writeMoved`: fails if it was removed already, so that only one process ends it. */
  removeStatements: ({ owner }: Pick<Row, 'owner'>): InStatement[] =>
    compareAndSetStatements(toClientStatement(db.delete(table).where(eq(table.owner, owner)))),
});

/** @param issuers the external ones whose tokens are accepted */
export function createSubscriptionsStore({ db, client }: Pick<Database, 'db' | 'client'>, issuers: Issuers) {
  /** Counts the subscriptions that have not run out of time. */
  const countOf = (condition: SQL, now: number): SQL =>
    db.$count(table, and(condition, or(isNull(table.refreshBefore), gt(table.refreshBefore, now))));
  return {
    ...createReads(db, issuers),
    ...createStatements(db),
    ...createSubscriptionItemsStore(client),
    ...createCallbacksStore(db),

    /** The client and the account of a connected app. */
    app: (id: string) =>
      db
        .select(pick(connectedApps, 'accountId', 'issuer', 'clientId', 'name'))
        .from(connectedApps)
        .where(eq(connectedApps.id, id))
        .get(),

    /** Which limit leaves no place for another subscription. */
    async fullLimit(appId: string, teamId: string, max: Limits, now: number): Promise<keyof Limits | undefined> {
      const [row] = await db
        .select({ app: countOf(eq(table.appId, appId), now), team: countOf(eq(table.teamId, teamId), now) })
        .from(teams)
        .where(eq(teams.id, teamId));
      if (Number(row?.app) >= max.app) return 'app';
      return Number(row?.team) >= max.team ? 'team' : undefined;
    },

    /** In one statement, so that parallel requests keep to the limits. @returns false if it was not inserted */
    async insertWithin(max: Limits, row: NewSubscription, now: number): Promise<boolean> {
      const { appId, grantId, teamId, endpoint } = row;
      const condition = and(
        lt(countOf(eq(table.appId, appId), now), max.app),
        lt(countOf(eq(table.teamId, teamId), now), max.team),
        hasAccess({ appId: sql`${appId}`, grantId: sql`${grantId ?? null}`, teamId: sql`${teamId}` }, now, issuers),
        endpoint === null || endpoint === undefined
          ? undefined
          : sql`EXISTS (SELECT 1 FROM endpoints WHERE seq = ${endpoint} AND team_id = ${teamId} AND deleted_at IS NULL)`,
        sql`NOT EXISTS (SELECT 1 FROM mcp_subscriptions WHERE id = ${row.id})`,
      );
      return (await insertIf(db, table, row, condition)).rowsAffected === 1;
    },

    /** @returns false, with nothing written, if the subscription has changed */
    writeMoved: (statements: readonly InStatement[]): Promise<boolean> => writeIfUnchanged(client, statements),
    write: (statements: readonly InStatement[]) => client.batch([...statements], 'write'),
  };
}

/** The callbacks that have answered the challenge, by their app and the hash of their URL. */
function createCallbacksStore(db: Drizzle) {
  const ofApp = (appId: string, url: Uint8Array) =>
    and(eq(mcpCallbacks.appId, appId), eq(mcpCallbacks.urlHash, Buffer.from(url)));

  return {
    isVerified: async (appId: string, urlHash: Uint8Array): Promise<boolean> =>
      (await db.select({ at: mcpCallbacks.verifiedAt }).from(mcpCallbacks).where(ofApp(appId, urlHash))).length > 0,
    async saveVerified(appId: string, urlHash: Uint8Array, now: number): Promise<void> {
      await db.run(sql`INSERT OR IGNORE INTO mcp_callbacks (app_id, url_hash, verified_at)
        SELECT id, ${Buffer.from(urlHash)}, ${now} FROM connected_apps WHERE id = ${appId}`);
    },
    /** Forgets callbacks of apps without a subscription that were verified before a time. */
    async removeOldVerified(before: number): Promise<void> {
      const unused = sql`NOT EXISTS (SELECT 1 FROM mcp_subscriptions WHERE mcp_subscriptions.app_id = ${mcpCallbacks.appId})`;
      await db.delete(mcpCallbacks).where(and(lte(mcpCallbacks.verifiedAt, before), unused));
    },
  };
}

const ofQueueSql = 'queue = (SELECT seq FROM queues WHERE kind = ?1 AND owner = ?2) AND outcome IS NULL';
// `detail` is written by work.ts: the time of the occurrence, or an object with it. Pinned events are kept.
const removeGoneSql = `DELETE FROM queue_items WHERE seq IN (SELECT seq FROM queue_items WHERE ${ofQueueSql} AND seq <> ?3
    AND ifnull(json_extract(CAST(detail AS TEXT), '$.at'), json_extract(CAST(detail AS TEXT), '$')) < ?4
    AND event NOT IN (SELECT event FROM pins) LIMIT ?5) RETURNING event`;
const firstSql = (isTried: number): string =>
  `(SELECT event FROM queue_items WHERE ${ofQueueSql} AND (attempts > 0) = ${isTried} AND seq <> ?3 ORDER BY seq LIMIT 1)`;
const firstWaitingSql = `SELECT CASE WHEN a IS NULL OR b < a THEN b ELSE a END FROM (SELECT ${firstSql(0)} AS a, ${firstSql(1)} AS b)`;

/** The waiting occurrences of subscriptions. They are items of the queues (features/queues/store.ts); `event` is their position. */
const createSubscriptionItemsStore = (client: Pick<Client, 'batch' | 'execute'>) => ({
  /** A statement that makes the waiting items of a subscription due. */
  hastenStatement: (owner: string, now: number): InStatement => ({
    sql: `UPDATE queue_items SET due_at = ?3 WHERE due_at > ?3 AND queue = (SELECT seq FROM queues WHERE kind = ?1 AND owner = ?2)`,
    args: [subscriptionQueue, owner, now],
  }),
  /** A statement that removes the waiting items up to a position. */
  skipStatement: (owner: string, position: number): InStatement => ({
    sql: `DELETE FROM queue_items WHERE event <= ?3 AND queue = (SELECT seq FROM queues WHERE kind = ?1 AND owner = ?2)`,
    args: [subscriptionQueue, owner, position],
  }),
  /**
   * Removes waiting items, besides `except`, whose occurrences retention has removed or hidden.
   * @param before the time of the oldest occurrence that is kept, epoch ms @returns their positions
   */
  async removeGone(
    owner: string,
    { except, before, limit }: { except: number; before: number; limit: number },
  ): Promise<number[]> {
    const args = [subscriptionQueue, owner, except, before, limit];
    const [result] = await client.batch([{ sql: removeGoneSql, args }], 'write');
    return (result?.rows ?? []).map(row => Number(row[0]));
  },
  /**
   * The position of the first occurrence that waits, besides that of one item; null if none does. Items are added in the order
   * of their positions, so this takes two steps in an index.
   */
  async firstWaiting(owner: string, except = 0): Promise<number | null> {
    const { rows } = await client.execute({ sql: firstWaitingSql, args: [subscriptionQueue, owner, except] });
    return rows[0]?.[0] === undefined || rows[0][0] === null ? null : Number(rows[0][0]);
  },
});
