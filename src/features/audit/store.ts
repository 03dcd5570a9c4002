/* The audit log: lines are added and read, never changed. */
import { and, desc, eq, isNull, lt, or, sql } from 'drizzle-orm';
import type { Drizzle } from '../../db/database.ts';
import { accounts, apiKeys, endpoints } from '../../db/schema.ts';
import { connectedApps, oauthGrants } from '../../db/schema-oauth.ts';
import { audit } from '../../db/schema-queues.ts';

export type AuditRow = typeof audit.$inferSelect;
export type NewAuditRow = Omit<AuditRow, 'seq'>;

/** The fields by which a team is found. */
export type TeamBy = 'email' | 'key' | 'endpoint';

export type FoundActor = { id: string; email: string; teamId: string; appId?: string };

const actor = { id: accounts.id, email: accounts.email, teamId: accounts.teamId };

export type AuditStore = ReturnType<typeof createAuditStore>;

export function createAuditStore(db: Drizzle) {
  return {
    async insert(row: NewAuditRow): Promise<void> {
      await db.insert(audit).values(row);
    },

    /** Lines of the team and of the whole installation, newest first. @param before only lines with a smaller number */
    page: (teamId: string, before: number | undefined, limit: number): Promise<AuditRow[]> =>
      db
        .select()
        .from(audit)
        .where(
          and(
            or(eq(audit.teamId, teamId), isNull(audit.teamId)),
            before === undefined ? undefined : lt(audit.seq, before),
          ),
        )
        .orderBy(desc(audit.seq))
        .limit(limit),

    account: async (id: string): Promise<FoundActor | undefined> =>
      (await db.select(actor).from(accounts).where(eq(accounts.id, id)))[0],

    /** The account of a grant, and its app. */
    grant: async (id: string): Promise<FoundActor | undefined> =>
      (
        await db
          .select({ ...actor, appId: connectedApps.id })
          .from(oauthGrants)
          .innerJoin(connectedApps, eq(connectedApps.id, oauthGrants.appId))
          .innerJoin(accounts, eq(accounts.id, connectedApps.accountId))
          .where(eq(oauthGrants.id, id))
      )[0],

    async teamOf(by: TeamBy, value: string): Promise<string | undefined> {
      switch (by) {
        case 'email':
          return (
            await db
              .select({ teamId: accounts.teamId })
              .from(accounts)
              .where(sql`lower(${accounts.email}) = lower(${value})`)
          )[0]?.teamId;
        case 'key':
          return (
            await db
              .select({ teamId: accounts.teamId })
              .from(apiKeys)
              .innerJoin(accounts, eq(accounts.id, apiKeys.accountId))
              .where(eq(apiKeys.id, value))
          )[0]?.teamId;
        case 'endpoint':
          return (await db.select({ teamId: endpoints.teamId }).from(endpoints).where(eq(endpoints.id, value)))[0]
            ?.teamId;
      }
    },
  };
}
