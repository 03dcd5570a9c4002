/* Changing the ways to sign in needs a recent sign-in, so that a stolen cookie cannot take over an account. */
import { AppError, forbidden } from '../errors.ts';
import type { Principal } from './principal.ts';

const recentMs = 10 * 60_000;

type SignedIn = Pick<Principal, 'signedInAt'>;

/** @returns when the person signed in, epoch ms @throws forbidden for an API key and an app */
export function requireSession({ signedInAt }: SignedIn): number {
  if (signedInAt === undefined) throw forbidden('API keys and apps may not do this: use a session');
  return signedInAt;
}

/** @param now epoch ms @throws forbidden for an API key and an app; with `needs: "recent_sign_in"` for an old sign-in */
export function requireRecentSignIn(caller: SignedIn, now: number): void {
  const signedInAt = requireSession(caller);
  // A sign-in in the future is not recent either: the clock was set back.
  if (Math.abs(now - signedInAt) > recentMs)
    throw new AppError('forbidden', 'sign in again to do this: your last sign-in was more than 10 minutes ago', {
      details: { needs: 'recent_sign_in' },
    });
}
