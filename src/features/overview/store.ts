/*
 * The endpoints of a team by their troubles and last events. Raw SQL, because the counters and the order are computed. No statement reads
 * the events of all endpoints: troubles are found by indexes that contain nothing else.
 */
import { and, eq, isNotNull, isNull, type SQL, sql } from 'drizzle-orm';
import type { PlanCutoff } from '../../core/events/retention.ts';
import { forwardQueue } from '../../core/forward.ts';
import { pick } from '../../core/pick.ts';
import type { Drizzle } from '../../db/database.ts';
import { endpointCounters, jsonRows } from '../../db/endpoint-counters.ts';
import { endpointCutoff, isVisible } from '../../db/event-marks.ts';
import { hasFailed } from '../../db/event-outcomes.ts';
import { endpoints } from '../../db/schema.ts';
import { alerts, forwards } from '../../db/schema-queues.ts';
import { inList } from '../../db/sql-fragments.ts';
import type { Stats, Trouble } from './model.ts';

/**
 * `owner`, `name`: of the forward or alert. `count`: of events, up to `maxCounted`. `untilExpiryMs`: how much older the event that makes
 * it `since` may become.
 */
export type TroubleRow = {
  endpoint: number;
  kind: Trouble['kind'];
  owner: string | null;
  name: string | null;
  count: number | null;
  since: number;
  untilExpiryMs: number | null;
};
export type OverviewRow = {
  seq: number;
  id: string;
  name: string;
  eventCount: number;
  lastReceivedAt: number | null;
  untilExpiryMs: number | null;
  activity: number[];
};
type Chosen = { among: readonly number[] | undefined; except: readonly number[] };

export type OverviewStore = ReturnType<typeof createOverviewStore>;

const live = (teamId: string) => and(eq(endpoints.teamId, teamId), isNull(endpoints.deletedAt));
const liveSql = (teamId: string): SQL => sql`endpoints.team_id = ${teamId} AND endpoints.deleted_at IS NULL`;
const none = { owner: null, name: null, count: null, untilExpiryMs: null };

function createStates(db: Drizzle) {
  const paused = async (teamId: string): Promise<TroubleRow[]> => {
    const columns = { endpoint: endpoints.seq, since: endpoints.pausedAt };
    const isPaused = and(live(teamId), isNotNull(endpoints.pausedAt));
    const found = await db.select(columns).from(endpoints).where(isPaused);
    return found.map(({ endpoint, since }) => ({ ...none, endpoint, kind: 'paused', since: since ?? 0 }));
  };

  // The cross joins begin with the troubles, of which there are few.
  const down = async (teamId: string): Promise<TroubleRow[]> => {
    // The number of failures is written out, so that the condition is that of the index.
    const isDown = and(sql`${forwards.enabled}`, sql`${forwards.failures} > 0`, isNotNull(forwards.probeAt));
    const found = await db
      .select(pick(forwards, 'endpoint', 'id', 'name', 'failingSince', 'probeAt'))
      .from(forwards)
      .crossJoin(endpoints)
      .where(and(eq(endpoints.seq, forwards.endpoint), live(teamId), isDown));
    return found.map(({ endpoint, id: owner, name, failingSince, probeAt }) => {
      const since = failingSince ?? probeAt ?? 0;
      return { ...none, endpoint, owner, kind: 'forward_down', name: name.toString(), since };
    });
  };

  const firing = async (teamId: string): Promise<TroubleRow[]> => {
    const found = await db
      .select(pick(alerts, 'endpoint', 'id', 'name', 'changedAt', 'createdAt'))
      .from(alerts)
      .crossJoin(endpoints)
      .where(and(eq(endpoints.seq, alerts.endpoint), live(teamId), sql`${alerts.enabled}`, sql`${alerts.firing}`));
    return found.map(({ endpoint, id: owner, name, changedAt, createdAt }) => {
      return { ...none, endpoint, owner, kind: 'alert_firing', name, since: changedAt ?? createdAt };
    });
  };

  return { paused, down, firing };
}

