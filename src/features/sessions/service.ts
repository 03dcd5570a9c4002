/*
 * Sign-in and sessions. A session has a 256-bit token, stored as SHA-256, and expires after 14 days without use and 60 days
 * after sign-in. Unknown addresses, accounts without a password and wrong passwords get the same error after the same work.
 */

import { hashOf } from '../../core/access/credential-hash.ts';
import { type CredentialIndex, indexId } from '../../core/access/credential-index.ts';
import { checkPassword } from '../../core/access/password.ts';
import type { Principal } from '../../core/access/principal.ts';
import { requireRecentSignIn } from '../../core/access/recent-sign-in.ts';
import type { SignInProof, SignInResult, SignInWay } from '../../core/access/sign-in.ts';
import type { Clock } from '../../core/clock.ts';
import {
  AppError,
  conflict,
  forbidden,
  invalid,
  invalidAt,
  missingField,
  notFound,
  unauthorized,
} from '../../core/errors.ts';
import { newId, newToken, type RandomBytes } from '../../core/ids/ids.ts';
import { firstCharacters } from '../../core/text.ts';
import { maxPasswordBytes } from '../../shared/limits.ts';
import type { Passwords } from '../accounts/passwords.ts';
import type { SecondFactor } from '../totp/service.ts';
import type { Session } from './model.ts';
import type { Attempt, SignInThrottle } from './sign-in-throttle.ts';
import type { AuthenticatedSession, ExpiryCutoffs, SessionsStore } from './store.ts';

/** The client of a request, as the list of sessions shows it. `sessionId`: its current session. */
type ClientInfo = { userAgent: string; sourceIp: string; sessionId: string | undefined };

type Credentials = { id: string; email: string; passwordHash: string | null };

export type SessionsService = ReturnType<typeof createSessionsService>;

const dayMs = 24 * 60 * 60 * 1000;
const idleMs = 14 * dayMs;
const absoluteMs = 60 * dayMs;
/** Expiry depends on the last use, so it is written during the request, not collected in memory as for API keys. */
const touchEveryMs = 60_000;
const maxUserAgentCharacters = 300;

const hasCode = ({ code, recoveryCode }: SecondFactor): boolean => code !== undefined || recoveryCode !== undefined;

/** Whether a sign-in was refused. It is false if the sign-in could not be checked, or continues with a code. */
const isRefusal = (error: unknown, given: SecondFactor): boolean => {
  if (!(error instanceof AppError)) return false;
  const continues = error.details?.['needs'] === 'totp' && !hasCode(given);
  return (error.code === 'unauthorized' && !continues) || error.code === 'rate_limited';
};

