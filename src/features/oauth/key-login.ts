/*
 * Signs the command line in through a browser. The result is an API key, because commands may do what apps never may; therefore
 * this is not an OAuth client. The person approves it on a page of this server. The code goes only to a port of 127.0.0.1, works
 * once, within a minute, and only with the PKCE verifier. Approval is never remembered: each sign-in is confirmed again, with a
 * code that the terminal also shows.
 */

import { hashOf } from '../../core/access/credential-hash.ts';
import { loginCode } from '../../core/access/login-code.ts';
import type { Clock } from '../../core/clock.ts';
import { AppError } from '../../core/errors.ts';
import { newToken, type RandomBytes } from '../../core/ids/ids.ts';
import { readName } from '../../core/text.ts';
import { maxKeysPerAccount } from '../../shared/limits.ts';
import type { KeyLoginView } from './key-login-page.ts';
import type { KeyLoginsStore } from './key-logins-store.ts';
import { OAuthError, type RateLimit, refuse, tooManyRequests } from './oauth-error.ts';
import { errorPage, type PageOutcome, type SignedInUser } from './page-outcome.ts';
import { isChallenge, isVerifierOf } from './pkce.ts';
import { type RequestParameters, readParameters } from './request-parameters.ts';

export type KeyMaker = {
  /** @throws limit_reached */
  create: (accountId: string, name: string) => Promise<{ id: string; name: string; key: string }>;
  count: (accountId: string) => Promise<number>;
};

/** `redirect`: to the listener on the person's machine. */
export type KeyLoginOutcome = PageOutcome | { kind: 'approval'; view: KeyLoginView };

type KeyLoginOptions = {
  store: KeyLoginsStore;
  apiKeys: KeyMaker;
  /** How many pages and codes a client address may try. */
  limitRequests: RateLimit;
  clock: Clock;
  random: RandomBytes;
};

const requestMs = 10 * 60_000;
const codeMs = 60_000;
const maxWrongVerifiers = 5;
const maxOpen = { perAccount: 20, total: 5000 };
const maxQueryLength = 4096;
const stateForm = /^[A-Za-z0-9_-]{20,200}$/;

type LoginRequest = { port: number; name: string; state: string; challenge: string };

/** The request of the program; undefined if it is not one of `hooktape login`. */
function readRequest(query: string): LoginRequest | undefined {
  if (query.length > maxQueryLength) return undefined;
  const parameters = readParameters(query);
  const port = Number(/^[1-9]\d{3,4}$/.exec(parameters.get('port') ?? '')?.[0]);
  const state = parameters.get('state') ?? '';
  const challenge = parameters.get('code_challenge') ?? '';
  const isValid = port <= 65_535 && stateForm.test(state) && isChallenge(challenge);
  if (!isValid || parameters.firstRepeated() !== undefined) return undefined;
  try {
    return { port, state, challenge, name: readName(parameters.get('name') ?? '') };
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}

const callback = (port: number, parameters: Record<string, string>): KeyLoginOutcome => ({
  kind: 'redirect',
  location: `http://127.0.0.1:${port}/callback?${new URLSearchParams(parameters)}`,
});

export function createKeyLogin({ store, apiKeys, limitRequests, clock, random }: KeyLoginOptions) {
  const tryLater = (waitSeconds: number): KeyLoginOutcome =>
    errorPage(`Too many sign-ins. Try again in ${waitSeconds} s.`, 429, { 'retry-after': String(waitSeconds) });

  return {
    /** @param query the raw query string */
    async open(query: string, user: SignedInUser | undefined, clientAddress: string): Promise<KeyLoginOutcome> {
      const request = readRequest(query);
      if (!request) return errorPage('This is not a sign-in that hooktape login has started.');
      if (!user) return { kind: 'sign_in' };
      const waitSeconds = limitRequests(clientAddress);
      if (waitSeconds > 0) return tryLater(waitSeconds);
      if ((await apiKeys.count(user.accountId)) >= maxKeysPerAccount)
        return errorPage(
          `You have ${maxKeysPerAccount} API keys, and an account has no more. Revoke one in the settings, and run hooktape login again.`,
          403,
        );
      const handle = newToken(random);
      const { accountId, sessionId, email } = user;
      const row = { hash: hashOf(handle), accountId, sessionId, ...request, expiresAt: clock.now() + requestMs };
      if (!(await store.insert(row, maxOpen))) return tryLater(60);
      const { name, port, challenge } = request;
      return { kind: 'approval', view: { name, port, code: loginCode(challenge), email, handle } };
    },

    /** @param form the person's decision */
    async decide(form: RequestParameters, user: SignedInUser | undefined): Promise<KeyLoginOutcome> {
      const expired = errorPage('This sign-in has expired, or you have already answered it. Run hooktape login again.');
      const [handle, decision] = [form.get('handle'), form.get('decision')];
      if (!user || handle === undefined || form.firstRepeated() !== undefined) return expired;
      if (decision !== 'allow' && decision !== 'deny') return expired;
      const now = clock.now();
      const request = await store.take(hashOf(handle), user, now);
      if (!request) return expired;
      const { port, state } = request;
      if (decision === 'deny') return callback(port, { error: 'access_denied', state });
      const code = newToken(random);
      await store.insertApproved({ ...request, hash: hashOf(code), expiresAt: now + codeMs, approvedAt: now });
      return callback(port, { code, state });
    },

    /** The key for a code. @throws OAuthError */
    async redeem(form: RequestParameters, clientAddress: string): Promise<{ id: string; name: string; key: string }> {
      const waitSeconds = limitRequests(clientAddress);
      if (waitSeconds > 0) throw tooManyRequests('sign-ins', waitSeconds);
      const [code, verifier] = [form.get('code'), form.get('code_verifier')];
      if (code === undefined || verifier === undefined)
        throw refuse('invalid_request', 'code and code_verifier are required');
      const now = clock.now();
      const hash = hashOf(code);
      const found = await store.findApproved(hash, now);
      const isRight = found !== undefined && isVerifierOf(found.challenge, verifier);
      if (found && !isRight) await store.countWrongVerifier(hash);
      if (!isRight || !(await store.redeem(hash, maxWrongVerifiers, now)))
        throw refuse('invalid_grant', 'the sign-in has expired or was used already: run hooktape login again');
      try {
        const { id, name, key } = await apiKeys.create(found.accountId, found.name);
        return { id, name, key };
      } catch (error) {
        if (error instanceof AppError) throw new OAuthError('invalid_grant', error.message, { status: 403 });
        throw error;
      }
    },
  };
}