function createEventTroubles(db: Drizzle) {
  /** Visits each queue with such items once, however many it has. Their events may have expired. */
  const givenUp = async (teamId: string, cutoff: PlanCutoff, maxCounted: number): Promise<TroubleRow[]> => {
    const cut = endpointCutoff(cutoff);
    const next = (after: SQL): SQL => sql`(SELECT min(queue) FROM queue_items INDEXED BY queue_items_given_up
      WHERE outcome = 'given_up' AND queue > ${after})`;
    const items = (columns: SQL): SQL => sql`SELECT ${columns} FROM queue_items CROSS JOIN events
      WHERE queue_items.queue = found.queue AND outcome = 'given_up' AND events.seq = queue_items.event AND ${isVisible(cut)}
      ORDER BY queue_items.seq LIMIT`;
    const rows = await db.all<
      Omit<TroubleRow, 'name' | 'kind' | 'since'> & { name: ArrayBuffer; since: number | null }
    >(
      sql`WITH RECURSIVE found (queue) AS (
          SELECT ${next(sql`-1`)} UNION ALL SELECT ${next(sql`found.queue`)} FROM found WHERE found.queue IS NOT NULL
        )
        SELECT endpoints.seq AS endpoint, forwards.id AS owner, forwards.name AS name,
          (SELECT count(*) FROM (${items(sql`1`)} ${maxCounted})) AS count,
          (${items(sql`added_at`)} 1) AS since,
          (${items(sql`received_at - ${cut}`)} 1) AS untilExpiryMs
        FROM found
        CROSS JOIN queues ON queues.seq = found.queue AND queues.kind = ${forwardQueue} AND queues.team_id = ${teamId}
        JOIN forwards ON forwards.id = queues.owner
        JOIN endpoints ON endpoints.seq = forwards.endpoint AND endpoints.deleted_at IS NULL`,
    );
    return rows.flatMap(row =>
      row.since === null
        ? []
        : [{ ...row, kind: 'forward_given_up' as const, name: Buffer.from(row.name).toString(), since: row.since }],
    );
  };

  /** Visits each endpoint with invalid signatures once, however many it has. @param from epoch ms */
  const invalid = async (
    teamId: string,
    cutoff: PlanCutoff,
    { from, maxCounted }: { from: number; maxCounted: number },
  ): Promise<TroubleRow[]> => {
    const cut = endpointCutoff(cutoff);
    const next = (after: SQL): SQL => sql`(SELECT min(endpoint) FROM invalid_signatures WHERE endpoint > ${after})`;
    const isPinned = sql`EXISTS (SELECT 1 FROM pins WHERE event = invalid_signatures.event)`;
    const signatures = (column: SQL): SQL => sql`(SELECT ${column} AS value FROM invalid_signatures
      WHERE endpoint = found.endpoint AND received_at >= ${from} AND (received_at >= ${cut} OR ${isPinned})
      ORDER BY received_at LIMIT ${maxCounted})`;
    const age = sql`received_at - CASE WHEN received_at < ${cut} THEN ${from} ELSE max(${cut}, ${from}) END`;
    const rows = await db.all<Omit<TroubleRow, 'kind' | 'owner' | 'name' | 'since'> & { since: number | null }>(
      sql`WITH RECURSIVE found (endpoint) AS (
          SELECT ${next(sql`-1`)} UNION ALL SELECT ${next(sql`found.endpoint`)} FROM found WHERE found.endpoint IS NOT NULL
        )
        SELECT found.endpoint AS endpoint, (SELECT count(*) FROM ${signatures(sql`1`)}) AS count,
          (SELECT min(value) FROM ${signatures(sql`received_at`)}) AS since,
          (SELECT min(value) FROM ${signatures(age)}) AS untilExpiryMs
        FROM found CROSS JOIN endpoints ON endpoints.seq = found.endpoint AND ${liveSql(teamId)}`,
    );
    return rows.flatMap(row =>
      row.since === null ? [] : [{ ...none, ...row, kind: 'invalid_signatures' as const, since: row.since }],
    );
  };

  return { givenUp, invalid };
}

