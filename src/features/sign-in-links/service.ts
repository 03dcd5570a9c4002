/*
 * Links that the operator makes for someone who cannot sign in another way. Each works once, for 15 minutes, without a password and
 * without a one-time code. Only the SHA-256 of its token is stored.
 */
import { hashOf } from '../../core/access/credential-hash.ts';
import type { SignInResult } from '../../core/access/sign-in.ts';
import type { Clock } from '../../core/clock.ts';
import { AppError, unauthorized } from '../../core/errors.ts';
import { newToken, type RandomBytes } from '../../core/ids/ids.ts';
import type { SessionsService } from '../sessions/service.ts';
import { linkPath } from './pages.ts';
import type { SignInLinksStore } from './store.ts';

const validMs = 15 * 60_000;

export type SignInLinksService = ReturnType<typeof createSignInLinksService>;

export function createSignInLinksService(options: {
  store: SignInLinksStore;
  baseUrl: string;
  startSession: SessionsService['start'];
  clock: Clock;
  random: RandomBytes;
  /** Called after each attempt to sign in. */
  onSignIn: (way: 'link', result: SignInResult) => void;
}) {
  const { store, baseUrl, startSession, clock, random, onSignIn } = options;

  return {
    /** @returns the link, and until when it works, epoch ms */
    async create(accountId: string): Promise<{ url: string; expiresAt: number }> {
      const token = newToken(random);
      const createdAt = clock.now();
      const expiresAt = createdAt + validMs;
      await store.insert({ hash: hashOf(token), accountId, createdAt, expiresAt });
      return { url: `${baseUrl}${linkPath}?token=${token}`, expiresAt };
    },

    /** Whom the link signs in; undefined if it was used, has expired or never existed. */
    emailOf: async (token: string): Promise<string | undefined> =>
      (await store.find(hashOf(token), clock.now()))?.email,

    /** @returns the token of the session; undefined if the link is not valid */
    async signIn(token: string, clientInfo: Parameters<SessionsService['start']>[2]): Promise<string | undefined> {
      const hash = hashOf(token);
      try {
        const link = await store.find(hash, clock.now());
        if (!link) throw unauthorized();
        const session = await startSession(link.accountId, { way: 'link', hash }, clientInfo);
        onSignIn('link', 'ok');
        return session;
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== 'unauthorized') throw error;
        onSignIn('link', 'refused');
        return undefined;
      }
    },
  };
}
