import { beforeEach, describe, expect, test } from 'bun:test';
import { createSealer } from '../../core/secrets/seal.ts';
import { type HeldClock, holdClock } from '../../testing/clock.ts';
import { randomBytes } from '../../testing/test-server.ts';
import { createChallenges } from './challenges.ts';

const sealer = createSealer('a secret of a test, which is long enough', randomBytes);
let clock: HeldClock;
beforeEach(() => {
  clock = holdClock();
});
const open = (isShared = false) => createChallenges({ sealer, clock, random: randomBytes, isShared });

describe('a challenge', () => {
  test('is valid once, for its purpose', () => {
    const challenges = open();
    const challenge = challenges.create('a');
    expect(challenges.use(challenge, 'b')).toBeUndefined();
    expect(challenges.use(challenge, 'a')).toBeNumber();
    expect(challenges.use(challenge, 'a')).toBeUndefined();
  });

  test('is the same one in any spelling of base64', () => {
    const challenges = open();
    const challenge = challenges.create('a');
    expect(challenges.use(challenge, 'a')).toBeNumber();
    for (const spelling of [`${challenge}=`, ` ${challenge}`, challenge.replaceAll('-', '+').replaceAll('_', '/')])
      expect(challenges.use(spelling, 'a')).toBeUndefined();
  });

  test('is never the same twice, and cannot be invented', () => {
    const challenges = open();
    expect(challenges.create('a')).not.toBe(challenges.create('a'));
    for (const invented of ['', 'AAAA', Buffer.from(`${clock.now()} ab`).toString('base64url')])
      expect(challenges.use(invented, 'a')).toBeUndefined();
  });

  test('stays used as long as it would be valid, however many others are used', () => {
    const challenges = open();
    const [first, ...others] = Array.from({ length: 1000 }, () => challenges.create('a'));
    expect(challenges.use(first ?? '', 'a')).toBeNumber();
    for (const other of others) expect(challenges.use(other, 'a')).toBeNumber();
    clock.advance(5 * 60_000);
    expect(challenges.use(first ?? '', 'a')).toBeUndefined();
    expect(challenges.use(challenges.create('a'), 'a')).toBeNumber();
    expect(challenges.use(first ?? '', 'a')).toBeUndefined();
  });

  test('ends with the process, which forgets what was used', () => {
    const challenge = open().create('a');
    expect(open().use(challenge, 'a')).toBeUndefined();
  });

  test('of another process on the same database is valid for 5 minutes', () => {
    const [early, late] = [open(true).create('a'), open(true).create('a')];
    clock.advance(5 * 60_000);
    expect(open(true).use(early, 'a')).toBeNumber();
    clock.advance(1);
    expect(open(true).use(late, 'a')).toBeUndefined();
  });
});
