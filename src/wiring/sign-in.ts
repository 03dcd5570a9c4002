/* Ways to sign in besides the password. */
import type { SignInResult, SignInWay } from '../core/access/sign-in.ts';
import type { ConfiguredWays } from '../db/other-ways.ts';
import { createFindOrCreateAccount } from '../features/accounts/proven-address.ts';
import type { AccountService } from '../features/accounts/service.ts';
import type { AuditService } from '../features/audit/service.ts';
import { createHeaderSignInService } from '../features/header-sign-in/service.ts';
import { createChallenges } from '../features/passkeys/challenges.ts';
import { createPasskeysService } from '../features/passkeys/service.ts';
import { createPasskeysStore } from '../features/passkeys/store.ts';
import type { SessionsService } from '../features/sessions/service.ts';
import { createSignInLinksService } from '../features/sign-in-links/service.ts';
import { createSignInLinksStore } from '../features/sign-in-links/store.ts';
import type { TeamsService } from '../features/teams/service.ts';
import { hostOfUrl } from '../shared/addresses.ts';
import type { Infrastructure } from './infrastructure.ts';

type Dependencies = {
  infrastructure: Infrastructure;
  sessions: SessionsService;
  /** Counts attempts to sign in. */
  onSignIn: (way: SignInWay, result: SignInResult) => void;
};

/** For the host of BASE_URL. */
export function wirePasskeys({
  infrastructure: { config, log, clock, random, sealer, direct, isShared },
  configuredWays,
  sessions,
  onSignIn,
}: Dependencies & { configuredWays: ConfiguredWays }) {
  return createPasskeysService({
    store: createPasskeysStore(direct.db),
    challenges: createChallenges({ sealer, clock, random, isShared }),
    baseUrl: { host: hostOfUrl(new URL(config.baseUrl)), origin: config.baseUrl },
    ways: configuredWays,
    startSession: sessions.start,
    isShared,
    clock,
    random,
    onSignIn,
    onInvalid: cause => log.warn('the response of a passkey is not valid', { cause }),
  });
}

export const wireSignInLinks = ({
  infrastructure: { config, clock, random, direct },
  sessions,
  onSignIn,
}: Dependencies) =>
  createSignInLinksService({
    store: createSignInLinksStore(direct.db),
    baseUrl: config.baseUrl,
    startSession: sessions.start,
    clock,
    random,
    onSignIn,
  });

/** Sign-in of people whose address a proxy or a provider has proven. */
export function wireProvenAddresses({
  infrastructure: { config },
  audit: { recordOfAccount: record },
  account,
  teams,
  sessions,
  onSignIn,
}: Dependencies & { audit: AuditService; account: AccountService; teams: TeamsService }) {
  const findOrCreateAccount = createFindOrCreateAccount({ accounts: account, joinInvited: teams.joinInvited, record });
  const headerSignIn = createHeaderSignInService({
    findOrCreateAccount,
    createAccounts: config.authHeader?.createAccounts ?? false,
    startSession: sessions.start,
    record,
    onSignIn,
  });
  return { findOrCreateAccount, headerSignIn };
}
