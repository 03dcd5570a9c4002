/* Forwards: their rows, positions, and the health of their destinations. Ownership is part of every query for a request. */

import type { InStatement } from '@libsql/client';
import {
  and,
  asc,
  count,
  eq,
  gt,
  inArray,
  isNotNull,
  isNull,
  lt,
  min,
  notExists,
  notInArray,
  type SQL,
  sql,
} from 'drizzle-orm';
import { type ForwardDeliveryState, forwardQueue } from '../../core/forward.ts';
import type { Health } from '../../core/network/destination-health.ts';
import { pick } from '../../core/pick.ts';
import { compareAndSetStatements, writeIfUnchanged } from '../../db/compare-and-set.ts';
import type { Database, Drizzle } from '../../db/database.ts';
import { isPinned, isVisible } from '../../db/event-marks.ts';
import { lastSeqSql, type NewEvents, newEventsAfter } from '../../db/new-events.ts';
import { removeQueues } from '../../db/remove-queues.ts';
import { createResourceStore, type OwnEndpoint } from '../../db/resource-store.ts';
import { endpoints, events, outcomes, teams } from '../../db/schema.ts';
import { forwards, queueItems, queues } from '../../db/schema-queues.ts';
import { inList, toClientStatement, updateStatement } from '../../db/sql-fragments.ts';

/**
 * `oldestAt`: when the oldest unsettled event was received, epoch ms. `lastStatus`, `lastError`: the result of the oldest event
 * that has failed.
 */
export type ItemCounts = {
  waiting: number;
  failed: number;
  givenUp: number;
  oldestAt: number | null;
  lastStatus: number | null;
  lastError: string | null;
};
export type ItemRow = Pick<
  typeof queueItems.$inferSelect,
  'seq' | 'event' | 'nonce' | 'dueAt' | 'attempts' | 'outcome' | 'status' | 'error'
>;
/** An item with fields of its event, which are null if the event was removed. */
export type DeliveryRow = ItemRow & Record<'eventType' | 'platform', string | null> & { receivedAt: number | null };
/** A forward, and the oldest time of receipt at which unpinned events of its endpoint are visible, epoch ms. */
export type VisibleForward = { id: string; endpoint: number; visibleSince: number };
/** An item and its event's row number. */
export type ItemKey = { seq: number; event: number };

// Written like this, the condition matches the index of open items.
const isTried = sql`(${queueItems.attempts} > 0)`;
const isOpen = isNull(queueItems.outcome);
const isGivenUp = eq(queueItems.outcome, 'given_up');
const conditions: Record<ForwardDeliveryState, SQL | undefined> = {
  waiting: and(isOpen, sql`${isTried} = 0`),
  failed: and(isOpen, sql`${isTried} = 1`),
  given_up: isGivenUp,
};

/**
 * The unsettled events of forwards. They are items of the queues (features/queues/store.ts), which this only reads. It leaves out
 * items whose events have expired, whether or not the sweeper has removed them yet.
 */
