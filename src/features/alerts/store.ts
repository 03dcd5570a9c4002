/*
 * Alerts of endpoints, and the progress of their evaluation: the alert clock, the state of each alert, and the last notification of
 * the operator. Ownership is part of every query for a user.
 */
import type { InStatement } from '@libsql/client';
import { and, asc, count, eq, gt, inArray, isNull, max, sql } from 'drizzle-orm';
import { alertQueueName, type StorageLevel, storageLevels } from '../../core/alert.ts';
import { compareAndSetStatements, writeIfUnchanged } from '../../db/compare-and-set.ts';
import type { Database, Drizzle } from '../../db/database.ts';
import { createResourceStore, isOwn, type OwnEndpoint } from '../../db/resource-store.ts';
import { endpoints, eventSchemas, meta, schemaChanges, teams } from '../../db/schema.ts';
import { alerts, queueItems, queues } from '../../db/schema-queues.ts';
import { toClientStatement } from '../../db/sql-fragments.ts';

type Row = typeof alerts.$inferSelect;
export type AlertRow = Omit<Row, 'seq'>;
/** An alert with all that checking it and sending its notifications needs. */
export type OpenAlert = Row & {
  endpointId: string;
  endpointName: string;
  teamId: string;
  plan: 'free' | 'pro';
  pausedAt: number | null;
};

/** `isWaiting`: one of its notifications is still queued. */
export type EnabledAlert = OpenAlert & { isWaiting: boolean };

export type AlertsStore = ReturnType<typeof createAlertsStore>;

export type TypeRow = { seq: number; platform: string; type: string };
export type ChangeRow = TypeRow & { kind: string; path: Uint8Array; eventId: string };

/** New event types and schema changes, which the learning of schemas has found. */
const createSchemaFindings = (db: Drizzle) => ({
  /** The row number of the newest finding, by the kind of alert that reports it. */
  async newestSchemas(endpoint: number): Promise<{ new_type: number; schema_change: number }> {
    const [[type], [change]] = await Promise.all([
      db
        .select({ seq: max(eventSchemas.seq) })
        .from(eventSchemas)
        .where(eq(eventSchemas.endpoint, endpoint)),
      db
        .select({ seq: max(schemaChanges.seq) })
        .from(schemaChanges)
        .where(eq(schemaChanges.endpoint, endpoint)),
    ]);
    return { new_type: type?.seq ?? 0, schema_change: change?.seq ?? 0 };
  },

  /** Event types that were first seen after a position, in order. */
  typesAfter: (endpoint: number, position: number, limit: number): Promise<TypeRow[]> =>
    db
      .select({ seq: eventSchemas.seq, platform: eventSchemas.platform, type: eventSchemas.type })
      .from(eventSchemas)
      .where(and(eq(eventSchemas.endpoint, endpoint), gt(eventSchemas.seq, position)))
      .orderBy(asc(eventSchemas.seq))
      .limit(limit),

  changesAfter: (endpoint: number, position: number, limit: number): Promise<ChangeRow[]> =>
    db
      .select({
        seq: schemaChanges.seq,
        platform: schemaChanges.platform,
        type: schemaChanges.type,
        kind: schemaChanges.kind,
        path: schemaChanges.path,
        eventId: schemaChanges.eventId,
      })
      .from(schemaChanges)
      .where(and(eq(schemaChanges.endpoint, endpoint), gt(schemaChanges.seq, position)))
      .orderBy(asc(schemaChanges.seq))
      .limit(limit),
});

const clockName = 'alert-clock';
const storageName = 'storage-alert';
const toBytes = (time: number): Buffer => Buffer.from(String(time));

