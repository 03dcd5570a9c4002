/* Ends the bindings of accounts to an OpenID Connect provider, and knows who has one. It needs no request to the provider. */
import type { Principal } from '../../core/access/principal.ts';
import { requireRecentSignIn } from '../../core/access/recent-sign-in.ts';
import type { Clock } from '../../core/clock.ts';
import { conflict, notFound } from '../../core/errors.ts';
import type { ConfiguredWays } from '../../db/other-ways.ts';
import type { OidcStore } from './store.ts';

export type OidcBindings = ReturnType<typeof createOidcBindings>;

export function createOidcBindings(options: {
  store: OidcStore;
  /** `issuer`: of the provider that is configured. */
  ways: ConfiguredWays;
  clock: Clock;
}) {
  const { store, ways, clock } = options;
  const { issuer } = ways;
  /** @throws forbidden */
  const requireMayChange = (caller: Pick<Principal, 'signedInAt'>): void => requireRecentSignIn(caller, clock.now());

  return {
    requireMayChange,

    /** Whether the account can sign in with the configured provider. */
    isBound: async (accountId: string): Promise<boolean> => issuer !== undefined && store.isBound(accountId, issuer),

    /** @throws forbidden, conflict when it is the last way to sign in, not_found without a binding */
    async end(caller: Pick<Principal, 'accountId' | 'signedInAt'>): Promise<void> {
      requireMayChange(caller);
      if (issuer === undefined) throw notFound('sign-in with a provider');
      if (await store.remove(caller.accountId, issuer, ways)) return;
      if (await store.isBound(caller.accountId, issuer))
        throw conflict('you could not sign in any more: set a password or add a passkey first');
      throw notFound('sign-in with a provider');
    },

    /** For a person who was bound to the wrong account of the provider. @throws conflict without a binding */
    async endByOperator({ id, email }: { id: string; email: string }): Promise<void> {
      if ((await store.removeAll(id)) === 0) throw conflict(`${email} does not sign in with a provider`);
    },
  };
}
