/* Sessions. Only the SHA-256 of a token is stored. Queries ignore expired sessions. */
import { and, desc, eq, exists, gt, inArray, lte, or, type SQL } from 'drizzle-orm';
import type { AccountIdentity } from '../../core/access/principal.ts';
import type { SignInProof } from '../../core/access/sign-in.ts';
import { pick } from '../../core/pick.ts';
import { accountColumns } from '../../db/account-columns.ts';
import { changesOne } from '../../db/changes-one.ts';
import type { Drizzle } from '../../db/database.ts';
import { insertIf } from '../../db/insert-if.ts';
import { accounts, oidcBindings, passkeys, sessions, signInLinks, teams } from '../../db/schema.ts';

type SessionRow = Omit<typeof sessions.$inferSelect, 'hash' | 'signedInAt' | 'way' | 'idToken'>;
type NewSession = Omit<typeof sessions.$inferInsert, 'way' | 'idToken'>;
export type AuthenticatedSession = AccountIdentity &
  Pick<typeof sessions.$inferSelect, 'createdAt' | 'lastSeenAt' | 'signedInAt' | 'way'> & { sessionId: string };
/** A session is valid when it was last seen and created after these times. */
export type ExpiryCutoffs = { lastSeenAfter: number; createdAfter: number };

export type SessionsStore = ReturnType<typeof createSessionsStore>;

export function createSessionsStore(db: Drizzle) {
  const isNotExpired = ({ lastSeenAfter, createdAfter }: ExpiryCutoffs) =>
    and(gt(sessions.lastSeenAt, lastSeenAfter), gt(sessions.createdAt, createdAfter));

  const holds = (proof: SignInProof, { accountId, createdAt }: NewSession): SQL => {
    const hasRow = (
      table: typeof oidcBindings | typeof passkeys | typeof signInLinks | typeof accounts,
      ...conditions: (SQL | undefined)[]
    ): SQL =>
      exists(
        db
          .select()
          .from(table)
          .where(and(...conditions)),
      );
    if (proof.way === 'oidc') {
      const isSubject = and(eq(oidcBindings.issuer, proof.issuer), eq(oidcBindings.subject, proof.subject));
      return hasRow(oidcBindings, isSubject, eq(oidcBindings.accountId, accountId));
    }
    if (proof.way === 'passkey') return hasRow(passkeys, eq(passkeys.id, proof.id), eq(passkeys.accountId, accountId));
    if (proof.way === 'link' && proof.hash) {
      const isValid = and(eq(signInLinks.hash, proof.hash), gt(signInLinks.expiresAt, createdAt));
      return hasRow(signInLinks, isValid, eq(signInLinks.accountId, accountId));
    }
    const hasPassword = proof.way === 'password' ? eq(accounts.passwordHash, proof.passwordHash) : undefined;
    return hasRow(accounts, eq(accounts.id, accountId), hasPassword);
  };

  return {
    /**
     * Also deletes expired sessions, the session that the new one replaces and the sign-in link that it uses up.
     * @returns false, without inserting, when the account was deleted or the proof does not hold any more
     */
    async insert(session: NewSession, proof: SignInProof, replaces: string, cutoffs: ExpiryCutoffs): Promise<boolean> {
      const idToken = proof.way === 'oidc' ? proof.idToken : null;
      const linkHash = (proof.way === 'link' ? proof.hash : undefined) ?? Buffer.alloc(0);
      const [inserted] = await db.batch([
        insertIf(db, sessions, { ...session, way: proof.way, idToken }, holds(proof, session)),
        db.delete(signInLinks).where(or(eq(signInLinks.hash, linkHash), lte(signInLinks.expiresAt, session.createdAt))),
        db
          .delete(sessions)
          .where(
            or(
              eq(sessions.id, replaces),
              lte(sessions.lastSeenAt, cutoffs.lastSeenAfter),
              lte(sessions.createdAt, cutoffs.createdAfter),
            ),
          ),
      ]);
      return inserted.rowsAffected === 1;
    },

    findByHash: (hash: Buffer, cutoffs: ExpiryCutoffs): Promise<AuthenticatedSession | undefined> =>
      db
        .select({
          sessionId: sessions.id,
          ...pick(sessions, 'lastSeenAt', 'createdAt', 'signedInAt', 'way'),
          ...accountColumns,
        })
        .from(sessions)
        .innerJoin(accounts, eq(accounts.id, sessions.accountId))
        .innerJoin(teams, eq(teams.id, accounts.teamId))
        .where(and(eq(sessions.hash, hash), isNotExpired(cutoffs)))
        .get(),

    /** The hashes of all sessions, including expired ones. */
    hashes: async (): Promise<Buffer[]> =>
      (await db.select({ hash: sessions.hash }).from(sessions)).map(row => row.hash),

    /** The given hashes that belong to a session, expired or not. */
    existing: async (hashes: Buffer[]): Promise<Buffer[]> =>
      (await db.select({ hash: sessions.hash }).from(sessions).where(inArray(sessions.hash, hashes))).map(
        row => row.hash,
      ),

    async touch(id: string, at: number): Promise<void> {
      await db.update(sessions).set({ lastSeenAt: at }).where(eq(sessions.id, id));
    },

    listOf: (accountId: string, cutoffs: ExpiryCutoffs): Promise<SessionRow[]> =>
      db
        .select(pick(sessions, 'id', 'accountId', 'userAgent', 'sourceIp', 'createdAt', 'lastSeenAt'))
        .from(sessions)
        .where(and(eq(sessions.accountId, accountId), isNotExpired(cutoffs)))
        .orderBy(desc(sessions.lastSeenAt), desc(sessions.id)),

    /** @returns undefined if there is no such session; `idToken`: sealed, null if it did not begin with the provider */
    async remove(accountId: string, id: string): Promise<{ idToken: Buffer | null } | undefined> {
      const [removed] = await db
        .delete(sessions)
        .where(and(eq(sessions.id, id), eq(sessions.accountId, accountId)))
        .returning({ idToken: sessions.idToken });
      return removed;
    },

    /** Gives the session a new token. */
    rotate: (accountId: string, id: string, hash: Buffer): Promise<boolean> =>
      changesOne(
        db
          .update(sessions)
          .set({ hash })
          .where(and(eq(sessions.id, id), eq(sessions.accountId, accountId))),
      ),
  };
}
