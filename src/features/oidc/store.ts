/* Bindings of accounts to accounts of OpenID Connect providers. Each change checks its condition in the statement itself. */
import { and, eq, exists, ne, notExists, or } from 'drizzle-orm';
import { changesOne } from '../../db/changes-one.ts';
import type { Drizzle } from '../../db/database.ts';
import { insertIf } from '../../db/insert-if.ts';
import { type ConfiguredWays, hasAnotherWay } from '../../db/other-ways.ts';
import { accounts, oidcBindings } from '../../db/schema.ts';

type Binding = typeof oidcBindings.$inferInsert;
type Subject = Pick<Binding, 'issuer' | 'subject'>;

export type OidcStore = ReturnType<typeof createOidcStore>;

export function createOidcStore(db: Drizzle) {
  const isOf = ({ issuer, subject }: Subject) =>
    and(eq(oidcBindings.issuer, issuer), eq(oidcBindings.subject, subject));
  const isOfAccount = (accountId: string, issuer: string) =>
    and(eq(oidcBindings.accountId, accountId), eq(oidcBindings.issuer, issuer));

  return {
    /** The account that the provider's account is bound to. */
    async accountOf(subject: Subject): Promise<string | undefined> {
      const rows = await db.select({ accountId: oidcBindings.accountId }).from(oidcBindings).where(isOf(subject));
      return rows[0]?.accountId;
    },

    async isBound(accountId: string, issuer: string): Promise<boolean> {
      return (await db.$count(oidcBindings, isOfAccount(accountId, issuer))) > 0;
    },

    /** @returns false when either side is bound already, or the account was deleted */
    insert(binding: Binding): Promise<boolean> {
      const isTaken = or(isOf(binding), isOfAccount(binding.accountId, binding.issuer));
      const condition = and(
        exists(db.select({ id: accounts.id }).from(accounts).where(eq(accounts.id, binding.accountId))),
        notExists(db.select({ id: oidcBindings.accountId }).from(oidcBindings).where(isTaken)),
      );
      return changesOne(insertIf(db, oidcBindings, binding, condition));
    },

    /** @returns false without a binding, and when it is the last way to sign in */
    remove(accountId: string, issuer: string, ways: ConfiguredWays): Promise<boolean> {
      const mayGo = and(isOfAccount(accountId, issuer), hasAnotherWay(db, accountId, { oidc: true }, ways));
      return changesOne(db.delete(oidcBindings).where(mayGo));
    },

    /** Also removes bindings to providers that are no longer configured. @returns how many there were */
    async removeAll(accountId: string): Promise<number> {
      return (await db.delete(oidcBindings).where(eq(oidcBindings.accountId, accountId))).rowsAffected;
    },

    /** The last owner of a team stays one. @returns whether the role changed */
    setRole(accountId: string, role: 'owner' | 'member'): Promise<boolean> {
      const team = db.select({ id: accounts.teamId }).from(accounts).where(eq(accounts.id, accountId));
      const otherOwner = db
        .select({ id: accounts.id })
        .from(accounts)
        .where(and(eq(accounts.teamId, team), eq(accounts.role, 'owner'), ne(accounts.id, accountId)));
      const mayChange = role === 'owner' ? undefined : exists(otherOwner);
      return changesOne(
        db
          .update(accounts)
          .set({ role })
          .where(and(eq(accounts.id, accountId), ne(accounts.role, role), mayChange)),
      );
    },
  };
}
