/* What entries of the audit log are about: which targets still exist, and the names of those and of others. */
import { and, eq, isNull, max, sql } from 'drizzle-orm';
import { eventId, parseEventId } from '../../core/ids/ids.ts';
import type { Drizzle } from '../../db/database.ts';
import { accounts, apiKeys, endpoints, events, filters, invitations, secrets } from '../../db/schema.ts';
import { connectedApps } from '../../db/schema-oauth.ts';
import { alerts, audit, forwards, replayJobs } from '../../db/schema-queues.ts';
import { inList } from '../../db/sql-fragments.ts';

export type TargetsStore = ReturnType<typeof createTargetsStore>;

/** A target that exists. `endpointId`: of an event. */
export type FoundTarget = { id: string; name?: string; endpointId?: string };

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
