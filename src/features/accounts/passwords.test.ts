import { expect, test } from 'bun:test';
import { thrownBy } from '../../testing/thrown-by.ts';
import { argon2id, createPasswords } from './passwords.ts';

const real = createPasswords({
  hash: password => Bun.password.hash(password, argon2id),
  verify: (password, hash) => Bun.password.verify(password, hash),
});

test('a hash is argon2id with 19 MiB and two passes, and matches only its password', async () => {
  const hash = await real.hash('a fine password');
  expect(hash).toStartWith('$argon2id$v=19$m=19456,t=2,p=1$');
  expect(await real.matches('a fine password', hash)).toBe(true);
  expect(await real.matches('a fine passwore', hash)).toBe(false);
});

test('without a hash the same work is done and nothing matches', async () => {
  const verified: string[] = [];
  const passwords = createPasswords({
    hash: async () => '',
    verify: async (_, hash) => {
      verified.push(hash);
      return true;
    },
  });
  expect(await passwords.matches('x', null)).toBe(false);
  expect(await passwords.matches('x', undefined)).toBe(false);
  expect(verified.map(hash => hash.slice(0, 31))).toEqual(new Array(2).fill('$argon2id$v=19$m=19456,t=2,p=1$'));
});

test('two hashes run at a time, in order, and the queue is bounded', async () => {
  let running = 0;
  let most = 0;
  const gates: (() => void)[] = [];
  const passwords = createPasswords({
    verify: async () => false,
    maxWaiting: 3,
    hash: async password => {
      most = Math.max(most, ++running);
      await new Promise<void>(resolve => gates.push(resolve));
      running--;
      return password;
    },
  });
  const done: string[] = [];
  const work = ['a', 'b', 'c', 'd', 'e'].map(async one => done.push(await passwords.hash(one)));
  expect(await thrownBy(passwords.hash('f'))).toThrow(
    expect.objectContaining({ code: 'overloaded', retryAfterSeconds: 2 }),
  );
  while (done.length < 5) {
    gates.shift()?.();
    await Promise.resolve();
  }
  await Promise.all(work);
  expect([most, ...done]).toEqual([2, 'a', 'b', 'c', 'd', 'e']);
});
