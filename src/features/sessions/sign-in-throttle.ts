/*
 * Guessing passwords gets slower with each failure: by account and client together, so that a stranger cannot lock a person
 * out, and by client alone. An attempt counts as a failure from its start, so that many at once do not slip through; success
 * takes it back. Memory is bounded: what was touched longest ago is forgotten first.
 */
import { networkOf } from '../../core/addresses.ts';
import { AppError } from '../../core/errors.ts';

export type SignInThrottle = {
  /** @throws rate_limited; nothing is counted then */
  begin: (email: string, ip: string) => Attempt;
};

export type Attempt = { succeeded: () => void };

type Rule = { free: number; longestMs: number };
type Entry = { failures: number; until: number; last: number };

const byPair: Rule = { free: 5, longestMs: 15 * 60_000 };
const byClient: Rule = { free: 30, longestMs: 15 * 60_000 };
const firstWaitMs = 1000;
const forgetMs = 60 * 60_000;

export function createSignInThrottle(options: { monotonic: () => number; capacity?: number }): SignInThrottle {
  const { monotonic, capacity = 10_000 } = options;
  const entries = new Map<string, Entry>();

  const find = (key: string, now: number): Entry => {
    const entry = entries.get(key);
    return entry && now - entry.last < forgetMs ? entry : { failures: 0, until: 0, last: now };
  };
  const keep = (key: string, entry: Entry): void => {
    // A Map goes by order of insertion: taken out and put back, an entry is the newest.
    entries.delete(key);
    entries.set(key, entry);
    const oldest = entries.size > capacity ? entries.keys().next().value : undefined;
    if (oldest !== undefined) entries.delete(oldest);
  };
  const count = (key: string, { free, longestMs }: Rule, now: number): void => {
    const failures = find(key, now).failures + 1;
    const waitMs = failures < free ? 0 : Math.min(longestMs, firstWaitMs * 2 ** Math.min(failures - free, 20));
    keep(key, { failures, until: now + waitMs, last: now });
  };

  return {
    begin(email, ip) {
      const now = monotonic();
      const client = `ip ${networkOf(ip)}`;
      const pair = `${client} ${email}`;
      const waitMs = Math.max(find(pair, now).until, find(client, now).until) - now;
      if (waitMs > 0)
        throw new AppError('rate_limited', 'too many attempts, try again later', {
          retryAfterSeconds: Math.ceil(waitMs / 1000),
        });
      count(pair, byPair, now);
      count(client, byClient, now);
      return {
        succeeded: () => {
          entries.delete(pair);
          const entry = entries.get(client);
          // Only what this attempt added: signing in to one's own account does not wipe out guesses at others'.
          if (entry) keep(client, { ...entry, failures: entry.failures - 1, until: 0 });
        },
      };
    },
  };
}
