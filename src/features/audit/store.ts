/* The audit log: lines are added and read, never changed. */
import { and, desc, eq, gte, isNull, lt, lte, or, type SQL, sql } from 'drizzle-orm';
import { unionAll } from 'drizzle-orm/sqlite-core';
import { parseEventId } from '../../core/ids/ids.ts';
import type { Drizzle } from '../../db/database.ts';
import { accounts, apiKeys, endpoints, events } from '../../db/schema.ts';
import { connectedApps, oauthGrants } from '../../db/schema-oauth.ts';
import { audit } from '../../db/schema-queues.ts';

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
      switch (by) {
        case 'email':
          return (
            await db
              .select({ teamId: accounts.teamId })
              .from(accounts)
              .where(sql`lower(${accounts.email}) = lower(${value})`)
              .get()
          )?.teamId;
        case 'key':
          return (
            await db
              .select({ teamId: accounts.teamId })
              .from(apiKeys)
              .innerJoin(accounts, eq(accounts.id, apiKeys.accountId))
              .where(eq(apiKeys.id, value))
              .get()
          )?.teamId;
        case 'endpoint':
          return (await db.select({ teamId: endpoints.teamId }).from(endpoints).where(eq(endpoints.id, value)))[0]
            ?.teamId;
      }
    },
  };
}
