/*
 * Connected apps: clients that a user authorized by OAuth, and clients of trusted external issuers. Each request with an access
 * token checks the grant, the app and the account in the database, so that revoking any of them is immediate.
 */

import { createLastUseRecorder } from '../../core/access/last-use.ts';
import type { Clock } from '../../core/clock.ts';
import { notFound } from '../../core/errors.ts';
import { pick } from '../../core/pick.ts';
import type { AccessClaims } from '../oauth/access-tokens.ts';
import type { ExternalClaims } from '../oauth/external-issuers.ts';
import type { AppSubscription, ConnectedApp } from './model.ts';
import type { AppsStore, AuthenticatedApp, ListedApp, SubjectsStore } from './store.ts';

export type AppsService = ReturnType<typeof createAppsService>;

type TokenAuthentication = {
  issuer: string;
  /** Claims of a token whose signature has not been checked. */
  decodeUnverified: (token: string) => { issuer: unknown; grantId: unknown; expiresAt: number } | undefined;
  /** false: there is no such grant. Checked before the signature, because that is more expensive. */
  mayGrantExist: (grantId: string) => boolean | Promise<boolean>;
  verifyAccessToken: (token: string) => Promise<AccessClaims | undefined>;
  hasRequiredScope: (scope: string) => boolean;
  verifyExternalToken: (issuer: unknown, token: string) => Promise<ExternalClaims | undefined>;
  authenticateExternal: (claims: ExternalClaims) => Promise<AuthenticatedApp | undefined>;
};

export function createAppsService(options: {
  store: AppsStore;
  subjects: Pick<SubjectsStore, 'findByGrant'>;
  clock: Clock;
  tokens: TokenAuthentication;
  verifiedHost: (clientId: string) => string | null;
  /** Called after an app was disconnected. */
  onAccessEnded: () => void;
}) {
  const { store, subjects, clock, tokens, verifiedHost, onAccessEnded } = options;
  const lastUses = createLastUseRecorder(clock, store.writeLastUses);

  const toApp = (row: ListedApp): Omit<ConnectedApp, 'subscriptions'> => ({
    ...pick(row, 'id', 'name', 'clientId', 'createdAt', 'redirectHost'),
    lastUsedAt: lastUses.pending(row.id) ?? row.lastUsedAt,
    issuer: row.issuer === '' ? null : row.issuer,
    verifiedHost: row.issuer === '' ? verifiedHost(row.clientId) : null,
    scopes: row.scope === null ? [] : row.scope.split(' '),
  });

  const authenticateOwn = async (
    token: string,
    grantId: unknown,
  ): Promise<AuthenticatedApp | 'insufficient_scope' | undefined> => {
    if (typeof grantId !== 'string' || !(await tokens.mayGrantExist(grantId))) return undefined;
    const claims = await tokens.verifyAccessToken(token);
    const app = claims && (await subjects.findByGrant(claims, clock.now()));
    return claims && app && !tokens.hasRequiredScope(claims.scope) ? 'insufficient_scope' : app;
  };

  const authenticateExternal = async (token: string, issuer: unknown): Promise<AuthenticatedApp | undefined> => {
    const claims = await tokens.verifyExternalToken(issuer, token);
    return claims && tokens.authenticateExternal(claims);
  };

  return {
    /** @param subscriptions of the account's apps, by app */
    async list(accountId: string, subscriptions: ReadonlyMap<string, AppSubscription[]>): Promise<ConnectedApp[]> {
      const rows = await store.listOf(accountId, clock.now());
      return rows.map(row => ({ ...toApp(row), subscriptions: subscriptions.get(row.id) ?? [] }));
    },

    /** @throws not_found for an app that does not exist, was disconnected, or belongs to another account */
    async remove(accountId: string, id: string): Promise<void> {
      if (!(await store.remove(accountId, id, clock.now()))) throw notFound('app');
      onAccessEnded();
    },

    /**
     * The account and app of a valid access token; undefined for an invalid one. Records the use.
     * @throws unavailable when the keys of an external issuer cannot be fetched
     */
    async authenticate(
      token: string,
    ): Promise<(AuthenticatedApp & { expiresAt: number }) | 'insufficient_scope' | undefined> {
      const unverified = tokens.decodeUnverified(token);
      if (!unverified) return undefined;
      const app =
        unverified.issuer === tokens.issuer
          ? await authenticateOwn(token, unverified.grantId)
          : await authenticateExternal(token, unverified.issuer);
      if (app === undefined || app === 'insufficient_scope') return app;
      lastUses.record(app.appId);
      return { ...app, expiresAt: unverified.expiresAt };
    },

    /** Writes the recorded uses. Called at intervals, and before the database closes. */
    flushUses: lastUses.flush,
  };
}
