/*
 * Members and invitations. What only an owner may do says so in its own statement, so that an owner who is being removed at
 * the same moment does nothing any more. Only a SHA-256 of an invitation's token is stored.
 */

import { and, asc, eq, gt, sql } from 'drizzle-orm';
import type { Role } from '../../core/principal.ts';
import type { Drizzle } from '../../db/database.ts';
import { accounts, invitations } from '../../db/schema.ts';
import { isUniqueViolation } from '../../db/unique.ts';

export type MemberRow = { id: string; email: string; role: Role; createdAt: number };
export type NewMember = { id: string; passwordHash: string; createdAt: number };

export type TeamsStore = ReturnType<typeof createTeamsStore>;

export function createTeamsStore(db: Drizzle) {
  const isOwner = (accountId: string, teamId: string) =>
    sql`EXISTS (SELECT 1 FROM accounts WHERE id = ${accountId} AND team_id = ${teamId} AND role = 'owner')`;
  const valid = (hash: Buffer, now: number) => and(eq(invitations.hash, hash), gt(invitations.expiresAt, now));

  return {
    membersOf: (teamId: string): Promise<MemberRow[]> =>
      db
        .select({ id: accounts.id, email: accounts.email, role: accounts.role, createdAt: accounts.createdAt })
        .from(accounts)
        .where(eq(accounts.teamId, teamId))
        .orderBy(asc(accounts.createdAt), asc(accounts.id)),

    /** Keys, sessions and grants go with the account; its replays stay without a name. */
    async removeMember(teamId: string, id: string, by: string): Promise<boolean> {
      const { rowsAffected } = await db.run(
        sql`DELETE FROM accounts WHERE id = ${id} AND team_id = ${teamId} AND id <> ${by} AND ${isOwner(by, teamId)}`,
      );
      return rowsAffected === 1;
    },

    /**
     * In place of an earlier invitation of the same address to this team; expired ones are cleared away.
     * @returns false when the team has `limit` invitations already, or the inviter is no owner any more
     */
    async invite(invitation: typeof invitations.$inferInsert, limit: number): Promise<boolean> {
      const { hash, teamId, invitedBy, email, createdAt, expiresAt } = invitation;
      const [, inserted] = await db.batch([
        db.run(sql`DELETE FROM invitations
          WHERE expires_at <= ${createdAt} OR (team_id = ${teamId} AND email = ${email})`),
        db.run(sql`INSERT INTO invitations (hash, team_id, invited_by, email, created_at, expires_at)
          SELECT ${hash}, ${teamId}, ${invitedBy}, ${email}, ${createdAt}, ${expiresAt}
          WHERE ${isOwner(invitedBy, teamId)}
            AND (SELECT count(*) FROM invitations WHERE team_id = ${teamId}) < ${limit}`),
      ]);
      return inserted.rowsAffected === 1;
    },

    async findInvitation(hash: Buffer, now: number): Promise<{ email: string; teamOf: string } | undefined> {
      const rows = await db
        .select({ email: invitations.email, teamOf: accounts.email })
        .from(invitations)
        .innerJoin(accounts, eq(accounts.id, invitations.invitedBy))
        .where(valid(hash, now));
      return rows[0];
    },

    /** Uses an invitation up. `taken`: its address has an account already, and nothing happened. */
    async accept(hash: Buffer, now: number, member: NewMember): Promise<'joined' | 'gone' | 'taken'> {
      const { id, passwordHash, createdAt } = member;
      try {
        const [inserted] = await db.batch([
          db.run(sql`INSERT INTO accounts (id, team_id, email, role, password_hash, created_at)
            SELECT ${id}, team_id, email, 'member', ${passwordHash}, ${createdAt} FROM invitations
            WHERE hash = ${hash} AND expires_at > ${now}`),
          db.run(sql`DELETE FROM invitations WHERE hash = ${hash}`),
        ]);
        return inserted.rowsAffected === 1 ? 'joined' : 'gone';
      } catch (error) {
        if (isUniqueViolation(error)) return 'taken';
        throw error;
      }
    },
  };
}