/** One statement, and every part of it seeks in an index. @param from when the last 24 hours began, epoch ms */
async function readStats(
  db: Drizzle,
  teamId: string,
  { cutoff, from }: { cutoff: PlanCutoff; from: number },
): Promise<Omit<Stats, 'version'>> {
  const cut = endpointCutoff(cutoff);
  const here = sql`endpoint = endpoints.seq`;
  const expired = sql`${here} AND received_at >= ${from} AND received_at < ${cut}`;
  const visible = sql`${here} AND received_at >= max(${from}, ${cut})`;
  const failed = sql.raw(hasFailed);
  const all = (count: SQL): SQL<number> => sql`ifnull(sum(${count}), 0)`;
  const counts: Record<Exclude<keyof Stats, 'version'>, SQL<number>> = {
    endpoints: sql`count(*)`,
    events: all(endpointCounters(cutoff).eventCount),
    events24h: all(sql`(SELECT count(*) FROM events WHERE ${visible}) + (SELECT count(*) FROM pins WHERE ${expired})`),
    failed24h: all(sql`(SELECT count(*) FROM outcomes WHERE ${visible} AND ${failed}) + (SELECT count(*) FROM outcomes
      WHERE ${expired} AND ${failed} AND EXISTS (SELECT 1 FROM pins WHERE event = outcomes.event))`),
    forwardsDown: all(
      sql`(SELECT count(*) FROM forwards WHERE ${here} AND enabled AND failures > 0 AND probe_at IS NOT NULL)`,
    ),
    alertsFiring: all(sql`(SELECT count(*) FROM alerts WHERE ${here} AND enabled AND firing)`),
  };
  const [stats] = await db.select(counts).from(endpoints).where(live(teamId));
  if (!stats) throw new Error('a count has one row');
  return stats;
}

/** @param scanDb the thread for long reads */
export function createOverviewStore(db: Drizzle, scanDb: Drizzle) {
  const { paused, down, firing } = createStates(db);
  const { givenUp, invalid } = createEventTroubles(db);

  return {
    /** @param invalidSince from when on invalid signatures count, epoch ms @param maxCounted more events of one trouble are not counted */
    troubles: async (
      teamId: string,
      cutoff: PlanCutoff,
      { invalidSince, maxCounted }: { invalidSince: number; maxCounted: number },
    ): Promise<TroubleRow[]> =>
      (
        await Promise.all([
          paused(teamId),
          down(teamId),
          firing(teamId),
          givenUp(teamId, cutoff, maxCounted),
          invalid(teamId, cutoff, { from: invalidSince, maxCounted }),
        ])
      ).flat(),

    stats: (teamId: string, cutoff: PlanCutoff, from: number) => readStats(scanDb, teamId, { cutoff, from }),

    /** The names of all endpoints of the team. */
    names(teamId: string): Promise<{ seq: number; id: string; name: string }[]> {
      const { seq, id, name } = endpoints;
      return jsonRows(db, { seq, id, name }, sql`FROM endpoints WHERE ${liveSql(teamId)}`);
    },

    /** How many endpoints the team has. `untilExpiryMs`: how much older the first of their newest events to expire may become. */
    async total(teamId: string, cutoff: PlanCutoff): Promise<{ total: number; untilExpiryMs: number | null }> {
      const since = endpointCutoff(cutoff);
      const [row] = await db
        .select({
          total: sql<number>`count(*)`,
          untilExpiryMs: sql<
            number | null
          >`min(CASE WHEN last_received_at >= ${since} THEN last_received_at - ${since} END)`,
        })
        .from(endpoints)
        .where(live(teamId));
      return row ?? { total: 0, untilExpiryMs: null };
    },

    /** Endpoints by their last event, then, without any, the newest first. @returns row numbers */
    async byLastEvent(
      teamId: string,
      cutoff: PlanCutoff,
      { among, except, limit }: Chosen & { limit: number },
    ): Promise<number[]> {
      const last = endpointCounters(cutoff).lastReceivedAt;
      const rows = await db
        .select({ seq: endpoints.seq })
        .from(endpoints)
        .where(
          and(
            live(teamId),
            among && inList(endpoints.seq, among),
            except.length > 0 ? sql`NOT (${inList(endpoints.seq, except)})` : undefined,
          ),
        )
        .orderBy(sql`${last} DESC NULLS LAST`, sql`endpoints.seq DESC`)
        .limit(limit);
      return rows.map(({ seq }) => seq);
    },

    /** @param hours the beginnings of the hours whose events are counted, epoch ms */
    async shown(
      teamId: string,
      cutoff: PlanCutoff,
      { seqs, hours }: { seqs: readonly number[]; hours: readonly number[] },
    ): Promise<OverviewRow[]> {
      const { activity, ...counters } = endpointCounters(cutoff);
      const { seq, id, name } = endpoints;
      const columns = { seq, id, name, ...counters, activity: sql`json(${activity(hours)})` };
      const from = sql`FROM endpoints WHERE ${liveSql(teamId)} AND ${inList(endpoints.seq, seqs)}`;
      return jsonRows<typeof columns, OverviewRow>(scanDb, columns, from);
    },
  };
}
