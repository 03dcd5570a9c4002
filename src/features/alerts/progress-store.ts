/* The progress of checking alerts: the alert clock, which events have woken alerts, which alerts are due, and their new states. */
import type { InStatement } from '@libsql/client';
import { and, asc, eq, inArray, isNull, lte, ne, sql } from 'drizzle-orm';
import { alertQueueName } from '../../core/alert.ts';
import { compareAndSetStatements, writeIfUnchanged } from '../../db/compare-and-set.ts';
import type { Database, Drizzle } from '../../db/database.ts';
import { lastSeqSql, type NewEvents, newEventsAfter } from '../../db/new-events.ts';
import { endpoints, meta, teams } from '../../db/schema.ts';
import { alerts, queueItems, queues } from '../../db/schema-queues.ts';
import { inList, updateStatement } from '../../db/sql-fragments.ts';

type Row = typeof alerts.$inferSelect;
/** An alert with all that checking it and sending its notifications needs. */
export type OpenAlert = Row & {
  endpointId: string;
  endpointName: string;
  teamId: string;
  plan: 'free' | 'pro';
  pausedAt: number | null;
};

/** `isWaiting`: one of its notifications is still queued. */
export type DueAlert = OpenAlert & { isWaiting: boolean };

/** `time`: the alert clock, ms. `position`: events up to this row number have woken the alerts of their endpoints. */
export type Progress = { time: number; position: number; lastSeq: number; hasAlerts: boolean };

const clockName = 'alert-clock';
const positionName = 'alert-events';
const toBytes = (value: number): Buffer => Buffer.from(String(value));
const metaNumber = (name: string) =>
  sql<number>`(SELECT CAST(CAST(value AS TEXT) AS INTEGER) FROM meta WHERE name = ${name})`;

/** Each wake changes the value, so that `saveStateStatements` notices a wake during the check. */
export const wokenSql = sql<number>`min(ifnull(${alerts.dueAt}, 0), 0) - 1`;
// Not a parameter, because the index has the condition.
const isEnabled = sql`${alerts.enabled} = 1`;

export const selectOpen = (db: Drizzle) =>
  db
    .select({
      alert: alerts,
      endpointId: endpoints.id,
      endpointName: endpoints.name,
      teamId: endpoints.teamId,
      plan: teams.plan,
      pausedAt: endpoints.pausedAt,
    })
    .from(alerts)
    .innerJoin(endpoints, and(eq(endpoints.seq, alerts.endpoint), isNull(endpoints.deletedAt)))
    .innerJoin(teams, eq(teams.id, endpoints.teamId));
export const toOpen = ({ alert, ...rest }: { alert: Row } & Omit<OpenAlert, keyof Row>): OpenAlert => ({
  ...alert,
  ...rest,
});

/** The queued notifications of alerts. */
export const selectWaiting = (db: Drizzle, ids: readonly string[]) =>
  db
    .select({ owner: queues.owner, seq: queueItems.seq })
    .from(queues)
    .innerJoin(queueItems, eq(queueItems.queue, queues.seq))
    .where(and(eq(queues.kind, alertQueueName), inArray(queues.owner, [...ids])));

export const createProgress = ({ db, client }: Pick<Database, 'db' | 'client'>) => ({
  /** The alert clock, ms. */
  clock: async (): Promise<number> => {
    const [row] = await db.select({ value: meta.value }).from(meta).where(eq(meta.name, clockName));
    return Number(row?.value ?? 0);
  },

  progress: async (): Promise<Progress> => {
    const [row] = await db.all<Omit<Progress, 'hasAlerts'> & { hasAlerts: number }>(
      sql`SELECT ${metaNumber(clockName)} AS time, ${metaNumber(positionName)} AS position, ${lastSeqSql} AS lastSeq,
        EXISTS (SELECT 1 FROM ${alerts} WHERE ${isEnabled}) AS hasAlerts`,
    );
    return { time: 0, position: 0, lastSeq: 0, ...row, hasAlerts: row?.hasAlerts === 1 };
  },

  newEvents: (position: number, last: number): Promise<NewEvents> => newEventsAfter(db, position, last),

  /** Wakes the alerts that events can change, and moves the position. */
  wakeByEventsStatements: ({ upTo, endpoints: found }: NewEvents): InStatement[] => [
    updateStatement(
      db,
      alerts,
      { dueAt: wokenSql },
      isEnabled,
      ne(alerts.kind, 'forward_stuck'),
      found && inList(alerts.endpoint, found),
    ),
    updateStatement(db, meta, { value: toBytes(upTo) }, eq(meta.name, positionName)),
  ],

  /** Enabled alerts that are due, the longest due first. */
  async due(now: number, limit: number): Promise<DueAlert[]> {
    const rows = await selectOpen(db)
      .where(and(isEnabled, lte(alerts.dueAt, now)))
      .orderBy(asc(alerts.dueAt))
      .limit(limit);
    if (rows.length === 0) return [];
    const ids = rows.map(({ alert }) => alert.id);
    const waiting = new Set((await selectWaiting(db, ids)).map(({ owner }) => owner));
    return rows.map(row => ({ ...toOpen(row), isWaiting: waiting.has(row.alert.id) }));
  },

  /** Advances the clock, which must still be at `from`. */
  moveClockStatements: (from: number, to: number): InStatement[] =>
    compareAndSetStatements(
      updateStatement(db, meta, { value: toBytes(to) }, eq(meta.name, clockName), eq(meta.value, toBytes(from))),
    ),

  /**
   * Saves the findings of an alert, which must still be enabled and as it was read. An alert that was woken since stays due.
   * @param changedAt null: keeps the time of the last change
   */
  saveStateStatements: (
    { seq, state: before, dueAt: dueBefore }: Pick<Row, 'seq' | 'state' | 'dueAt'>,
    { state, dueAt, changedAt, ...found }: Pick<Row, 'position' | 'firing' | 'dueAt' | 'changedAt'> & { state: string },
  ): InStatement[] => {
    const set = {
      ...found,
      state: Buffer.from(state),
      dueAt: sql`iif(${alerts.dueAt} IS ${dueBefore}, ${dueAt}, ${alerts.dueAt})`,
      ...(changedAt !== null && { changedAt }),
    };
    return compareAndSetStatements(
      updateStatement(db, alerts, set, eq(alerts.seq, seq), eq(alerts.state, before), isEnabled),
    );
  },

  /** @returns false, with nothing written, if another process was first or a user has changed one of the alerts */
  write: (statements: readonly InStatement[]): Promise<boolean> => writeIfUnchanged(client, statements),
});
