/*
 * Passkeys: WebAuthn credentials that a device offers by itself and that verify the person. They belong to the host of BASE_URL, so an
 * IP address can have none. Every sign-in that fails is refused in the same way.
 */
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import type { Principal } from '../../core/access/principal.ts';
import { requireRecentSignIn, requireSession } from '../../core/access/recent-sign-in.ts';
import type { SignInResult } from '../../core/access/sign-in.ts';
import type { Clock } from '../../core/clock.ts';
import { AppError, conflict, inField, invalidAt, notFound, unauthorized } from '../../core/errors.ts';
import { newId, type RandomBytes } from '../../core/ids/ids.ts';
import { readName } from '../../core/text.ts';
import { maxPasskeysPerAccount } from '../../shared/limits.ts';
import type { SessionsService } from '../sessions/service.ts';
import { creationOptions, requestOptions, verifyCreation, verifySignIn } from './ceremonies.ts';
import type { Challenges } from './challenges.ts';
import type { Passkey } from './model.ts';
import type { PasskeyRow, PasskeysStore } from './store.ts';

type Caller = Pick<Principal, 'accountId' | 'email' | 'signedInAt'>;
type ClientInfo = Parameters<SessionsService['start']>[2];

const signIn = 'signing in';
const creation = (accountId: string): string => `a passkey of ${accountId}`;

export type PasskeysService = ReturnType<typeof createPasskeysService>;

type Options = {
  store: PasskeysStore;
  challenges: Challenges;
  baseUrl: { host: string; origin: string };
  /** The ways to sign in of this installation. */
  ways: Parameters<PasskeysStore['remove']>[2];
  startSession: SessionsService['start'];
  /** Whether other processes use the same database. */
  isShared: boolean;
  clock: Clock;
  random: RandomBytes;
  /** Called after each attempt to sign in. */
  onSignIn: (way: 'passkey', result: SignInResult) => void;
  /** Called with the reason why the response of a known account was not valid. */
  onInvalid: (reason: unknown) => void;
};