export function createSessionsService(options: {
  store: SessionsStore;
  accounts: {
    byId: (id: string) => Promise<Credentials | undefined>;
    byEmail: (email: string) => Promise<Credentials | undefined>;
    /** Also ends the account's other sessions. */
    setPasswordHash: (id: string, hash: string, exceptSession?: string) => Promise<unknown>;
    /** For an account without a password. @returns false when it has one */
    setFirstPasswordHash: (id: string, hash: string, exceptSession?: string) => Promise<boolean>;
  };
  secondFactor: {
    isOn: (accountId: string) => Promise<boolean>;
    /** Uses up the code. @returns whether it was right */
    accept: (accountId: string, given: SecondFactor) => Promise<boolean>;
  };
  /** Ends the access of all connected apps of the account. */
  revokeGrants: (accountId: string) => Promise<unknown>;
  passwords: Passwords;
  /** Whether people may sign in with a password. */
  passwordSignIn: boolean;
  throttle: SignInThrottle;
  clock: Clock;
  random: RandomBytes;
  /** The hashes of the sessions that exist. */
  index: CredentialIndex;
  /** Called when a session's last use could not be written. The request continues. */
  onTouchError: (error: unknown) => void;
  /** Called after sessions ended. */
  onAccessEnded: () => void;
  /** Called after each attempt to sign in. */
  onSignIn: (way: SignInWay, result: SignInResult) => void;
}) {
  const { store, accounts, secondFactor, revokeGrants, passwords, throttle, clock, random, index } = options;
  const { passwordSignIn, onTouchError, onAccessEnded, onSignIn } = options;
  const expiryCutoffs = (): ExpiryCutoffs => ({
    lastSeenAfter: clock.now() - idleMs,
    createdAfter: clock.now() - absoluteMs,
  });

  /**
   * Starts a session that replaces the client's current one. @returns its token
   * @throws unauthorized if the account was deleted, or what the sign-in rests on changed, in the meantime
   */
  const start = async (accountId: string, proof: SignInProof, clientInfo: ClientInfo): Promise<string> => {
    const token = newToken(random);
    const now = clock.now();
    const session = {
      id: newId('ses', now, random),
      accountId,
      hash: hashOf(token),
      userAgent: firstCharacters(clientInfo.userAgent.replace(/\p{Cc}/gu, ' '), maxUserAgentCharacters),
      sourceIp: clientInfo.sourceIp,
      createdAt: now,
      lastSeenAt: now,
      signedInAt: now,
    };
    if (!(await store.insert(session, proof, clientInfo.sessionId ?? '', expiryCutoffs())))
      throw unauthorized(proof.way === 'password' ? 'wrong email or password' : 'sign in again');
    index.add(indexId(session.hash));
    if (clientInfo.sessionId !== undefined) onAccessEnded();
    return token;
  };

  /** @returns undefined when the password is wrong @throws rate_limited, invalid when the password is too long */
  const verifyPassword = async (
    email: string,
    password: string,
    ip: string,
    findAccount: () => Promise<Credentials | undefined>,
  ) => {
    if (Buffer.byteLength(password) > maxPasswordBytes)
      throw invalidAt(['password'], 'is too long', 'the password is too long');
    const attempt = throttle.begin(firstCharacters(email, 320), ip);
    const account = await findAccount();
    if (!(await passwords.matches(password, account?.passwordHash)) || !account?.passwordHash) return undefined;
    return { id: account.id, email: account.email, passwordHash: account.passwordHash, attempt };
  };

  /** @throws unauthorized, with `needs: "totp"`, if one-time codes are on and the code is missing or wrong */
  const checkSecondFactor = async (accountId: string, attempt: Attempt, given: SecondFactor): Promise<void> => {
    if (!(await secondFactor.isOn(accountId))) return;
    const isGiven = hasCode(given);
    // The password was right, so the attempt is no failure. It does not excuse earlier ones, which may have been guessed codes.
    if (!isGiven) attempt.withdraw();
    if (isGiven && (await secondFactor.accept(accountId, given))) return;
    throw new AppError('unauthorized', isGiven ? 'wrong code' : 'enter a code', { details: { needs: 'totp' } });
  };

  const setFirstPassword = async (
    principal: Pick<Principal, 'accountId' | 'signedInAt'>,
    password: string,
    sessionId: string | undefined,
  ): Promise<void> => {
    const account = await accounts.byId(principal.accountId);
    if (!account) throw unauthorized();
    if (account.passwordHash !== null) throw missingField('current');
    requireRecentSignIn(principal, clock.now());
    if (!(await accounts.setFirstPasswordHash(account.id, await passwords.hash(password), sessionId)))
      throw conflict('a password was set in the meantime');
  };

  const replacePassword = async (
    { accountId, email }: Pick<Principal, 'accountId' | 'email'>,
    current: string,
    password: string,
    { sourceIp, sessionId }: ClientInfo,
  ): Promise<void> => {
    const verified = await verifyPassword(email, current, sourceIp, () => accounts.byId(accountId));
    if (!verified)
      throw (await accounts.byId(accountId))
        ? invalidAt(['current'], 'is wrong', 'the current password is wrong')
        : unauthorized();
    verified.attempt.succeeded();
    await accounts.setPasswordHash(accountId, await passwords.hash(password), sessionId);
  };

  return {
    start,

    /** `start` for the account of a setup link or an invitation, which is used up. */
    startFirst: ({ id, passwordHash }: Pick<Credentials, 'id' | 'passwordHash'>, clientInfo: ClientInfo) =>
      start(id, passwordHash === null ? { way: 'link' } : { way: 'password', passwordHash }, clientInfo),

    /**
     * @returns the token
     * @throws unauthorized, with `needs: "totp"` if the password is right and a code is missing or wrong; rate_limited, invalid,
     * forbidden while it is off
     */
    async signIn(given: { email: string; password: string } & SecondFactor, clientInfo: ClientInfo): Promise<string> {
      if (!passwordSignIn) throw forbidden('sign-in with a password is off on this server: sign in another way');
      if (given.code !== undefined && given.recoveryCode !== undefined)
        throw invalid('give code or recoveryCode, not both');
      const email = given.email.trim().toLowerCase();
      try {
        const account = await verifyPassword(email, given.password, clientInfo.sourceIp, () => accounts.byEmail(email));
        if (!account) throw unauthorized('wrong email or password');
        await checkSecondFactor(account.id, account.attempt, given);
        account.attempt.succeeded();
        const { id, passwordHash } = account;
        const token = await start(id, { way: 'password', passwordHash }, clientInfo);
        onSignIn('password', 'ok');
        return token;
      } catch (error) {
        if (isRefusal(error, given)) onSignIn('password', 'refused');
        throw error;
      }
    },

    /** The account of a valid session; undefined when the token is unknown, ended or expired. Records the use each minute. */
    async authenticate(token: string): Promise<(AuthenticatedSession & { expiresAt: number }) | undefined> {
      const hash = hashOf(token);
      if (!(await index.mayExist(indexId(hash)))) return undefined;
      const session = await store.findByHash(hash, expiryCutoffs());
      if (!session) return undefined;
      const now = clock.now();
      if (now - session.lastSeenAt >= touchEveryMs) await store.touch(session.sessionId, now).catch(onTouchError);
      return { ...session, expiresAt: session.createdAt + absoluteMs };
    },

    async list(accountId: string, current: string | undefined): Promise<Session[]> {
      return (await store.listOf(accountId, expiryCutoffs())).map(({ accountId: _, ...row }) => ({
        ...row,
        current: row.id === current,
      }));
    },

    /** @throws not_found for a session that does not exist or is another account's */
    async end(accountId: string, id: string): Promise<void> {
      if (!(await store.remove(accountId, id))) throw notFound('session');
      onAccessEnded();
    },

    /** Ends the session if it still exists. @returns the sealed ID token, if it began with the OpenID Connect provider */
    async signOut(accountId: string, id: string): Promise<Buffer | undefined> {
      const removed = await store.remove(accountId, id);
      onAccessEnded();
      return removed?.idToken ?? undefined;
    },

    /**
     * Sets the first password, for a person who has signed in recently, or changes it.
     * Ends the other sessions of the account, and with `signOutEverywhere` also the access of its connected apps.
     * @returns the new token of the current session; undefined when the request has no session
     * @throws invalid for a weak new password or a wrong current one, forbidden without a recent sign-in, rate_limited, conflict,
     * unauthorized when the account was deleted in the meantime
     */
    async changePassword(
      principal: Pick<Principal, 'accountId' | 'email' | 'signedInAt'>,
      given: { current?: string; password: string; signOutEverywhere?: boolean },
      clientInfo: ClientInfo,
    ): Promise<string | undefined> {
      const password = checkPassword(given.password, principal.email);
      const { accountId } = principal;
      await (given.current === undefined
        ? setFirstPassword(principal, password, clientInfo.sessionId)
        : replacePassword(principal, given.current, password, clientInfo));
      try {
        if (given.signOutEverywhere) await revokeGrants(accountId);
        if (clientInfo.sessionId === undefined) return undefined;
        const token = newToken(random);
        const hash = hashOf(token);
        if (!(await store.rotate(accountId, clientInfo.sessionId, hash))) return undefined;
        index.add(indexId(hash));
        return token;
      } finally {
        onAccessEnded();
      }
    },
  };
}
