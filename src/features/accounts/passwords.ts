/*
 * Password hashing with argon2id. Only a few run at the same time, because each takes 19 MiB and tens of milliseconds of CPU
 * time. The queue is bounded; beyond it callers get `overloaded`.
 */
import { createSemaphore } from '../../core/concurrency/semaphore.ts';
import { AppError } from '../../core/errors.ts';

export type Passwords = ReturnType<typeof createPasswords>;

type PasswordsOptions = {
  hash: (password: string) => Promise<string>;
  verify: (password: string, hash: string) => Promise<boolean>;
  maxConcurrent?: number;
  maxWaiting?: number;
};

export const argon2id = { algorithm: 'argon2id', memoryCost: 19456, timeCost: 2 } as const;

/** The hash of an unknown password with these parameters, compared with when an account has none. */
const dummyHash =
  '$argon2id$v=19$m=19456,t=2,p=1$S2YF0XoiN9T95ZUB0gyfcpX7rkreBjZuAzkw11UZZuY$/kRKh3ij+c2zljqXZJWawf1iJk1NHe29IwoJkbOlt/s';

/** All passwords share one limit: hashing costs memory and CPU time for every caller. */
const allPasswords = 'all';

export function createPasswords({ hash, verify, maxConcurrent = 2, maxWaiting = 64 }: PasswordsOptions) {
  const semaphore = createSemaphore(maxConcurrent);

  /** @throws overloaded when too many wait already */
  const withLimit = async <T>(work: () => Promise<T>): Promise<T> => {
    if (semaphore.waiting(allPasswords) >= maxWaiting)
      throw new AppError('overloaded', 'too many sign-ins at once, try again', { retryAfterSeconds: 2 });
    return semaphore.run(allPasswords, work);
  };

  return {
    hash: (password: string): Promise<string> => withLimit(() => hash(password)),
    /** It takes equally long if there is no hash. */
    matches: (password: string, stored: string | null | undefined): Promise<boolean> =>
      withLimit(async () => (await verify(password, stored ?? dummyHash)) && typeof stored === 'string'),
  };
}
