/* Forwards: their rows, positions, and the health of their destinations. Ownership is part of every query for a request. */

import type { InStatement } from '@libsql/client';
import { and, asc, eq, gt, isNotNull, isNull, min, notInArray, sql } from 'drizzle-orm';
import { forwardQueue } from '../../core/forward.ts';
import type { Health } from '../../core/network/destination-health.ts';
import { pick } from '../../core/pick.ts';
import { compareAndSetStatements, writeIfUnchanged } from '../../db/compare-and-set.ts';
import type { Database } from '../../db/database.ts';
import { lastSeqSql, type NewEvents, newEventsAfter } from '../../db/new-events.ts';
import { removeQueues } from '../../db/remove-queues.ts';
import { createResourceStore, type OwnEndpoint } from '../../db/resource-store.ts';
import { endpoints, events, outcomes, teams } from '../../db/schema.ts';
import { forwards, queues } from '../../db/schema-queues.ts';
import { inList, toClientStatement, updateStatement } from '../../db/sql-fragments.ts';
import { createForwardItemsStore } from './items-store.ts';

type Row = typeof forwards.$inferSelect;
export type NewForwardRow = Omit<Row, 'seq' | 'since' | 'position' | 'failures' | 'failingSince' | 'probeAt'>;
export type ForwardRow = Row;
/** A forward with its endpoint and team. */
export type OpenForward = Row & { endpointId: string; teamId: string; plan: 'free' | 'pro' };
/** A stored event that was not refused. */
export type FedEvent = Awaited<ReturnType<ForwardsStore['notRefused']>>[number];

export type ForwardsStore = ReturnType<typeof createForwardsStore>;

/** Moves the position. It, and the settings that select events and their lanes, must be as they were read. */
const movePositionStatements =
  (db: Database['db']) =>
  ({ id, position, filter, mode, orderBy, per }: Row, to: number): InStatement[] =>
    compareAndSetStatements(
      updateStatement(
        db,
        forwards,
        { position: to },
        eq(forwards.id, id),
        eq(forwards.position, position),
        eq(forwards.filter, filter),
        eq(forwards.mode, mode),
        sql`${forwards.orderBy} IS ${orderBy}`,
        eq(forwards.per, per),
      ),
    );

