/*
 * Sign-in with an OpenID Connect provider. The binding of (issuer, sub) decides which account it is; an email address decides only the
 * first time, and only if the provider has verified it. Every refusal reads the same, so that it does not tell whether an account exists.
 */
import type { AuditTarget } from '../../core/access/audit-actions.ts';
import type { SignInResult } from '../../core/access/sign-in.ts';
import type { Clock } from '../../core/clock.ts';
import { AppError, forbidden } from '../../core/errors.ts';
import { type Sealer, sealPurpose } from '../../core/secrets/seal.ts';
import type { FindOrCreateAccount } from '../accounts/proven-address.ts';
import type { SessionsService } from '../sessions/service.ts';
import { groupsIn, saysEmail, verifiedEmail } from './claims.ts';
import type { PendingCookie, PendingSignIn } from './pending.ts';
import type { createOidcProvider, OidcProvider, ProvidedIdentity } from './provider.ts';
import type { OidcStore } from './store.ts';

type ClientInfo = Parameters<SessionsService['start']>[2];

/** Longer tokens would make the address of the provider's sign-out too long. */
const maxIdTokenCharacters = 4000;
/** How long a sign-out waits for the provider's metadata. */
const signOutWaitMs = 3000;

export type OidcService = ReturnType<typeof createOidcService>;

export function createOidcService(options: {
  config: Parameters<typeof createOidcProvider>[0]['config'];
  provider: OidcProvider;
  pending: PendingCookie;
  store: OidcStore;
  findOrCreateAccount: FindOrCreateAccount;
  startSession: SessionsService['start'];
  sealer: Sealer;
  clock: Clock;
  record: (accountId: string, action: string, target: AuditTarget) => Promise<void>;
  onSignIn: (way: 'oidc', result: SignInResult) => void;
  onRefused: (reason: string, subject: string) => void;
}) {
  const { config, provider, pending, store, findOrCreateAccount, startSession, sealer, clock } = options;
  const { record, onSignIn, onRefused } = options;
  const { allowedGroups, ownerGroups } = config;

  /** The reason is for the log. */
  const refuse = (reason: string, { subject }: ProvidedIdentity): AppError => {
    onRefused(reason, subject);
    return forbidden(`no access with this account of ${config.name}`);
  };
  const recordOfAccount = (accountId: string, action: string): Promise<void> =>
    record(accountId, action, { type: 'account', id: accountId });

  /** @throws forbidden when either side is bound to another person, or the account was deleted */
  const bind = async (accountId: string, identity: ProvidedIdentity): Promise<void> => {
    const { issuer, subject } = identity;
    if (await store.insert({ issuer, subject, accountId, createdAt: clock.now() }))
      return recordOfAccount(accountId, 'oidc.bound');
    if ((await store.accountOf(identity)) !== accountId) throw refuse('bound to another account', identity);
  };

  const emailOf = async ({ claims, userInfo }: ProvidedIdentity): Promise<string | undefined> =>
    verifiedEmail(saysEmail(claims) ? claims : await userInfo());

  /** @throws forbidden */
  const accountOf = async (identity: ProvidedIdentity): Promise<string> => {
    const bound = await store.accountOf(identity);
    if (bound !== undefined) return bound;
    const email = await emailOf(identity);
    if (email === undefined) throw refuse('no verified email address', identity);
    const accountId = await findOrCreateAccount(email, config);
    if (accountId === undefined) throw refuse('no account', identity);
    await bind(accountId, identity);
    return accountId;
  };

  const groupsOf = async ({ claims, userInfo }: ProvidedIdentity): Promise<readonly string[]> => {
    if (!allowedGroups && !ownerGroups) return [];
    const name = config.groupsClaim;
    return groupsIn(claims, name) ?? groupsIn(await userInfo(), name) ?? [];
  };
  const isIn = (groups: readonly string[], some: readonly string[]): boolean =>
    groups.some(group => some.includes(group));

  const signIn = async (
    identity: ProvidedIdentity,
    groups: readonly string[],
    clientInfo: ClientInfo,
  ): Promise<string> => {
    const accountId = await accountOf(identity);
    if (ownerGroups) await store.setRole(accountId, isIn(groups, ownerGroups) ? 'owner' : 'member');
    const { issuer, subject } = identity;
    const hint = identity.idToken.length <= maxIdTokenCharacters ? identity.idToken : '';
    const idToken = Buffer.from(sealer.seal(hint, sealPurpose.idToken(issuer)));
    const token = await startSession(accountId, { way: 'oidc', issuer, subject, idToken }, clientInfo);
    await recordOfAccount(accountId, 'session.started_oidc');
    return token;
  };

  const begin = async (to: string, binds?: string): Promise<{ url: string; cookie: string }> => {
    const { url, ...checks } = await provider.begin();
    return { url, cookie: pending.set({ ...checks, to, ...(binds !== undefined && { binds }) }) };
  };

  /** @returns the token of the new session, if there is one @throws as `finish` does */
  const complete = async (search: string, begun: PendingSignIn, person: Person): Promise<string | undefined> => {
    const identity = await provider.finish(search, begun);
    const groups = await groupsOf(identity);
    if (allowedGroups && !isIn(groups, allowedGroups)) throw refuse('not in an allowed group', identity);
    if (begun.binds === undefined) return signIn(identity, groups, person.clientInfo);
    if (person.accountId !== begun.binds) throw refuse('somebody else is signed in now', identity);
    await bind(begun.binds, identity);
    return undefined;
  };

  return {
    /** Begins at the provider. @param returnTo untrusted @throws unavailable */
    begin: (returnTo: string | null) => begin(pending.path(returnTo)),

    /** Begins the binding of a person who is signed in and may do this. @throws unavailable */
    beginBinding: (accountId: string) => begin('/app/settings/sign-in', accountId),

    /**
     * Ends at this server with the provider's answer. A sign-in always starts a new session.
     * @throws forbidden for a person without access, unauthorized for an answer that proves nothing, unavailable
     */
    async finish(search: string, begun: PendingSignIn, person: Person): Promise<string | undefined> {
      try {
        const token = await complete(search, begun, person);
        if (token !== undefined) onSignIn('oidc', 'ok');
        return token;
      } catch (error) {
        const isRefusal = error instanceof AppError && ['forbidden', 'unauthorized'].includes(error.code);
        if (isRefusal && begun.binds === undefined) onSignIn('oidc', 'refused');
        throw error;
      }
    },

    /**
     * Where the browser also signs out of the provider. @param idToken sealed, of the session
     * @returns null if it came from another provider, or the provider cannot be asked or has no such page
     */
    async endSessionUrl(idToken: Buffer): Promise<string | null> {
      const opened = sealer.open(idToken, sealPurpose.idToken(config.issuer));
      if (opened === undefined) return null;
      return (await provider.endSessionUrl(opened, signOutWaitMs).catch(() => undefined)) ?? null;
    },
  };
}

/** Who sent the callback. `accountId`: of the person who is signed in. */
type Person = { accountId: string | undefined; clientInfo: ClientInfo };
