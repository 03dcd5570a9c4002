/*
 * One-time codes as a second step of signing in with a password. Each code and each recovery code works once, also for concurrent
 * requests. The secret is sealed; of recovery codes only the SHA-256 is stored, which suffices for 80 random bits.
 */
import { hashOf } from '../../core/access/credential-hash.ts';
import type { Principal } from '../../core/access/principal.ts';
import { requireRecentSignIn } from '../../core/access/recent-sign-in.ts';
import type { Clock } from '../../core/clock.ts';
import { conflict, invalid, invalidAt, notFound } from '../../core/errors.ts';
import type { RandomBytes } from '../../core/ids/ids.ts';
import { type Sealer, sealPurpose } from '../../core/secrets/seal.ts';
import type { SignInThrottle } from '../sessions/sign-in-throttle.ts';
import { describeSecret, newRecoveryCode, newSecret, plainRecoveryCode, stepOfCode } from './codes.ts';
import type { TotpStore } from './store.ts';

/** One of the two. */
export type SecondFactor = { code?: string; recoveryCode?: string };

type Caller = Pick<Principal, 'accountId' | 'email' | 'signedInAt'>;

const recoveryCodeCount = 10;

export type TotpService = ReturnType<typeof createTotpService>;

export function createTotpService(options: {
  store: TotpStore;
  sealer: Sealer;
  /** Wrong codes count as wrong passwords. */
  throttle: SignInThrottle;
  clock: Clock;
  random: RandomBytes;
}) {
  const { store, sealer, throttle, clock, random } = options;
  const openSecret = ({ accountId, secret }: { accountId: string; secret: Buffer }): Uint8Array | undefined => {
    const text = sealer.open(secret, sealPurpose.totp(accountId));
    return text === undefined ? undefined : Buffer.from(text, 'base64');
  };

  const isOn = async (accountId: string): Promise<boolean> => {
    const row = await store.find(accountId);
    return row !== undefined && row.confirmedAt !== null;
  };

  /** Uses up the code. @returns whether it was right @throws rate_limited */
  const accept = async (accountId: string, { code, recoveryCode }: SecondFactor): Promise<boolean> => {
    if (recoveryCode !== undefined) return store.useRecoveryCode(accountId, hashOf(plainRecoveryCode(recoveryCode)));
    const row = await store.find(accountId);
    const secret = row && openSecret(row);
    if (!secret || code === undefined) return false;
    const takeBack = throttle.beginCode(accountId);
    const step = await stepOfCode(secret, code, clock.now());
    if (step === undefined || !(await store.useStep(row, step))) return false;
    takeBack();
    return true;
  };

  return {
    isOn,
    accept,

    /** Makes a secret, which replaces an unconfirmed secret. @throws forbidden, conflict while codes are on */
    async start(caller: Caller): Promise<{ secret: string; uri: string }> {
      requireRecentSignIn(caller, clock.now());
      const { accountId, email } = caller;
      const secret = newSecret(random);
      const sealed = sealer.seal(Buffer.from(secret).toString('base64'), sealPurpose.totp(accountId));
      if (!(await store.insert({ accountId, secret: Buffer.from(sealed), createdAt: clock.now() })))
        throw conflict('one-time codes are on: turn them off first');
      return describeSecret(secret, email);
    },

    /**
     * Turns codes on if the code is right. @returns the recovery codes
     * @throws forbidden, invalid for a wrong code, rate_limited, conflict while codes are on or without a secret to confirm
     */
    async confirm(caller: Caller, code: string, ip: string): Promise<string[]> {
      requireRecentSignIn(caller, clock.now());
      const row = await store.find(caller.accountId);
      if (!row) throw conflict('there is no secret to confirm: start again');
      if (row.confirmedAt !== null) throw conflict('one-time codes are on already');
      const attempt = throttle.begin(caller.email, ip);
      const secret = openSecret(row);
      const lastStep = secret && (await stepOfCode(secret, code, clock.now()));
      if (lastStep === undefined) throw invalidAt(['code'], 'is wrong', 'the code is wrong');
      // This proves nothing about who has signed in, so it does not excuse earlier failures.
      attempt.withdraw();
      const recoveryCodes = Array.from({ length: recoveryCodeCount }, () => newRecoveryCode(random));
      const confirmation = {
        lastStep,
        confirmedAt: clock.now(),
        hashes: recoveryCodes.map(code => hashOf(plainRecoveryCode(code))),
      };
      if (!(await store.confirm(row, confirmation)))
        throw conflict('the secret was replaced or confirmed in the meantime');
      return recoveryCodes;
    },

    /** @throws forbidden, not_found while codes are off, invalid for a wrong code, rate_limited */
    async turnOff(caller: Caller, given: SecondFactor, ip: string): Promise<void> {
      requireRecentSignIn(caller, clock.now());
      const { code, recoveryCode } = given;
      if ((code === undefined) === (recoveryCode === undefined)) throw invalid('give either code or recoveryCode');
      if (!(await isOn(caller.accountId))) throw notFound('one-time code');
      const attempt = throttle.begin(caller.email, ip);
      if (!(await accept(caller.accountId, given)))
        throw code === undefined
          ? invalidAt(['recoveryCode'], 'is wrong', 'the recovery code is wrong')
          : invalidAt(['code'], 'is wrong', 'the code is wrong');
      attempt.withdraw();
      await store.remove(caller.accountId);
    },

    /** For a person who has lost the app and the recovery codes. @throws conflict while codes are off */
    async turnOffByOperator({ id, email }: { id: string; email: string }): Promise<void> {
      if (!(await store.remove(id))) throw conflict(`one-time codes of ${email} are off already`);
    },
  };
}
