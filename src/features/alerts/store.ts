/*
 * Alerts of endpoints, the progress of checking them, the changes of their state, what the learning of schemas has found for them, and
 * the last notification of the operator. Ownership is part of every query for a user.
 */
import type { InStatement } from '@libsql/client';
import { and, asc, eq, gt, gte, inArray, isNull, lt, lte, ne, sql } from 'drizzle-orm';
import { alertQueueName, type StorageLevel, storageLevels } from '../../core/alert.ts';
import { pick } from '../../core/pick.ts';
import { compareAndSetStatements, writeIfUnchanged } from '../../db/compare-and-set.ts';
import type { Database, Drizzle } from '../../db/database.ts';
import { lastSeqSql, type NewEvents, newEventsAfter } from '../../db/new-events.ts';
import { createResourceStore, isOwn, type OwnEndpoint } from '../../db/resource-store.ts';
import { endpoints, eventSchemas, meta, schemaChanges, teams } from '../../db/schema.ts';
import { alertChanges, alerts, queueItems, queues } from '../../db/schema-queues.ts';
import { inList, toClientStatement, updateStatement } from '../../db/sql-fragments.ts';

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
const wokenSql = sql<number>`min(ifnull(${alerts.dueAt}, 0), 0) - 1`;
// Not a parameter, because the index has the condition.
const isEnabled = sql`${alerts.enabled} = 1`;

const selectOpen = (db: Drizzle) =>
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
const toOpen = ({ alert, ...rest }: { alert: Row } & Omit<OpenAlert, keyof Row>): OpenAlert => ({
  ...alert,
  ...rest,
});

/** The queued notifications of alerts. */
const selectWaiting = (db: Drizzle, ids: readonly string[]) =>
  db
    .select({ owner: queues.owner, seq: queueItems.seq })
    .from(queues)
    .innerJoin(queueItems, eq(queueItems.queue, queues.seq))
    .where(and(eq(queues.kind, alertQueueName), inArray(queues.owner, [...ids])));

