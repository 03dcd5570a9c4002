/*
 * Slows down password guessing with each failure: per account and client network, so that no user can lock out other users, and
 * per client network. One-time codes have only six digits, so they are also limited per account, across all networks: only who knows
 * the password can slow them down. An attempt counts as a failure when it starts, so that concurrent attempts are limited too; success
 * takes it back. The number of entries is bounded; the least recently used one is dropped.
 */

import { AppError } from '../../core/errors.ts';
import { networkOf } from '../../shared/addresses.ts';

export type SignInThrottle = ReturnType<typeof createSignInThrottle>;
export type Attempt = ReturnType<SignInThrottle['begin']>;

type Rule = { freeFailures: number; maxWaitMs: number };
type Entry = { failures: number; blockedUntil: number; lastFailureAt: number };

const accountRule: Rule = { freeFailures: 5, maxWaitMs: 15 * 60_000 };
const networkRule: Rule = { freeFailures: 30, maxWaitMs: 15 * 60_000 };
const codeRule: Rule = { freeFailures: 20, maxWaitMs: 15 * 60_000 };
const firstWaitMs = 1000;
const forgetMs = 60 * 60_000;

export function createSignInThrottle(options: { monotonic: () => number; capacity?: number }) {
  const { monotonic, capacity = 10_000 } = options;
  const failures = createFailures(capacity);
  // Apart, so that attempts from many networks cannot displace them.
  const codeFailures = createFailures(capacity);

  return {
    /** Counts an attempt. @throws rate_limited, without counting it */
    begin(email: string, ip: string) {
      const now = monotonic();
      const network = `ip ${networkOf(ip)}`;
      const account = `${network} ${email}`;
      refuseUntil(Math.max(failures.blockedUntil(account, now), failures.blockedUntil(network, now)), now);
      const takeBackOfAccount = failures.count(account, accountRule, now);
      const takeBackOfNetwork = failures.count(network, networkRule, now);
      return {
        /** Forgets the failures of the account from this network. */
        succeeded: (): void => {
          failures.forget(account);
          // Signing in to one's own account does not reset the count of guesses at others.
          takeBackOfNetwork();
        },
        /** Takes back only this attempt: earlier failures still count. */
        withdraw: (): void => {
          takeBackOfAccount();
          takeBackOfNetwork();
        },
      };
    },

    /**
     * Counts a one-time code of the account. @returns a function that takes it back; earlier failures still count
     * @throws rate_limited, without counting it
     */
    beginCode(accountId: string): () => void {
      const now = monotonic();
      refuseUntil(codeFailures.blockedUntil(accountId, now), now);
      return codeFailures.count(accountId, codeRule, now);
    },
  };
}

function refuseUntil(blockedUntil: number, now: number): void {
  const waitMs = blockedUntil - now;
  if (waitMs <= 0) return;
  throw new AppError('rate_limited', 'too many attempts, try again later', {
    retryAfterSeconds: Math.ceil(waitMs / 1000),
  });
}

function createFailures(capacity: number) {
  const entries = new Map<string, Entry>();

  const find = (key: string, now: number): Entry => {
    const entry = entries.get(key);
    return entry && now - entry.lastFailureAt < forgetMs ? entry : { failures: 0, blockedUntil: 0, lastFailureAt: now };
  };
  const store = (key: string, entry: Entry): void => {
    // A Map iterates in insertion order, so the first key is the least recently used.
    entries.delete(key);
    entries.set(key, entry);
    const oldest = entries.size > capacity ? entries.keys().next().value : undefined;
    if (oldest !== undefined) entries.delete(oldest);
  };
  /** @returns a function that takes it back, but never the wait of an attempt that began later */
  const count = (key: string, { freeFailures, maxWaitMs }: Rule, now: number): (() => void) => {
    const failures = find(key, now).failures + 1;
    const waitMs =
      failures < freeFailures ? 0 : Math.min(maxWaitMs, firstWaitMs * 2 ** Math.min(failures - freeFailures, 20));
    const blockedUntil = now + waitMs;
    store(key, { failures, blockedUntil, lastFailureAt: now });
    return () => {
      const entry = entries.get(key);
      if (!entry) return;
      const isLatest = entry.blockedUntil === blockedUntil;
      store(key, { ...entry, failures: Math.max(0, entry.failures - 1), ...(isLatest && { blockedUntil: 0 }) });
    };
  };

  return {
    blockedUntil: (key: string, now: number): number => find(key, now).blockedUntil,
    count,
    forget: (key: string): void => void entries.delete(key),
  };
}
