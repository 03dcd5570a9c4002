/* Accounts, teams, and the two credentials that users create themselves: API keys and sessions. */
import type { SignInResult, SignInWay } from '../core/access/sign-in.ts';
import { newToken } from '../core/ids/ids.ts';
import { argon2id, createPasswords, type Passwords } from '../features/accounts/passwords.ts';
import { createAccountService } from '../features/accounts/service.ts';
import { createAccountStore } from '../features/accounts/store.ts';
import type { EndpointsService } from '../features/endpoints/service.ts';
import { createKeysService } from '../features/keys/service.ts';
import { createKeysStore } from '../features/keys/store.ts';
import { createOidcBindings } from '../features/oidc/bindings.ts';
import { createOidcStore } from '../features/oidc/store.ts';
import { createSessionsService } from '../features/sessions/service.ts';
import { createSignInThrottle } from '../features/sessions/sign-in-throttle.ts';
import { createSessionsStore } from '../features/sessions/store.ts';
import { createSetupService } from '../features/setup/service.ts';
import { createTeamsService } from '../features/teams/service.ts';
import { createTeamsStore } from '../features/teams/store.ts';
import { createTotpService } from '../features/totp/service.ts';
import { createTotpStore } from '../features/totp/store.ts';
import { hostOfUrl, parseAddress } from '../shared/addresses.ts';
import { maxKeysPerAccount } from '../shared/limits.ts';
import { createHashIndex } from './credential-index.ts';
import type { Infrastructure } from './infrastructure.ts';
import { wirePasskeys, wireSignInLinks } from './sign-in.ts';

const keyUsesEveryMs = 30_000;

type AccountsDependencies = {
  infrastructure: Infrastructure;
  endpoints: EndpointsService;
  /** A team's plan changed. */
  onPlanChanged: () => void;
  /** A credential, an account or a membership ended. */
  onAccessEnded: () => void;
  /** Ends the access of all apps that the account has authorized. @returns the number of grants */
  revokeGrants: (accountId: string) => Promise<number>;
  /** Counts attempts to sign in. */
  onSignIn: (way: SignInWay, result: SignInResult) => void;
};

export function wireAccounts(dependencies: AccountsDependencies) {
  const { infrastructure, endpoints, onPlanChanged, onAccessEnded, revokeGrants, onSignIn } = dependencies;
  const { config, log, clock, random, sealer, isShared, direct } = infrastructure;
  const { db } = direct;
  const { baseUrl, passwordSignIn } = config;
  const hasHostName = parseAddress(hostOfUrl(new URL(baseUrl))) === undefined;
  const configuredWays = { password: passwordSignIn, issuer: config.oidc?.issuer, passkeys: hasHostName };

  const passwords = wirePasswords(infrastructure);
  const throttle = createSignInThrottle({ monotonic: clock.monotonic });
  const totp = createTotpService({ store: createTotpStore(db), sealer, throttle, clock, random });
  const oidcStore = createOidcStore(db);
  const oidcBindings = createOidcBindings({ store: oidcStore, ways: configuredWays, clock });
  const accountStore = createAccountStore(db);
  const account = createAccountService({
    store: accountStore,
    passwords,
    clock,
    random,
    onPlanChanged,
    isShared,
    revokeGrants,
    revokeKeys: accountId => keys.revokeAll(accountId),
    hasTotp: totp.isOn,
    countPasskeys: accountId => passkeys.count(accountId),
    passwordSignIn,
    isBound: oidcBindings.isBound,
    onAccessEnded,
  });
  const { keys, keyIndex } = wireKeys(infrastructure, onAccessEnded);

  const sessionStore = createSessionsStore(db);
  const sessionIndex = createHashIndex(infrastructure, 'sessions', sessionStore);
  const sessions = createSessionsService({
    store: sessionStore,
    accounts: accountStore,
    secondFactor: totp,
    revokeGrants,
    passwords,
    passwordSignIn,
    throttle,
    clock,
    random,
    index: sessionIndex,
    onTouchError: cause => log.warn('writing the last use of a session failed', { cause }),
    onAccessEnded,
    onSignIn,
  });
  const passkeys = wirePasskeys({ infrastructure, configuredWays, sessions, onSignIn });
  const setup = createSetupService({
    baseUrl,
    isEmpty: account.isEmpty,
    createOwner: account.createFirst,
    createEndpoint: endpoints.create,
    newToken: () => newToken(random),
  });
  const teams = wireTeams({ infrastructure, passwords, onAccessEnded });
  return {
    account,
    keys,
    passkeys,
    sessions,
    setup,
    teams,
    totp,
    signInLinks: wireSignInLinks({ infrastructure, sessions, onSignIn }),
    oidcStore,
    oidcBindings,
    ways: {
      password: passwordSignIn,
      oidc: config.oidc ? { name: config.oidc.name } : null,
      passkeys: passkeys.isAvailable,
    },
    /** Call it before the database closes. */
    flushKeyUses: () => keys.flushUses().catch(cause => log.warn('writing the last uses of keys failed', { cause })),
    readCredentials: () => Promise.all([keyIndex.reload(), sessionIndex.reload()]),
  };
}

function wireKeys(infrastructure: Infrastructure, onAccessEnded: () => void) {
  const { clock, random, every, direct } = infrastructure;
  const keyStore = createKeysStore(direct.db);
  const keyIndex = createHashIndex(infrastructure, 'API keys', {
    hashes: () => keyStore.hashes(clock.now()),
    existing: hashes => keyStore.existing(hashes, clock.now()),
  });
  const keys = createKeysService({ store: keyStore, clock, random, index: keyIndex, onAccessEnded });
  every(keyUsesEveryMs, 'writing the last uses of keys', keys.flushUses);
  return { keys, keyIndex };
}

const wirePasswords = ({ overrides }: Infrastructure): Passwords =>
  createPasswords({
    hash: password => Bun.password.hash(password, { ...argon2id, ...overrides.passwordCost }),
    verify: (password, hash) => Bun.password.verify(password, hash),
  });

function wireTeams({
  infrastructure: { config, clock, random, direct },
  passwords,
  onAccessEnded,
}: Pick<AccountsDependencies, 'infrastructure' | 'onAccessEnded'> & { passwords: Passwords }) {
  const { baseUrl, passwordSignIn, freeEndpoints, freeRetentionMs, proEndpoints, proRetentionMs } = config;
  return createTeamsService({
    store: createTeamsStore(direct.db),
    passwords,
    clock,
    random,
    baseUrl,
    passwordSignIn,
    limits: {
      free: { endpoints: freeEndpoints, keys: maxKeysPerAccount, retentionMs: freeRetentionMs },
      pro: { endpoints: proEndpoints, keys: maxKeysPerAccount, retentionMs: proRetentionMs },
    },
    onAccessEnded,
  });
}
