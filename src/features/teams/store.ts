/*
 * Members and invitations. Statements that only an owner may run check the role themselves, so that an owner who is removed at
 * the same moment can do nothing more. Only the SHA-256 of an invitation's token is stored.
 */
import { and, asc, desc, eq, exists, gt, inArray, isNull, lt, lte, ne, not, or, sql } from 'drizzle-orm';
import type { Role } from '../../core/access/principal.ts';
import { pick } from '../../core/pick.ts';
import { changesOne } from '../../db/changes-one.ts';
import type { Drizzle } from '../../db/database.ts';
import { insertIf } from '../../db/insert-if.ts';
import { accounts, invitations } from '../../db/schema.ts';
import { isUniqueViolation } from '../../db/unique-violation.ts';

type MemberRow = { id: string; email: string; role: Role; createdAt: number };
type PendingRow = { id: string; email: string; invitedBy: string; createdAt: number; expiresAt: number };
type NewMember = { id: string; passwordHash: string | null; createdAt: number };

export type TeamsStore = ReturnType<typeof createTeamsStore>;

export function createTeamsStore(db: Drizzle) {
  const isOwner = (accountId: string, teamId: string) =>
    exists(
      db
        .select({ id: accounts.id })
        .from(accounts)
        .where(and(eq(accounts.id, accountId), eq(accounts.teamId, teamId), eq(accounts.role, 'owner'))),
    );
  /** A team's invitation that can still be accepted. */
  const isPending = (teamId: string, id: string, now: number) =>
    and(eq(invitations.id, id), eq(invitations.teamId, teamId), gt(invitations.expiresAt, now));
  const isValid = (hash: Buffer, now: number) => and(eq(invitations.hash, hash), gt(invitations.expiresAt, now));
  /** With the account `invitedBy`: an invitation of the account's own address is its password link. */
  const isPasswordLink = eq(accounts.email, invitations.email);

  return {
    membersOf: (teamId: string): Promise<MemberRow[]> =>
      db
        .select(pick(accounts, 'id', 'email', 'role', 'createdAt'))
        .from(accounts)
        .where(eq(accounts.teamId, teamId))
        .orderBy(asc(accounts.createdAt), asc(accounts.id)),

    /** Foreign keys delete the member's API keys, sessions and grants. Its replays are kept without a name. */
    removeMember(teamId: string, id: string, by: string): Promise<boolean> {
      const isOther = and(eq(accounts.id, id), eq(accounts.teamId, teamId), ne(accounts.id, by));
      return changesOne(db.delete(accounts).where(and(isOther, isOwner(by, teamId))));
    },

    /**
     * Replaces an earlier invitation of the address to this team, and deletes expired ones.
     * @returns false when the team already has `limit` invitations, or the inviter is no longer an owner
     */
    async invite(invitation: typeof invitations.$inferInsert, limit: number): Promise<boolean> {
      const { teamId, invitedBy, email, createdAt } = invitation;
      const isBelowLimit = lt(db.$count(invitations, eq(invitations.teamId, teamId)), limit);
      const [, inserted] = await db.batch([
        db
          .delete(invitations)
          .where(
            or(
              lte(invitations.expiresAt, createdAt),
              and(eq(invitations.teamId, teamId), eq(invitations.email, email)),
            ),
          ),
        insertIf(db, invitations, invitation, and(isOwner(invitedBy, teamId), isBelowLimit)),
      ]);
      return inserted.rowsAffected === 1;
    },

    pendingInvitations: (teamId: string, now: number): Promise<PendingRow[]> =>
      db
        .select({ ...pick(invitations, 'id', 'email', 'createdAt', 'expiresAt'), invitedBy: accounts.email })
        .from(invitations)
        .innerJoin(accounts, eq(accounts.id, invitations.invitedBy))
        .where(and(eq(invitations.teamId, teamId), gt(invitations.expiresAt, now), not(isPasswordLink)))
        .orderBy(desc(invitations.createdAt), desc(invitations.id)),

    /**
     * Gives a pending invitation a new link. @returns its address; undefined if there is no such invitation, or if its new
     * inviter is not an owner
     */
    async renewInvitation(invitation: Omit<typeof invitations.$inferInsert, 'email'>): Promise<string | undefined> {
      const { id, teamId, ...link } = invitation;
      const rows = await db
        .update(invitations)
        .set(link)
        .where(and(isPending(teamId, id, link.createdAt), isOwner(link.invitedBy, teamId)))
        .returning({ email: invitations.email });
      return rows[0]?.email;
    },

    /** @returns false if there is no such pending invitation, or if `by` is not an owner */
    removeInvitation: (of: { teamId: string; id: string; by: string; now: number }): Promise<boolean> =>
      changesOne(db.delete(invitations).where(and(isPending(of.teamId, of.id, of.now), isOwner(of.by, of.teamId)))),

    /** A password link ends when the account has a password. */
    findInvitation: (hash: Buffer, now: number): Promise<{ email: string; teamOf: string } | undefined> =>
      db
        .select({ email: invitations.email, teamOf: accounts.email })
        .from(invitations)
        .innerJoin(accounts, eq(accounts.id, invitations.invitedBy))
        .where(and(isValid(hash, now), or(not(isPasswordLink), isNull(accounts.passwordHash))))
        .get(),

    /** @param link its address is the address of the account `invitedBy` */
    async insertPasswordLink(link: typeof invitations.$inferInsert): Promise<void> {
      await db.insert(invitations).values(link);
    },

    /** Uses up a password link, and sets the first password of its account, if it gets one. @returns its id; undefined when the link is not valid */
    async acceptPasswordLink(hash: Buffer, now: number, passwordHash: string | null): Promise<string | undefined> {
      const accountOfLink = db
        .select({ id: invitations.invitedBy })
        .from(invitations)
        .innerJoin(accounts, eq(accounts.id, invitations.invitedBy))
        .where(and(isValid(hash, now), isPasswordLink));
      const [changed] = await db.batch([
        db
          .update(accounts)
          .set({ passwordHash })
          .where(and(inArray(accounts.id, accountOfLink), isNull(accounts.passwordHash)))
          .returning({ id: accounts.id }),
        db.delete(invitations).where(eq(invitations.hash, hash)),
      ]);
      return changed[0]?.id;
    },

    /** The invitation of the address that was made last, whose link is not needed if the address is proven otherwise. */
    async invitationOf(email: string, now: number): Promise<Buffer | undefined> {
      const rows = await db
        .select({ hash: invitations.hash })
        .from(invitations)
        .where(and(eq(invitations.email, email), gt(invitations.expiresAt, now)))
        .orderBy(desc(invitations.createdAt), desc(invitations.id))
        .limit(1);
      return rows[0]?.hash;
    },

    /** Creates the member and deletes the invitation. `taken`: the address already has an account, and nothing was changed. */
    async accept(hash: Buffer, now: number, member: NewMember): Promise<'joined' | 'expired' | 'taken'> {
      const { id, passwordHash, createdAt } = member;
      try {
        const [inserted] = await db.batch([
          // Raw: team and address come from the invitation (INSERT … SELECT).
          db.run(sql`INSERT INTO accounts (id, team_id, email, role, password_hash, created_at)
            SELECT ${id}, team_id, email, 'member', ${passwordHash}, ${createdAt} FROM invitations
            WHERE hash = ${hash} AND expires_at > ${now}`),
          db.delete(invitations).where(eq(invitations.hash, hash)),
        ]);
        return inserted.rowsAffected === 1 ? 'joined' : 'expired';
      } catch (error) {
        if (isUniqueViolation(error)) return 'taken';
        throw error;
      }
    },
  };
}
