/*
 * Alerts of endpoints, what the learning of schemas has found for them, and the last notification of the operator. Ownership is
 * part of every query for a user.
 */
import type { InStatement } from '@libsql/client';
import { and, asc, eq, gt, sql } from 'drizzle-orm';
import { alertQueueName, type StorageLevel, storageLevels } from '../../core/alert.ts';
import { pick } from '../../core/pick.ts';
import type { Database, Drizzle } from '../../db/database.ts';
import { createResourceStore, isOwn, type OwnEndpoint } from '../../db/resource-store.ts';
import { eventSchemas, meta, schemaChanges } from '../../db/schema.ts';
import { alerts, queues } from '../../db/schema-queues.ts';
import { updateStatement } from '../../db/sql-fragments.ts';
import { createChangesStore } from './changes-store.ts';
import { createProgress, type OpenAlert, selectOpen, selectWaiting, toOpen, wokenSql } from './progress-store.ts';

export type { DueAlert, OpenAlert } from './progress-store.ts';

type Row = typeof alerts.$inferSelect;
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
