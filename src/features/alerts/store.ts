/* Alerts of endpoints. Ownership is part of every query of a person. */
import type { InStatement } from '@libsql/client';
import { and, asc, count, eq, exists, gt, isNull, lt, max, sql } from 'drizzle-orm';
import { alertQueueName, type StorageLevel, storageLevels } from '../../core/alert.ts';
import type { Database } from '../../db/database.ts';
import { insertIf } from '../../db/insert-if.ts';
import { endpoints, eventSchemas, meta, schemaChanges, teams } from '../../db/schema.ts';
import { alerts, queues } from '../../db/schema-queues.ts';
import { toClientStatement } from '../../db/sql-fragments.ts';

type Row = typeof alerts.$inferSelect;
export type AlertRow = Omit<Row, 'seq'>;
export type NewAlertRow = Omit<AlertRow, 'told' | 'changedAt' | 'lastSentAt' | 'lastError'>;
export type AlertRowChange = Partial<Omit<Row, 'seq' | 'id' | 'endpoint' | 'kind' | 'createdAt'>>;
/** An endpoint of a team. */
export type OwnEndpoint = { teamId: string; endpoint: number };
/** With what is needed to look at it, or to send its notifications. */
export type OpenAlert = Row & {
  endpointId: string;
  endpointName: string;
  teamId: string;
  plan: 'free' | 'pro';
  pausedAt: number | null;
};
export type TypeRow = { seq: number; platform: string; type: string };
export type ChangeRow = TypeRow & { kind: string; path: Uint8Array; eventId: string };

export type AlertsStore = ReturnType<typeof createAlertsStore>;

const clockName = 'alert-clock';
const storageName = 'storage-alert';
const toBytes = (time: number): Buffer => Buffer.from(String(time));

// Both fail, and the transaction with them, when the row is not as expected: the column is never NULL.
const moveClockSql = `UPDATE meta SET value = CASE WHEN value = ?1 THEN ?2 END WHERE name = '${clockName}'`;
const saveStateSql = `UPDATE alerts SET state = CASE WHEN state = ?2 AND enabled THEN ?3 END, position = ?4, told = ?5,
  changed_at = ifnull(?6, changed_at) WHERE seq = ?1`;

