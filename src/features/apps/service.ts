/*
 * Connected apps: what a person let in by OAuth, or what a trusted issuer vouches for. An access token is worth what its
 * grant, its app and its account are worth at this moment; when an app was used is kept in memory and written now and then.
 */
import type { Clock } from '../../core/clock.ts';
import { AppError, notFound } from '../../core/errors.ts';
import { newId, type RandomBytes } from '../../core/ids.ts';
import type { AccessClaims } from '../oauth/access-tokens.ts';
import type { ExternalClaims } from '../oauth/external-issuers.ts';
import type { ConnectedApp } from './model.ts';
import type { AppsStore, AuthenticatedApp, ListedApp } from './store.ts';

export type AppsService = ReturnType<typeof createAppsService>;

/** Whose token it is; why it is not enough; undefined when it does not hold. */
export type TokenVerdict = AuthenticatedApp | 'insufficient_scope' | undefined;

export function createAppsService(options: {
  store: AppsStore;
  clock: Clock;
  random: RandomBytes;
  /** What a token says of itself, believed by nobody yet. */
  decodeUnverified: (token: string) => { issuer: unknown; grantId: unknown } | undefined;
  issuer: string;
  /** false: certainly there is no such grant. Asked before the signature is checked, which costs more. */
  mayGrantExist: (grantId: string) => boolean | Promise<boolean>;
  verifyAccessToken: (token: string) => Promise<AccessClaims | undefined>;
  hasRequiredScope: (scope: string) => boolean;
  verifyExternalToken: (issuer: unknown, token: string) => Promise<ExternalClaims | undefined>;
  accounts: {
    /** @throws not_found, invalid */
    byEmail: (email: string) => Promise<{ id: string }>;
    /** @throws conflict, invalid */
    create: (given: { email: string }) => Promise<{ id: string }>;
  };
  verifiedHost: (clientId: string) => string | null;
  /** Called after an app was disconnected. */
  onAccessEnded: () => void;
}) {
  const {
    store,
    clock,
    random,
    decodeUnverified,
    issuer,
    mayGrantExist,
    verifyAccessToken,
    hasRequiredScope,
    verifyExternalToken,
    accounts,
    verifiedHost,
    onAccessEnded,
  } = options;
  const unwritten = new Map<string, number>();

  const toApp = (row: ListedApp): ConnectedApp => ({
    id: row.id,
    name: row.name,
    clientId: row.clientId,
    createdAt: row.createdAt,
    lastUsedAt: unwritten.get(row.id) ?? row.lastUsedAt,
    issuer: row.issuer === '' ? null : row.issuer,
    verifiedHost: row.issuer === '' ? verifiedHost(row.clientId) : null,
    redirectHost: row.redirectHost,
    scopes: row.scope === null ? [] : row.scope.split(' '),
  });

  const accountFor = async ({ email, createAccounts }: ExternalClaims): Promise<string | undefined> => {
    if (email === undefined) return undefined;
    const find = (): Promise<string | undefined> =>
      accounts.byEmail(email).then(
        ({ id }) => id,
        error => {
          if (error instanceof AppError && ['not_found', 'invalid'].includes(error.code)) return undefined;
          throw error;
        },
      );
    const found = await find();
    if (found !== undefined || !createAccounts) return found;
    try {
      return (await accounts.create({ email })).id;
    } catch (error) {
      if (error instanceof AppError && error.code === 'invalid') return undefined;
      // Somebody was faster: then there is one now.
      if (error instanceof AppError && error.code === 'conflict') return find();
      throw error;
    }
  };

  /** The e-mail address decides once; from then on the link does, so that a reused address moves nobody. */
  const externalHolder = async (claims: ExternalClaims): Promise<AuthenticatedApp | undefined> => {
    const { issuer, subject, clientId } = claims;
    const look = () => store.findByExternalSubject(issuer, subject, clientId);
    let row = await look();
    if (!row) {
      const accountId = await accountFor(claims);
      if (accountId === undefined) return undefined;
      await store.linkSubject({ issuer, subject, accountId, createdAt: clock.now() });
      row = await look();
    }
    if (row && row.appId === null) {
      const createdAt = clock.now();
      const name = clientId === '' ? new URL(issuer).host : clientId.slice(0, 100);
      const app = { accountId: row.accountId, issuer, clientId, name, createdAt };
      await store.insertIfAbsent({ ...app, id: newId('app', createdAt, random) });
      row = await look();
    }
    if (!row || row.appId === null || row.revokedAt !== null) return undefined;
    const { revokedAt: _, appId, ...person } = row;
    return { ...person, appId, grantId: null };
  };

  const flushUses = async (): Promise<void> => {
    const uses = new Map(unwritten);
    await store.writeLastUses(uses);
    for (const [id, at] of uses) if (unwritten.get(id) === at) unwritten.delete(id);
  };

  return {
    async list(accountId: string): Promise<ConnectedApp[]> {
      return (await store.listOf(accountId, clock.now())).map(toApp);
    },

    /** @throws not_found for an app that does not exist, was revoked, or is another account's */
    async remove(accountId: string, id: string): Promise<void> {
      if (!(await store.remove(accountId, id, clock.now()))) throw notFound('app');
      onAccessEnded();
    },

    /** Whom this access token speaks for. Notes the use. @throws unavailable when its issuer cannot be asked for its keys */
    async authenticate(token: string): Promise<TokenVerdict> {
      const said = decodeUnverified(token);
      if (!said) return undefined;
      let holder: AuthenticatedApp | undefined;
      if (said.issuer === issuer) {
        if (typeof said.grantId !== 'string' || !(await mayGrantExist(said.grantId))) return undefined;
        const claims = await verifyAccessToken(token);
        holder = claims && (await store.findByGrant(claims, clock.now()));
        if (claims && holder && !hasRequiredScope(claims.scope)) return 'insufficient_scope';
      } else {
        const claims = await verifyExternalToken(said.issuer, token);
        holder = claims && (await externalHolder(claims));
      }
      if (holder) unwritten.set(holder.appId, clock.now());
      return holder;
    },

    /** Writes the noted uses. Called now and then, and before the database closes. */
    flushUses,
  };
}