export function createForwardsStore({ db, client }: Pick<Database, 'db' | 'client'>) {
  const resource = createResourceStore(db, forwards, [forwards.seq]);
  const isLive = and(eq(endpoints.seq, forwards.endpoint), isNull(endpoints.deletedAt));
  const selectOpen = () =>
    db
      .select({ forward: forwards, endpointId: endpoints.id, teamId: endpoints.teamId, plan: teams.plan })
      .from(forwards)
      .innerJoin(endpoints, isLive)
      .innerJoin(teams, eq(teams.id, endpoints.teamId));
  type Found = Awaited<ReturnType<typeof selectOpen>>[number];
  // Prepared: it runs for each attempt, and building it takes longer than the query itself.
  const openById = selectOpen()
    .where(eq(forwards.id, sql.placeholder('id')))
    .prepare();
  const toOpen = ({ forward, ...rest }: Found): OpenForward => ({ ...forward, ...rest });

  return {
    ...createForwardItemsStore(db),

    listOf: resource.listOf,
    find: resource.find,

    /** The earliest time since which an active forward of the endpoint has been failing, epoch ms; null if no forward fails. */
    async failingSince(endpoint: number): Promise<number | null> {
      const isActive = and(eq(forwards.endpoint, endpoint), eq(forwards.enabled, true));
      const [row] = await db
        .select({ since: min(forwards.failingSince) })
        .from(forwards)
        .where(isActive);
      return row?.since ?? null;
    },

    /** The forward begins with the next event. @returns false if the endpoint has `limit` forwards, or no longer exists */
    insertWithin(limit: number, own: Pick<OwnEndpoint, 'teamId'>, row: NewForwardRow): Promise<boolean> {
      const last = sql`(SELECT ${lastSeqSql})` as unknown as number;
      return resource.insertWithin(limit, own, { ...row, since: last, position: last });
    },

    changeStatement: (id: string, set: Partial<Row>): InStatement =>
      updateStatement(db, forwards, set, eq(forwards.id, id)),

    /** Replaces the secrets. @returns false if they are no longer as they were read */
    replaceSecret: async ({ id, secret }: Pick<Row, 'id' | 'secret'>, next: Buffer): Promise<boolean> => {
      const isSame = secret === null ? isNull(forwards.secret) : eq(forwards.secret, secret);
      const { rowsAffected } = await db
        .update(forwards)
        .set({ secret: next })
        .where(and(eq(forwards.id, id), isSame));
      return rowsAffected === 1;
    },

    removeStatement: (id: string): InStatement => toClientStatement(db.delete(forwards).where(eq(forwards.id, id))),

    write: (statements: readonly InStatement[]) => client.batch([...statements], 'write'),

    /** Writes events with the new position. @returns false, with nothing written, if the forward was changed since it was read */
    writeMoved: (statements: readonly InStatement[]): Promise<boolean> => writeIfUnchanged(client, statements),

    /** A forward for the runner and the feeder; undefined if it or its endpoint no longer exists. */
    open: async (id: string): Promise<OpenForward | undefined> => (await openById.all({ id })).map(toOpen)[0],

    openOf: async (endpoint: number): Promise<OpenForward[]> =>
      (await selectOpen().where(eq(forwards.endpoint, endpoint)).orderBy(asc(forwards.seq))).map(toOpen),

    /** Row numbers of endpoints that have forwards. @param among if given, only of these endpoints */
    endpointsWithForwards: async (among?: readonly number[]): Promise<number[]> => {
      if (among?.length === 0) return [];
      const query = db.selectDistinct({ seq: forwards.endpoint }).from(forwards).innerJoin(endpoints, isLive);
      return (await query.where(among && inList(forwards.endpoint, among))).map(({ seq }) => seq);
    },

    /** The highest row number that any event ever had. */
    lastSeq: async (): Promise<number> =>
      (await db.all<{ seq: number }>(sql`SELECT ${lastSeqSql} AS seq`))[0]?.seq ?? 0,

    newEvents: (position: number, last: number): Promise<NewEvents> => newEventsAfter(db, position, last),

    movePositionStatements: movePositionStatements(db),

    /** The events among these that were not refused, in the order of row numbers. */
    notRefused: (seqs: readonly number[]) =>
      db
        .select(pick(events, 'seq', 'nonce', 'size', 'receivedAt', 'delivery', 'platform'))
        .from(events)
        .leftJoin(outcomes, eq(outcomes.event, events.seq))
        .where(and(inList(events.seq, seqs), isNull(outcomes.refused)))
        .orderBy(asc(events.seq)),

    /** Saves the health of the destination, unless the URL of the forward has changed. */
    saveHealthStatement: ({ id, url }: Pick<Row, 'id' | 'url'>, health: Health): InStatement =>
      updateStatement(db, forwards, health, eq(forwards.id, id), eq(forwards.url, url)),

    /** The number of destinations that are down. */
    probing: async (): Promise<number> =>
      db.$count(forwards, and(isNotNull(forwards.probeAt), gt(forwards.failures, 0))),

    /** Removes the queues of all removed forwards, or of this one. */
    async removeOrphans(id?: string): Promise<void> {
      const live = db.select({ id: forwards.id }).from(forwards).innerJoin(endpoints, isLive);
      const isGone = and(
        eq(queues.kind, forwardQueue),
        notInArray(queues.owner, live),
        id === undefined ? undefined : eq(queues.owner, id),
      );
      await removeQueues(db, sql`SELECT seq FROM queues WHERE ${isGone}`);
    },
  };
}
