/* The audit log: lines are added and read, never changed. */
import { and, desc, eq, gte, inArray, isNull, lt, lte, max, or, type SQL, sql } from 'drizzle-orm';
import { unionAll } from 'drizzle-orm/sqlite-core';
import { eventId, parseEventId } from '../../core/ids/ids.ts';
import type { Drizzle } from '../../db/database.ts';
import { accounts, apiKeys, endpoints, events, filters, invitations, secrets } from '../../db/schema.ts';
import { connectedApps, oauthGrants } from '../../db/schema-oauth.ts';
import { alerts, audit, forwards, replayJobs } from '../../db/schema-queues.ts';
import { inList } from '../../db/sql-fragments.ts';

export type AuditRow = typeof audit.$inferSelect;
export type NewAuditRow = Omit<AuditRow, 'seq'>;

/** The fields by which a team is found. */
export type TeamBy = 'email' | 'key' | 'endpoint';

export type FoundActor = { id: string; email: string; teamId: string; appId?: string };

export type AuditPageOf = {
  /** Only lines with a smaller number. */
  before: number | undefined;
  limit: number;
  /** An email address, the id of an account, or `operator`. */
  person?: string | undefined;
  /** The id of a target or an endpoint, or the type of a target. */
  thing?: string | undefined;
  /** Epoch ms, included. */
  from?: number | undefined;
  to?: number | undefined;
};

const isBy = (person: string): SQL | undefined =>
  person === 'operator'
    ? isNull(audit.actorId)
    : or(eq(audit.actorId, person), sql`lower(${audit.actorEmail}) = lower(${person})`);
const isAbout = (thing: string): SQL | undefined =>
  or(eq(audit.targetId, thing), eq(audit.endpointId, thing), eq(audit.targetType, thing));

const actor = { id: accounts.id, email: accounts.email, teamId: accounts.teamId };

export type AuditStore = ReturnType<typeof createAuditStore>;

/** @param scanDb the thread for long reads */
export function createAuditStore(db: Drizzle, scanDb: Drizzle) {
  return {
    async insert(row: NewAuditRow): Promise<void> {
      await db.insert(audit).values(row);
    },

    /** Lines of the team and of the whole installation, newest first. */
    page(teamId: string, { before, limit, person, thing, from, to }: AuditPageOf) {
      const linesOf = (isOfTeam: SQL) =>
        scanDb
          .select()
          .from(audit)
          .where(
            and(
              isOfTeam,
              before === undefined ? undefined : lt(audit.seq, before),
              person === undefined ? undefined : isBy(person),
              thing === undefined ? undefined : isAbout(thing),
              from === undefined ? undefined : gte(audit.at, from),
              to === undefined ? undefined : lte(audit.at, to),
            ),
          );
      // SQLite merges two reads in the order of the index. With OR, it would sort the whole log.
      return unionAll(linesOf(eq(audit.teamId, teamId)), linesOf(isNull(audit.teamId)))
        .orderBy(desc(audit.seq))
        .limit(limit);
    },

    /** The id of an event's endpoint. */
    async endpointOfEvent(id: string): Promise<string | undefined> {
      const key = parseEventId(id);
      if (!key) return undefined;
      const rows = await db
        .select({ id: endpoints.id, nonce: events.nonce })
        .from(events)
        .innerJoin(endpoints, eq(endpoints.seq, events.endpoint))
        .where(eq(events.seq, key.seq));
      return rows.find(({ nonce }) => Buffer.compare(nonce, key.nonce) === 0)?.id;
    },

    account: (id: string): Promise<FoundActor | undefined> =>
      db.select(actor).from(accounts).where(eq(accounts.id, id)).get(),

    /** The account of a grant, and its app. */
    grant: (id: string): Promise<FoundActor | undefined> =>
      db
        .select({ ...actor, appId: connectedApps.id })
        .from(oauthGrants)
        .innerJoin(connectedApps, eq(connectedApps.id, oauthGrants.appId))
        .innerJoin(accounts, eq(accounts.id, connectedApps.accountId))
        .where(eq(oauthGrants.id, id))
        .get(),

    async teamOf(by: TeamBy, value: string): Promise<string | undefined> {
      const ofKey = db.select({ id: apiKeys.accountId }).from(apiKeys).where(eq(apiKeys.id, value));
      const query = {
        email: db.select(actor).from(accounts).where(sql`lower(${accounts.email}) = lower(${value})`),
        key: db.select(actor).from(accounts).where(inArray(accounts.id, ofKey)),
        endpoint: db.select({ teamId: endpoints.teamId }).from(endpoints).where(eq(endpoints.id, value)),
      }[by];
      return (await query)[0]?.teamId;
    },
  };
}

