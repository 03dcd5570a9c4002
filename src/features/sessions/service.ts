/*
 * Who is signed in. A session is a 256-bit token, kept as SHA-256, that dies when it is idle for 14 days and 60 days after
 * sign-in. Unknown addresses, accounts without a password and wrong passwords get one answer, after the same work.
 */
import type { Clock } from '../../core/clock.ts';
import { type CredentialIndex, indexId } from '../../core/credential-index.ts';
import { invalid, notFound, unauthorized } from '../../core/errors.ts';
import { newId, newToken, type RandomBytes } from '../../core/ids.ts';
import { checkPassword, maxPasswordBytes } from '../../core/password.ts';
import type { Principal } from '../../core/principal.ts';
import { firstCharacters } from '../../core/text.ts';
import type { Passwords } from '../accounts/passwords.ts';
import type { Session } from './model.ts';
import type { Throttle } from './sign-in-throttle.ts';
import type { Alive, SessionHolder, SessionsStore } from './store.ts';

/** Where a request comes from, as the list of sessions shows it. */
export type ClientInfo = { userAgent: string; sourceIp: string; sessionId: string | undefined };

type Credentials = { id: string; email: string; passwordHash: string | null };

export type SessionsService = ReturnType<typeof createSessionsService>;

const dayMs = 24 * 60 * 60 * 1000;
const idleMs = 14 * dayMs;
const absoluteMs = 60 * dayMs;
const touchEveryMs = 60_000;
const maxUserAgentCharacters = 300;

export function createSessionsService(options: {
  store: SessionsStore;
  accounts: {
    byId: (id: string) => Promise<Credentials | undefined>;
    byEmail: (email: string) => Promise<Credentials | undefined>;
    /** Ends the account's sessions but for one. */
    setPasswordHash: (id: string, hash: string, exceptSession?: string) => Promise<unknown>;
  };
  /** Ends the access of all apps that the person let in. */
  revokeGrants: (accountId: string) => Promise<unknown>;
  passwords: Passwords;
  throttle: Throttle;
  clock: Clock;
  random: RandomBytes;
  sha256: (bytes: Uint8Array) => Uint8Array;
  /** Which sessions exist, by hash. */
  index: CredentialIndex;
  /** Told when a session was used and that could not be written down: no reason to refuse anybody. */
  onUnwritten: (error: unknown) => void;
  /** Called after sessions ended. */
  onAccessEnded: () => void;
}) {
  const { store, accounts, revokeGrants, passwords, throttle, clock, random, sha256, index } = options;
  const { onUnwritten, onAccessEnded } = options;
  const hashOf = (token: string): Buffer => Buffer.from(sha256(Buffer.from(token)));
  const limits = (): Alive => ({ seenAfter: clock.now() - idleMs, createdAfter: clock.now() - absoluteMs });

  /** A token that works from now on, in place of the visitor's own session. @throws unauthorized when it came too late */
  const start = async (account: { id: string; passwordHash: string }, visitor: ClientInfo): Promise<string> => {
    const token = newToken(random);
    const now = clock.now();
    const session = {
      id: newId('ses', now, random),
      accountId: account.id,
      hash: hashOf(token),
      userAgent: firstCharacters(visitor.userAgent.replace(/\p{Cc}/gu, ' '), maxUserAgentCharacters),
      sourceIp: visitor.sourceIp,
      createdAt: now,
      lastSeenAt: now,
    };
    if (!(await store.insert(session, account.passwordHash, visitor.sessionId ?? '', limits())))
      throw unauthorized('wrong email or password');
    index.add(indexId(session.hash));
    return token;
  };

  /** @throws rate_limited, invalid for an input that no password can be; undefined when it is wrong */
  const verified = async (
    email: string,
    password: string,
    ip: string,
    account: () => Promise<Credentials | undefined>,
  ) => {
    if (Buffer.byteLength(password) > maxPasswordBytes) throw invalid('the password is too long');
    const attempt = throttle.begin(firstCharacters(email, 320), ip);
    const found = await account();
    if (!(await passwords.matches(password, found?.passwordHash)) || !found?.passwordHash) return undefined;
    attempt.succeeded();
    return { id: found.id, email: found.email, passwordHash: found.passwordHash };
  };

  return {
    start,

    /** @returns the token @throws unauthorized, rate_limited */
    async signIn(given: { email: string; password: string }, visitor: ClientInfo): Promise<string> {
      const email = given.email.trim().toLowerCase();
      const account = await verified(email, given.password, visitor.sourceIp, () => accounts.byEmail(email));
      if (!account) throw unauthorized('wrong email or password');
      return start(account, visitor);
    },

    /** Whose session this is; undefined for a token that is unknown, ended or expired. Notes the use now and then. */
    async holderOf(token: string): Promise<SessionHolder | undefined> {
      const hash = hashOf(token);
      if (!(await index.mayExist(indexId(hash)))) return undefined;
      const holder = await store.holderOf(hash, limits());
      if (!holder) return undefined;
      const now = clock.now();
      if (now - holder.lastSeenAt >= touchEveryMs) await store.touch(holder.sessionId, now).catch(onUnwritten);
      return holder;
    },

    async list(accountId: string, current: string | undefined): Promise<Session[]> {
      return (await store.listOf(accountId, limits())).map(({ accountId: _, ...row }) => ({
        ...row,
        current: row.id === current,
      }));
    },

    /** @throws not_found for a session that does not exist or is another account's */
    async end(accountId: string, id: string): Promise<void> {
      if (!(await store.remove(accountId, id))) throw notFound('session');
      onAccessEnded();
    },

    /** Ends it if it is still there. */
    async signOut(accountId: string, id: string): Promise<void> {
      await store.remove(accountId, id);
      onAccessEnded();
    },

    /**
     * Ends every other session of the account, and with `signOutEverywhere` the access of its apps, too.
     * @returns the current session's new token; undefined when the request came without a session
     * @throws invalid for the new password, and when the current one is wrong; rate_limited; unauthorized when the account was
     * deleted meanwhile
     */
    async changePassword(
      principal: Pick<Principal, 'accountId' | 'email'>,
      given: { current: string; password: string; signOutEverywhere?: boolean },
      visitor: ClientInfo,
    ): Promise<string | undefined> {
      const password = checkPassword(given.password, principal.email);
      const account = await verified(principal.email, given.current, visitor.sourceIp, () =>
        accounts.byId(principal.accountId),
      );
      if (!account)
        throw (await accounts.byId(principal.accountId)) ? invalid('the current password is wrong') : unauthorized();
      await accounts.setPasswordHash(account.id, await passwords.hash(password), visitor.sessionId);
      if (given.signOutEverywhere) await revokeGrants(account.id);
      onAccessEnded();
      if (visitor.sessionId === undefined) return undefined;
      const token = newToken(random);
      const hash = hashOf(token);
      if (!(await store.rotate(account.id, visitor.sessionId, hash))) return undefined;
      index.add(indexId(hash));
      return token;
    },
  };
}
