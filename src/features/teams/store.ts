/*
 * Members and invitations. Statements that only an owner may run check the role themselves, so that an owner who is removed
 * concurrently can do nothing more. Only the SHA-256 of an invitation's token is stored.
 */
import { and, asc, eq, gt, sql } from 'drizzle-orm';
import type { Drizzle } from '../../db/database.ts';
import { accounts, invitations } from '../../db/schema.ts';
import { isUniqueViolation } from '../../db/unique-violation.ts';

type MemberRow = { id: string; email: string; role: 'owner' | 'member'; createdAt: number };
type NewMember = { id: string; passwordHash: string; createdAt: number };

export type TeamsStore = ReturnType<typeof createTeamsStore>;

export function createTeamsStore(db: Drizzle) {
  const isOwner = (accountId: string, teamId: string) =>
    sql`EXISTS (SELECT 1 FROM accounts WHERE id = ${accountId} AND team_id = ${teamId} AND role = 'owner')`;
  const isValid = (hash: Buffer, now: number) => and(eq(invitations.hash, hash), gt(invitations.expiresAt, now));

  return {
    membersOf: (teamId: string): Promise<MemberRow[]> =>
      db
        .select({ id: accounts.id, email: accounts.email, role: accounts.role, createdAt: accounts.createdAt })
        .from(accounts)
        .where(eq(accounts.teamId, teamId))
        .orderBy(asc(accounts.createdAt), asc(accounts.id)),

    /** Foreign keys delete the member's API keys, sessions and grants. Its replays are kept without a name. */
    async removeMember(teamId: string, id: string, by: string): Promise<boolean> {
      const { rowsAffected } = await db.run(
        sql`DELETE FROM accounts WHERE id = ${id} AND team_id = ${teamId} AND id <> ${by} AND ${isOwner(by, teamId)}`,
      );
      return rowsAffected === 1;
    },

    /**
     * Replaces an earlier invitation of the address to this team, and deletes expired ones.
     * @returns false when the team already has `limit` invitations, or the inviter is no longer an owner
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
        .where(isValid(hash, now));
      return rows[0];
    },

    /** Creates the member and deletes the invitation. `taken`: the address already has an account, and nothing was changed. */
    async accept(hash: Buffer, now: number, member: NewMember): Promise<'joined' | 'expired' | 'taken'> {
      const { id, passwordHash, createdAt } = member;
      try {
        const [inserted] = await db.batch([
          db.run(sql`INSERT INTO accounts (id, team_id, email, role, password_hash, created_at)
            SELECT ${id}, team_id, email, 'member', ${passwordHash}, ${createdAt} FROM invitations
            WHERE hash = ${hash} AND expires_at > ${now}`),
          db.run(sql`DELETE FROM invitations WHERE hash = ${hash}`),
        ]);
        return inserted.rowsAffected === 1 ? 'joined' : 'expired';
      } catch (error) {
        if (isUniqueViolation(error)) return 'taken';
        throw error;
      }
    },
  };
}