export type TargetsStore = ReturnType<typeof createTargetsStore>;

/** A target that exists. `endpointId`: of an event. */
export type FoundTarget = { id: string; name?: string; endpointId?: string };

/** What entries are about: which targets still exist, and the names of those and of others. */
export function createTargetsStore(db: Drizzle) {
  const byType: Record<string, (ids: readonly string[]) => PromiseLike<FoundTarget[]>> = {
    endpoint: ids =>
      db
        .select({ id: endpoints.id, name: endpoints.name })
        .from(endpoints)
        .where(and(inList(endpoints.id, ids), isNull(endpoints.deletedAt))),
    async event(ids) {
      const seqs = ids.flatMap(id => parseEventId(id)?.seq ?? []);
      const rows = await db
        .select({ seq: events.seq, nonce: events.nonce, endpointId: endpoints.id })
        .from(events)
        .innerJoin(endpoints, and(eq(endpoints.seq, events.endpoint), isNull(endpoints.deletedAt)))
        .where(inList(events.seq, seqs));
      return rows.map(({ seq, nonce, endpointId }) => ({ id: eventId(seq, nonce), endpointId }));
    },
    forward: ids => db.select({ id: forwards.id }).from(forwards).where(inList(forwards.id, ids)),
    alert: ids => db.select({ id: alerts.id, name: alerts.name }).from(alerts).where(inList(alerts.id, ids)),
    secret: ids => db.select({ id: secrets.id }).from(secrets).where(inList(secrets.id, ids)),
    filter: ids => db.select({ id: filters.id, name: filters.name }).from(filters).where(inList(filters.id, ids)),
    replay_job: ids => db.select({ id: replayJobs.id }).from(replayJobs).where(inList(replayJobs.id, ids)),
    key: ids => db.select({ id: apiKeys.id, name: apiKeys.name }).from(apiKeys).where(inList(apiKeys.id, ids)),
    app: ids =>
      db
        .select({ id: connectedApps.id, name: connectedApps.name })
        .from(connectedApps)
        .where(inList(connectedApps.id, ids)),
    account: ids => db.select({ id: accounts.id, name: accounts.email }).from(accounts).where(inList(accounts.id, ids)),
    invitation: ids =>
      db.select({ id: invitations.id, name: invitations.email }).from(invitations).where(inList(invitations.id, ids)),
  };
  const name = sql<string>`${audit.details} ->> 'name'`;

  return {
    /** The targets that exist, by their ids. */
    async existing(targets: readonly { type: string; id: string }[]): Promise<Map<string, FoundTarget>> {
      const types = Map.groupBy(targets, ({ type }) => type);
      const found = await Promise.all(
        [...types].map(([type, ofType]) => byType[type]?.(ofType.map(({ id }) => id)) ?? []),
      );
      return new Map(found.flat().map(target => [target.id, target]));
    },

    /** The last known names of endpoints and of what belongs to them, by their ids. */
    async namesInEndpoints(endpointIds: readonly string[], ids: readonly string[]): Promise<Map<string, string>> {
      const rows = await db
        // SQLite takes the name from the row with the highest number.
        .select({ id: audit.targetId, name, last: max(audit.seq) })
        .from(audit)
        .where(and(inList(audit.endpointId, endpointIds), inList(audit.targetId, ids), sql`${name} IS NOT NULL`))
        .groupBy(audit.targetId);
      return new Map(rows.map(row => [row.id, row.name]));
    },

    /** The last known names of keys, and the addresses of accounts and invitations, by their ids. Reads the whole log of the team. */
    async namesInTeam(teamId: string, ids: readonly string[]): Promise<Map<string, string>> {
      const [targets, actors] = await Promise.all([
        db
          .select({ id: audit.targetId, name, last: max(audit.seq) })
          .from(audit)
          .where(and(eq(audit.teamId, teamId), inList(audit.targetId, ids), sql`${name} IS NOT NULL`))
          .groupBy(audit.targetId),
        db
          .select({ id: audit.actorId, name: audit.actorEmail, last: max(audit.seq) })
          .from(audit)
          .where(and(eq(audit.teamId, teamId), inList(audit.actorId, ids)))
          .groupBy(audit.actorId),
      ]);
      return new Map([...actors, ...targets].map(row => [row.id ?? '', row.name ?? '']));
    },
  };
}