export function createAlertsStore({ db, client }: Pick<Database, 'db' | 'client'>) {
  const owned = ({ teamId, endpoint }: OwnEndpoint) =>
    exists(
      db
        .select({ seq: endpoints.seq })
        .from(endpoints)
        .where(and(eq(endpoints.seq, endpoint), eq(endpoints.teamId, teamId), isNull(endpoints.deletedAt))),
    );
  const of = (own: OwnEndpoint, id?: string) =>
    and(eq(alerts.endpoint, own.endpoint), id === undefined ? undefined : eq(alerts.id, id), owned(own));
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
  const toOpen = ({ alert, ...rest }: { alert: Row } & Omit<OpenAlert, keyof Row>): OpenAlert => ({
    ...alert,
    ...rest,
  });

  return {
    /** Oldest first. */
    listOf: (own: OwnEndpoint): Promise<AlertRow[]> => db.select().from(alerts).where(of(own)).orderBy(asc(alerts.seq)),

    find: async (own: OwnEndpoint, id: string): Promise<AlertRow | undefined> =>
      (await db.select().from(alerts).where(of(own, id)))[0],

    /** @returns false when the endpoint has `limit` alerts, or is gone */
    async insertWithin(limit: number, { teamId }: Pick<OwnEndpoint, 'teamId'>, row: NewAlertRow): Promise<boolean> {
      const isBelowLimit = lt(db.$count(alerts, eq(alerts.endpoint, row.endpoint)), limit);
      const own = { teamId, endpoint: row.endpoint };
      return (await insertIf(db, alerts, row, and(owned(own), isBelowLimit))).rowsAffected === 1;
    },

    change: async (own: OwnEndpoint, id: string, change: AlertRowChange): Promise<AlertRow | undefined> =>
      (await db.update(alerts).set(change).where(of(own, id)).returning())[0],

    remove: async (own: OwnEndpoint, id: string): Promise<boolean> => {
      const queue = db.delete(queues).where(and(eq(queues.kind, alertQueueName), eq(queues.owner, id), owned(own)));
      const [, removed] = await db.batch([queue, db.delete(alerts).where(of(own, id))]);
      return removed.rowsAffected === 1;
    },

    /** For the queue: undefined when the alert or its endpoint is gone. */
    open: async (id: string): Promise<OpenAlert | undefined> =>
      (await selectOpen().where(eq(alerts.id, id))).map(toOpen)[0],

    /** Enabled alerts after a row number, in order. */
    enabledAfter: async (seq: number, limit: number): Promise<OpenAlert[]> =>
      (
        await selectOpen()
          .where(and(eq(alerts.enabled, true), gt(alerts.seq, seq)))
          .orderBy(asc(alerts.seq))
          .limit(limit)
      ).map(toOpen),

    noteSent: (id: string, at: number): InStatement =>
      toClientStatement(db.update(alerts).set({ lastSentAt: at, lastError: null }).where(eq(alerts.id, id))),
    noteFailed: (id: string, error: string): InStatement =>
      toClientStatement(db.update(alerts).set({ lastError: error }).where(eq(alerts.id, id))),

    /** The alert clock, ms. */
    clock: async (): Promise<number> => {
      const [row] = await db.select({ value: meta.value }).from(meta).where(eq(meta.name, clockName));
      return Number(row?.value ?? 0);
    },

    /** Moves the clock; a transaction with it fails when it does not stand at `from`. */
    moveClock: (from: number, to: number): InStatement => ({ sql: moveClockSql, args: [toBytes(from), toBytes(to)] }),

    /** Saves what was found; a transaction with it fails when the alert was changed or disabled meanwhile. */
    saveState: (
      { seq, state: before }: Pick<Row, 'seq' | 'state'>,
      found: { state: string; position: number; told: boolean; changedAt: number | null },
    ): InStatement => ({
      sql: saveStateSql,
      args: [seq, before, Buffer.from(found.state), found.position, found.told ? 1 : 0, found.changedAt],
    }),

    /** @returns false when one of the statements found that somebody else was first: nothing is written */
    async write(statements: readonly InStatement[]): Promise<boolean> {
      try {
        await client.batch([...statements], 'write');
        return true;
      } catch (error) {
        if (error instanceof Error && error.message.includes('NOT NULL constraint failed')) return false;
        throw error;
      }
    },

    /** The row number of the endpoint's newest schema, and of its newest schema change. */
    async newestSchemas(endpoint: number): Promise<{ type: number; change: number }> {
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
      return { type: type?.seq ?? 0, change: change?.seq ?? 0 };
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

    /** Removes queues of alerts that are gone with their endpoint, and alerts of endpoints that are being removed. */
    async sweep(): Promise<void> {
      const ids = db.select({ id: alerts.id }).from(alerts);
      await db.delete(queues).where(and(eq(queues.kind, alertQueueName), sql`${queues.owner} NOT IN ${ids}`));
    },

    /** What the operator was told last about storage. */
    storageTold: async (): Promise<StorageLevel> => {
      const [row] = await db.select({ value: meta.value }).from(meta).where(eq(meta.name, storageName));
      const told = row?.value.toString();
      return storageLevels.find(level => level === told) ?? 'ok';
    },

    /** Notes what the operator is told. @returns false when something else than `before` was said last */
    async tellStorage(before: StorageLevel, level: StorageLevel): Promise<boolean> {
      const { rowsAffected } = await db
        .update(meta)
        .set({ value: Buffer.from(level) })
        .where(and(eq(meta.name, storageName), eq(meta.value, Buffer.from(before))));
      return rowsAffected === 1;
    },

    /** For metrics. */
    countFiring: async (): Promise<number> =>
      (await db.select({ value: count() }).from(alerts).where(eq(alerts.told, true)))[0]?.value ?? 0,
  };
}