function createForwardItemsStore(db: Drizzle) {
  const queueOf = async (id: string): Promise<number | undefined> => {
    const isOwn = and(eq(queues.kind, forwardQueue), eq(queues.owner, id));
    return (await db.select({ seq: queues.seq }).from(queues).where(isOwn).get())?.seq;
  };

  const shown = pick(queueItems, 'seq', 'event', 'nonce', 'dueAt', 'attempts', 'outcome', 'status', 'error');
  const isOfVisible = (since: number): SQL =>
    sql`EXISTS (SELECT 1 FROM events WHERE events.seq = ${queueItems.event} AND ${isVisible(since)})`;
  type Page = { after: number; limit: number };
  const list = (
    queue: number,
    { visibleSince }: VisibleForward,
    condition: SQL | undefined,
    { after, limit }: Page,
  ): Promise<ItemRow[]> =>
    db
      .select(shown)
      .from(queueItems)
      .where(and(eq(queueItems.queue, queue), condition, gt(queueItems.seq, after), isOfVisible(visibleSince)))
      .orderBy(asc(queueItems.seq))
      .limit(limit);
  const withEvents = async (rows: readonly ItemRow[]): Promise<DeliveryRow[]> => {
    const seqs = keys(rows).map(({ event }) => event);
    const found = await db
      .select(pick(events, 'seq', 'eventType', 'platform', 'receivedAt'))
      .from(events)
      .where(inList(events.seq, seqs));
    const bySeq = new Map(found.map(({ seq, ...event }) => [seq, event]));
    const none = { eventType: null, platform: null, receivedAt: null };
    return rows.map(row => ({ ...row, ...(bySeq.get(row.event ?? 0) ?? none) }));
  };

  /**
   * The number of items of each state whose events have expired but are not removed yet. They are few, because the sweeper
   * follows.
   */
  const countExpired = async (queue: number, { endpoint, visibleSince }: VisibleForward) => {
    const rows = await db
      .select({ outcome: queueItems.outcome, tried: sql<number>`${isTried}`, items: count() })
      .from(events)
      // A cross join begins with the events.
      .crossJoin(queueItems)
      .where(
        and(
          eq(events.endpoint, endpoint),
          lt(events.receivedAt, visibleSince),
          sql`NOT ${sql.raw(isPinned)}`,
          eq(queueItems.event, events.seq),
          eq(queueItems.queue, queue),
        ),
      )
      .groupBy(queueItems.outcome, isTried);
    const of = (isWanted: (row: (typeof rows)[number]) => boolean): number =>
      rows.filter(isWanted).reduce((sum, { items }) => sum + items, 0);
    return {
      open: of(({ outcome }) => outcome === null),
      failed: of(({ outcome, tried }) => outcome === null && tried === 1),
      givenUp: of(({ outcome }) => outcome !== null),
    };
  };

  return {
    async counts(forward: VisibleForward): Promise<ItemCounts> {
      const queue = await queueOf(forward.id);
      if (queue === undefined)
        return { waiting: 0, failed: 0, givenUp: 0, oldestAt: null, lastStatus: null, lastError: null };
      const counted = async (condition: SQL | undefined): Promise<number> =>
        db.$count(queueItems, and(eq(queueItems.queue, queue), condition));
      // Few items have failed. The many waiting ones are not counted by `attempts`, because that would read every row and not
      // only an index.
      const expired = await countExpired(queue, forward);
      const failures = Math.max(0, (await counted(conditions.failed)) - expired.failed);
      const [oldest] = await db
        .select({ receivedAt: events.receivedAt })
        .from(queueItems)
        .innerJoin(events, eq(events.seq, queueItems.event))
        .where(and(eq(queueItems.queue, queue), isOpen, isVisible(forward.visibleSince)))
        .orderBy(asc(queueItems.seq))
        .limit(1);
      const [failed] = await list(queue, forward, conditions.failed, { after: 0, limit: 1 });
      return {
        waiting: Math.max(0, (await counted(isOpen)) - expired.open - failures),
        failed: failures,
        givenUp: Math.max(0, (await counted(isGivenUp)) - expired.givenUp),
        oldestAt: oldest?.receivedAt ?? null,
        lastStatus: failed?.status ?? null,
        lastError: failed?.error ?? null,
      };
    },

    /** Items in the order in which they were added; in all states if none is given. */
    async items(
      forward: VisibleForward,
      { state, ...page }: Page & { state: ForwardDeliveryState | undefined },
    ): Promise<DeliveryRow[]> {
      const queue = await queueOf(forward.id);
      if (queue === undefined) return [];
      if (state !== undefined) return withEvents(await list(queue, forward, conditions[state], page));
      // Two queries, because each can use an index.
      const both = [...(await list(queue, forward, isOpen, page)), ...(await list(queue, forward, isGivenUp, page))];
      return withEvents(both.sort((a, b) => a.seq - b.seq).slice(0, page.limit));
    },

    /** Failed items that will be retried and are the first of their lane. */
    async blocked(forward: VisibleForward, page: Page): Promise<ItemKey[]> {
      const queue = await queueOf(forward.id);
      if (queue === undefined) return [];
      return keys(await list(queue, forward, and(conditions.failed, isNotNull(queueItems.dueAt)), page));
    },

    async itemsIn(forward: VisibleForward, states: readonly ForwardDeliveryState[], page: Page): Promise<ItemKey[]> {
      const queue = await queueOf(forward.id);
      if (queue === undefined) return [];
      const found: ItemRow[] = [];
      for (const state of states) found.push(...(await list(queue, forward, conditions[state], page)));
      return keys(found.sort((a, b) => a.seq - b.seq).slice(0, page.limit));
    },

    async itemsOf(id: string, event: number): Promise<ItemKey[]> {
      const queue = await queueOf(id);
      if (queue === undefined) return [];
      return keys(
        await db
          .select(shown)
          .from(queueItems)
          .where(and(eq(queueItems.event, event), eq(queueItems.queue, queue))),
      );
    },

    /** Removes given-up items of removed events, after a position. @returns the next position; undefined at the end */
    async removeGone(after: number, limit: number): Promise<number | undefined> {
      const rows = await db
        .select({ seq: queueItems.seq })
        .from(queues)
        .innerJoin(queueItems, and(eq(queueItems.queue, queues.seq), isGivenUp))
        .where(and(eq(queues.kind, forwardQueue), gt(queueItems.seq, after)))
        .orderBy(asc(queueItems.seq))
        .limit(limit);
      const last = rows.at(-1);
      if (!last) return undefined;
      const isThere = db.select({ one: sql`1` }).from(events).where(eq(events.seq, queueItems.event));
      const seqs = rows.map(({ seq }) => seq);
      await db.delete(queueItems).where(and(inList(queueItems.seq, seqs), isGivenUp, notExists(isThere)));
      return rows.length < limit ? undefined : last.seq;
    },

    /** For all forwards together: the number of events that wait for an attempt, and the number of given-up ones. */
    async totals(): Promise<{ open: number; givenUp: number }> {
      const rows = await db
        .select({ outcome: queueItems.outcome, items: count() })
        .from(queues)
        .innerJoin(queueItems, eq(queueItems.queue, queues.seq))
        .where(and(eq(queues.kind, forwardQueue), inArray(sql`ifnull(${queueItems.outcome}, '')`, ['', 'given_up'])))
        .groupBy(queueItems.outcome);
      const of = (outcome: string | null): number => rows.find(row => row.outcome === outcome)?.items ?? 0;
      return { open: of(null), givenUp: of('given_up') };
    },
  };
}

const keys = (rows: readonly ItemRow[]): ItemKey[] => rows.map(({ seq, event }) => ({ seq, event: event ?? 0 }));

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
