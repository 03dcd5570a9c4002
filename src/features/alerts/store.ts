/* Alerts of endpoints. Ownership is part of every query for a user. */
import type { InStatement } from '@libsql/client';
import { and, asc, count, eq, gt, inArray, isNull, sql } from 'drizzle-orm';
import { alertQueueName } from '../../core/alert.ts';
import type { Database } from '../../db/database.ts';
import { createResourceStore, isOwn, type OwnEndpoint } from '../../db/resource-store.ts';
import { endpoints, teams } from '../../db/schema.ts';
import { alerts, queueItems, queues } from '../../db/schema-queues.ts';
import { toClientStatement } from '../../db/sql-fragments.ts';
import { createProgressStore } from './progress-store.ts';
import { createSeenStore } from './seen-store.ts';

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
    ...createProgressStore({ db, client }),
    ...createSeenStore(db),

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

    noteSent: (id: string, at: number): InStatement =>
      toClientStatement(db.update(alerts).set({ lastSentAt: at, lastError: null }).where(eq(alerts.id, id))),
    noteFailed: (id: string, error: string): InStatement =>
      toClientStatement(db.update(alerts).set({ lastError: error }).where(eq(alerts.id, id))),

    /** Removes alerts of endpoints that are being removed, and queues of alerts that were removed with their endpoint. */
    async sweep(): Promise<void> {
      const ids = db.select({ id: alerts.id }).from(alerts);
      await db.delete(queues).where(and(eq(queues.kind, alertQueueName), sql`${queues.owner} NOT IN ${ids}`));
    },

    /** The number of firing alerts, for metrics. */
    countFiring: async (): Promise<number> =>
      (await db.select({ value: count() }).from(alerts).where(eq(alerts.told, true)))[0]?.value ?? 0,
  };
}
