/* The condition under which a way to sign in may be removed: the account has another. */
import { and, eq, exists, isNotNull, ne, or, type SQL, sql } from 'drizzle-orm';
import type { Drizzle } from './database.ts';
import { accounts, oidcBindings, passkeys } from './schema.ts';

/** What this installation is configured for. `issuer`: of its OpenID Connect provider. `passkeys`: an IP address can have none. */
export type ConfiguredWays = { password: boolean; issuer: string | undefined; passkeys: boolean };

/** One-time codes and sign-in links do not count, nor does the binding to a provider that is no longer configured. */
export function hasAnotherWay(
  db: Drizzle,
  accountId: string,
  without: { oidc: true } | { passkey: string },
  { password, issuer, passkeys: hasPasskeys }: ConfiguredWays,
): SQL | undefined {
  const hasPassword = and(eq(accounts.id, accountId), isNotNull(accounts.passwordHash));
  const isOther = 'passkey' in without ? ne(passkeys.id, without.passkey) : undefined;
  const isBound = and(eq(oidcBindings.accountId, accountId), eq(oidcBindings.issuer, issuer ?? ''));
  // Without any, `or` would be no condition at all.
  return or(
    sql`false`,
    password ? exists(db.select({ id: accounts.id }).from(accounts).where(hasPassword)) : undefined,
    hasPasskeys
      ? exists(
          db
            .select({ id: passkeys.id })
            .from(passkeys)
            .where(and(eq(passkeys.accountId, accountId), isOther)),
        )
      : undefined,
    issuer === undefined || 'oidc' in without
      ? undefined
      : exists(db.select({ id: oidcBindings.accountId }).from(oidcBindings).where(isBound)),
  );
}