export function createPasskeysService(options: Options) {
  const { store, challenges, baseUrl, ways, startSession, clock, random, onSignIn, onInvalid } = options;
  const { host, origin } = baseUrl;
  const isAvailable = ways.passkeys;
  const requireAvailable = (): void => {
    if (!isAvailable) throw conflict(`passkeys need a host name, and HOOKTAPE_BASE_URL has an address: ${host}`);
  };
  const accept = createAccept({ ...options, isAvailable });

  return {
    isAvailable,

    count: store.countOf,
    list: (accountId: string): Promise<Passkey[]> => store.listOf(accountId),

    /** @throws forbidden, conflict for an account with 20 passkeys and under an IP address */
    async creationOptions(caller: Caller): Promise<PublicKeyCredentialCreationOptionsJSON> {
      requireRecentSignIn(caller, clock.now());
      requireAvailable();
      const { accountId, email } = caller;
      const existing = await store.credentialsOf(accountId);
      if (existing.length >= maxPasskeysPerAccount) throw tooMany();
      const challenge = challenges.create(creation(accountId));
      return creationOptions({ rpId: host, challenge, account: { id: accountId, email }, existing });
    },

    /**
     * @throws forbidden, invalid for the name or the response, conflict if an account has this passkey or the account has 20,
     * unauthorized when the account was deleted in the meantime
     */
    async create(caller: Caller, given: { name: string; response: RegistrationResponseJSON }): Promise<Passkey> {
      requireRecentSignIn(caller, clock.now());
      requireAvailable();
      const name = inField(['name'], () => readName(given.name));
      const { accountId } = caller;
      const useChallenge = (challenge: string): boolean => challenges.use(challenge, creation(accountId)) !== undefined;
      const credential = await verifyCreation(given.response, { rpId: host, origin, useChallenge }).catch(reason => {
        onInvalid(reason);
        throw invalidAt(['response'], 'is not valid or too old', 'the passkey was not accepted: start again');
      });
      const createdAt = clock.now();
      const passkey = { id: newId('pky', createdAt, random), name, createdAt, lastUsedAt: null };
      const outcome = await store.insert({ ...passkey, ...credential, accountId }, maxPasskeysPerAccount);
      if (outcome === 'taken') throw conflict('this passkey was added already');
      if (outcome === 'refused')
        throw (await store.countOf(accountId)) >= maxPasskeysPerAccount ? tooMany() : unauthorized();
      return passkey;
    },

    /** @throws forbidden for an API key and an app, invalid, not_found */
    async rename(caller: Caller, id: string, givenName: string): Promise<Passkey> {
      requireSession(caller);
      const name = inField(['name'], () => readName(givenName));
      const passkey = await store.rename(caller.accountId, id, name);
      if (!passkey) throw notFound('passkey');
      return passkey;
    },

    /** @throws forbidden, not_found, conflict for the last way to sign in */
    async remove(caller: Caller, id: string): Promise<void> {
      requireRecentSignIn(caller, clock.now());
      const outcome = await store.remove(caller.accountId, id, ways);
      if (outcome === 'unknown') throw notFound('passkey');
      if (outcome === 'last') throw conflict('this is the last way to sign in to the account: add another one first');
    },

    /** @throws conflict under an IP address */
    requestOptions(): PublicKeyCredentialRequestOptionsJSON {
      requireAvailable();
      return requestOptions(host, challenges.create(signIn));
    },

    /** @returns the token of the session @throws unauthorized */
    async signIn(response: AuthenticationResponseJSON, clientInfo: ClientInfo): Promise<string> {
      try {
        const { accountId, id } = await accept(response);
        const token = await startSession(accountId, { way: 'passkey', id }, clientInfo);
        onSignIn('passkey', 'ok');
        return token;
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== 'unauthorized') throw error;
        onSignIn('passkey', 'refused');
        throw refusal();
      }
    },
  };
}

const refusal = (): AppError => unauthorized('the passkey was not accepted: try again, or sign in another way');

/** @returns a function that verifies the response of a sign-in and records the use of the passkey; it throws unauthorized */
function createAccept(options: Options & { isAvailable: boolean }) {
  const { store, challenges, baseUrl, isAvailable, isShared, clock, onInvalid } = options;
  const { host: rpId, origin } = baseUrl;

  /** @returns undefined if the passkey is unknown, or if the response names another account */
  const find = async ({ id, response }: Partial<AuthenticationResponseJSON>): Promise<PasskeyRow | undefined> => {
    const userHandle: unknown = response?.userHandle;
    if (!isAvailable || typeof id !== 'string' || typeof userHandle !== 'string') return undefined;
    const passkey = await store.findByCredentialId(Buffer.from(id, 'base64url'));
    return passkey && Buffer.from(userHandle, 'base64url').toString() === passkey.accountId ? passkey : undefined;
  };

  return async (response: AuthenticationResponseJSON): Promise<PasskeyRow> => {
    const passkey = await find(response);
    if (!passkey) throw refusal();
    let madeAt: number | undefined;
    const useChallenge = (challenge: string): boolean => {
      madeAt = challenges.use(challenge, signIn);
      return madeAt !== undefined;
    };
    const counter = await verifySignIn(response, passkey, { rpId, origin, useChallenge }).catch(reason => {
      onInvalid(reason);
      throw refusal();
    });
    // Another process may have accepted the same response, and its authenticator may not count.
    const unusedSince = isShared ? madeAt : undefined;
    if (!(await store.use(passkey, { counter, lastUsedAt: clock.now() }, unusedSince))) throw refusal();
    return passkey;
  };
}

const tooMany = (): AppError =>
  conflict(`an account can have at most ${maxPasskeysPerAccount} passkeys: delete one first`);
