/*
 * Password hashing, argon2id, at most a few at a time: each takes 19 MiB and tens of milliseconds of a core. What waits is
 * bounded, too; beyond it callers are asked to come back.
 */
import { createSemaphore } from '../../core/concurrency/semaphore.ts';
import { AppError } from '../../core/errors.ts';

export type Passwords = {
  hash: (password: string) => Promise<string>;
  /** Takes the same time whether or not there is a hash to compare with. */
  matches: (password: string, hash: string | null | undefined) => Promise<boolean>;
};

export type PasswordsOptions = {
  hash: (password: string) => Promise<string>;
  verify: (password: string, hash: string) => Promise<boolean>;
  atOnce?: number;
  maxWaiting?: number;
};

export const argon2id = { algorithm: 'argon2id', memoryCost: 19456, timeCost: 2 } as const;

/** Of a password that nobody has, with the parameters above. */
const nobodys =
  '$argon2id$v=19$m=19456,t=2,p=1$S2YF0XoiN9T95ZUB0gyfcpX7rkreBjZuAzkw11UZZuY$/kRKh3ij+c2zljqXZJWawf1iJk1NHe29IwoJkbOlt/s';

/** All passwords share one limit: hashing costs memory and CPU time whoever asks for it. */
const allPasswords = 'all';

export function createPasswords({ hash, verify, atOnce = 2, maxWaiting = 64 }: PasswordsOptions): Passwords {
  const semaphore = createSemaphore(atOnce);

  /** @throws overloaded when too many wait already */
  const run = async <T>(work: () => Promise<T>): Promise<T> => {
    if (semaphore.waiting(allPasswords) >= maxWaiting)
      throw new AppError('overloaded', 'too many sign-ins at once, try again', { retryAfterSeconds: 2 });
    return semaphore.run(allPasswords, work);
  };

  return {
    hash: password => run(() => hash(password)),
    matches: (password, stored) =>
      run(async () => (await verify(password, stored ?? nobodys)) && typeof stored === 'string'),
  };
}