/** The progress of checking alerts: the alert clock, which events have woken alerts, which alerts are due, and their new states. */
const createProgress = ({ db, client }: Pick<Database, 'db' | 'client'>) => ({
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

type NewChange = typeof alertChanges.$inferSelect;
/** A change with its endpoint as it is now. */
export type AlertChangeRow = NewChange & { endpointId: string; endpointName: string };

// Raw: the table is SQLite's own.
const newestSql = "SELECT ifnull((SELECT seq FROM sqlite_sequence WHERE name = 'alert_changes'), 0)";

/** The changes of the state of alerts, which agents read in the order of their row numbers. */
export function createChangesStore({ db, client }: Pick<Database, 'db' | 'client'>) {
  const columns = { change: alertChanges, endpointId: endpoints.id, endpointName: endpoints.name };
  const select = ({ teamId, endpoint }: { teamId: string; endpoint: number | undefined }, ...conditions: unknown[]) =>
    db
      .select(columns)
      .from(alertChanges)
      .innerJoin(endpoints, and(eq(endpoints.seq, alertChanges.endpoint), isNull(endpoints.deletedAt)))
      .where(
        and(
          eq(endpoints.teamId, teamId),
          endpoint === undefined ? undefined : eq(alertChanges.endpoint, endpoint),
          ...(conditions as Parameters<typeof and>),
        ),
      )
      .orderBy(asc(alertChanges.seq));
  const toRow = ({ change, ...endpoint }: Awaited<ReturnType<typeof select>>[number]): AlertChangeRow => ({
    ...change,
    ...endpoint,
  });

  return {
    addChangeStatement: (row: Omit<NewChange, 'seq'>): InStatement =>
      toClientStatement(db.insert(alertChanges).values(row)),

    /** The highest row number that any change ever had; 0 without one. */
    newestChange: async (): Promise<number> => Number((await client.execute(newestSql)).rows[0]?.[0]),

    /**
     * Changes of the alerts of a team or of one endpoint, after a row number, at most `limit`, oldest first.
     * @param oldest epoch ms: earlier ones are left out @returns also whether `oldest` left some out
     */
    async changesSince(
      scope: { teamId: string; endpoint: number | undefined },
      { seq, oldest, limit }: { seq: number; oldest: number; limit: number },
    ): Promise<{ rows: AlertChangeRow[]; isIncomplete: boolean }> {
      const isAfter = gt(alertChanges.seq, seq);
      const [rows, left] = await Promise.all([
        select(scope, isAfter, gte(alertChanges.at, oldest)).limit(limit),
        select(scope, isAfter, lt(alertChanges.at, oldest)).limit(1),
      ]);
      return { rows: rows.map(toRow), isIncomplete: left.length > 0 };
    },

    /** Removes changes before a time, but not the newest of each endpoint, which shows that there were some. */
    async removeChangesBefore(time: number): Promise<void> {
      const kept = sql`SELECT max(seq) FROM alert_changes WHERE at < ${time} GROUP BY endpoint`;
      await db.delete(alertChanges).where(and(lt(alertChanges.at, time), sql`${alertChanges.seq} NOT IN (${kept})`));
    },
  };
}

export type AlertRow = Omit<Row, 'seq'>;
export type AlertsStore = ReturnType<typeof createAlertsStore>;

export type TypeRow = { seq: number; platform: string; type: string };
export type ChangeRow = TypeRow & { kind: string; path: Uint8Array; eventId: string };

/** New event types and schema changes, which the learning of schemas has found. */
const createSchemaFindings = (db: Drizzle) => ({
  /** The row number of the newest finding, by the kind of alert that reports it. */
  async newestSchemas(endpoint: number): Promise<{ new_type: number; schema_change: number }> {
    const newest = async (table: typeof eventSchemas | typeof schemaChanges): Promise<number> => {
      const [row] = await db
        .select({ seq: sql<number | null>`max(seq)` })
        .from(table)
        .where(eq(table.endpoint, endpoint));
      return row?.seq ?? 0;
    };
    return { new_type: await newest(eventSchemas), schema_change: await newest(schemaChanges) };
  },

  /** Event types that were first seen after a position, in order. */
  typesAfter: (endpoint: number, position: number, limit: number): Promise<TypeRow[]> =>
    db
      .select(pick(eventSchemas, 'seq', 'platform', 'type'))
      .from(eventSchemas)
      .where(and(eq(eventSchemas.endpoint, endpoint), gt(eventSchemas.seq, position)))
      .orderBy(asc(eventSchemas.seq))
      .limit(limit),

  changesAfter: (endpoint: number, position: number, limit: number): Promise<ChangeRow[]> =>
    db
      .select(pick(schemaChanges, 'seq', 'platform', 'type', 'kind', 'path', 'eventId'))
      .from(schemaChanges)
      .where(and(eq(schemaChanges.endpoint, endpoint), gt(schemaChanges.seq, position)))
      .orderBy(asc(schemaChanges.seq))
      .limit(limit),
});

/** What the operator's alerts are about, and the row of `meta` with the level of the last notification. */
const levelNames = { storage: 'storage-alert', backup: 'backup-alert' } as const;
export type OperatorSubject = keyof typeof levelNames;

/** The operator's alerts. */
const createOperatorLevels = (db: Drizzle) => ({
  /** The state in the operator's last notification. */
  lastLevel: async (subject: OperatorSubject): Promise<StorageLevel> => {
    const [row] = await db.select({ value: meta.value }).from(meta).where(eq(meta.name, levelNames[subject]));
    const saved = row?.value.toString();
    return storageLevels.find(level => level === saved) ?? 'ok';
  },

  /** Saves the state that the next notification reports. @returns false if the last one reported another state than `before` */
  async claimLevel(subject: OperatorSubject, before: StorageLevel, level: StorageLevel): Promise<boolean> {
    const value = Buffer.from(level);
    const { rowsAffected } = await db
      .insert(meta)
      .values({ name: levelNames[subject], value })
      .onConflictDoUpdate({ target: meta.name, set: { value }, setWhere: eq(meta.value, Buffer.from(before)) });
    return rowsAffected === 1;
  },
});

export function createAlertsStore({ db, client }: Pick<Database, 'db' | 'client'>) {
  const { removeQuery, ...resource } = createResourceStore(db, alerts, [alerts.seq]);
  const saveResult = (id: string, result: Partial<Row>): InStatement =>
    updateStatement(db, alerts, { ...result, dueAt: wokenSql }, eq(alerts.id, id));

  return {
    ...createProgress({ db, client }),
    ...createSchemaFindings(db),
    ...createOperatorLevels(db),
    ...createChangesStore({ db, client }),

    ...resource,

    remove: async (own: OwnEndpoint, id: string): Promise<boolean> => {
      const queue = db.delete(queues).where(and(eq(queues.kind, alertQueueName), eq(queues.owner, id), isOwn(db, own)));
      const [, removed] = await db.batch([queue, removeQuery(own, id)]);
      return removed.rowsAffected === 1;
    },

    /** The alert for the queue; undefined if it or its endpoint no longer exists. */
    open: async (id: string): Promise<OpenAlert | undefined> =>
      (await selectOpen(db).where(eq(alerts.id, id))).map(toOpen)[0],

    /** Its queued notifications, as items of its queue. */
    waiting: async (id: string): Promise<number[]> => (await selectWaiting(db, [id])).map(({ seq }) => seq),

    /** Both wake the alert: it may notify again once its queue is empty. */
    saveSentStatement: (id: string, at: number): InStatement => saveResult(id, { lastSentAt: at, lastError: null }),
    saveGivenUpStatement: (id: string, error: string): InStatement => saveResult(id, { lastError: error }),
    saveFailureStatement: (id: string, error: string): InStatement =>
      updateStatement(db, alerts, { lastError: error }, eq(alerts.id, id)),

    /** Removes alerts of endpoints that are being removed, and queues of alerts that were removed with their endpoint. */
    async sweep(): Promise<void> {
      const ids = db.select({ id: alerts.id }).from(alerts);
      await db.delete(queues).where(and(eq(queues.kind, alertQueueName), sql`${queues.owner} NOT IN ${ids}`));
    },

    /** The number of firing alerts, for metrics. */
    countFiring: async (): Promise<number> => db.$count(alerts, eq(alerts.firing, true)),
  };
}