const createProgress = ({ db, client }: Pick<Database, 'db' | 'client'>) => ({
  /** The alert clock, ms. */
  clock: async (): Promise<number> => {
    const [row] = await db.select({ value: meta.value }).from(meta).where(eq(meta.name, clockName));
    return Number(row?.value ?? 0);
  },

  /** Advances the clock, which must still be at `from`. */
  moveClockStatements: (from: number, to: number): InStatement[] =>
    compareAndSetStatements(
      toClientStatement(
        db
          .update(meta)
          .set({ value: toBytes(to) })
          .where(and(eq(meta.name, clockName), eq(meta.value, toBytes(from)))),
      ),
    ),

  /** Saves the findings of an alert, which must still be enabled and as it was read. @param changedAt null: keeps the time of the last change */
  saveStateStatements: (
    { seq, state: before }: Pick<typeof alerts.$inferSelect, 'seq' | 'state'>,
    {
      state,
      position,
      firing,
      changedAt,
    }: { state: string; position: number; firing: boolean; changedAt: number | null },
  ): InStatement[] =>
    compareAndSetStatements(
      toClientStatement(
        db
          .update(alerts)
          .set({ state: Buffer.from(state), position, firing, ...(changedAt !== null && { changedAt }) })
          .where(and(eq(alerts.seq, seq), eq(alerts.state, before), eq(alerts.enabled, true))),
      ),
    ),

  /** @returns false, with nothing written, if another process was first or a user has changed one of the alerts */
  write: (statements: readonly InStatement[]): Promise<boolean> => writeIfUnchanged(client, statements),

  /** The state of storage in the operator's last notification. */
  lastStorageLevel: async (): Promise<StorageLevel> => {
    const [row] = await db.select({ value: meta.value }).from(meta).where(eq(meta.name, storageName));
    const saved = row?.value.toString();
    return storageLevels.find(level => level === saved) ?? 'ok';
  },

  /** Saves the state that the next notification reports. @returns false if the last one reported another state than `before` */
  async claimStorageLevel(before: StorageLevel, level: StorageLevel): Promise<boolean> {
    const { rowsAffected } = await db
      .update(meta)
      .set({ value: Buffer.from(level) })
      .where(and(eq(meta.name, storageName), eq(meta.value, Buffer.from(before))));
    return rowsAffected === 1;
  },
});

export function createAlertsStore({ db, client }: Pick<Database, 'db' | 'client'>) {
  const { removeQuery, ...resource } = createResourceStore(db, alerts, [alerts.seq]);
  const selectOpen = () =>
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
  const selectWaiting = (ids: readonly string[]) =>
    db
      .select({ owner: queues.owner, seq: queueItems.seq })
      .from(queues)
      .innerJoin(queueItems, eq(queueItems.queue, queues.seq))
      .where(and(eq(queues.kind, alertQueueName), inArray(queues.owner, [...ids])));
  const toOpen = ({ alert, ...rest }: { alert: Row } & Omit<OpenAlert, keyof Row>): OpenAlert => ({
    ...alert,
    ...rest,
  });

  return {
    ...createProgress({ db, client }),
    ...createSchemaFindings(db),

    ...resource,

    remove: async (own: OwnEndpoint, id: string): Promise<boolean> => {
      const queue = db.delete(queues).where(and(eq(queues.kind, alertQueueName), eq(queues.owner, id), isOwn(db, own)));
      const [, removed] = await db.batch([queue, removeQuery(own, id)]);
      return removed.rowsAffected === 1;
    },

    /** The alert for the queue; undefined if it or its endpoint no longer exists. */
    open: async (id: string): Promise<OpenAlert | undefined> =>
      (await selectOpen().where(eq(alerts.id, id))).map(toOpen)[0],

    /** Enabled alerts after a row number, in order. */
    async enabledAfter(seq: number, limit: number): Promise<EnabledAlert[]> {
      const rows = await selectOpen()
        .where(and(eq(alerts.enabled, true), gt(alerts.seq, seq)))
        .orderBy(asc(alerts.seq))
        .limit(limit);
      const waiting = new Set((await selectWaiting(rows.map(({ alert }) => alert.id))).map(({ owner }) => owner));
      return rows.map(row => ({ ...toOpen(row), isWaiting: waiting.has(row.alert.id) }));
    },

    /** Its queued notifications, as items of its queue. */
    waiting: async (id: string): Promise<number[]> => (await selectWaiting([id])).map(({ seq }) => seq),

    saveSentStatement: (id: string, at: number): InStatement =>
      toClientStatement(db.update(alerts).set({ lastSentAt: at, lastError: null }).where(eq(alerts.id, id))),
    saveFailureStatement: (id: string, error: string): InStatement =>
      toClientStatement(db.update(alerts).set({ lastError: error }).where(eq(alerts.id, id))),

    /** Removes alerts of endpoints that are being removed, and queues of alerts that were removed with their endpoint. */
    async sweep(): Promise<void> {
      const ids = db.select({ id: alerts.id }).from(alerts);
      await db.delete(queues).where(and(eq(queues.kind, alertQueueName), sql`${queues.owner} NOT IN ${ids}`));
    },

    /** The number of firing alerts, for metrics. */
    countFiring: async (): Promise<number> =>
      (await db.select({ value: count() }).from(alerts).where(eq(alerts.firing, true)))[0]?.value ?? 0,
  };
}
