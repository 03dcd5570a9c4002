import { expect, test } from 'bun:test';
import { requireRecentSignIn } from './recent-sign-in.ts';

const now = Date.UTC(2026, 10, 1);
function refusalOf(signedInAt: number | undefined): unknown {
  try {
    return requireRecentSignIn({ signedInAt }, now);
  } catch (error) {
    return error;
  }
}

test.each([
  ['now', 0],
  ['ten minutes ago', -600_000],
  ['ten minutes ahead of a clock that was set back', 600_000],
])('a sign-in is recent: %s', (_, offset) => {
  expect(refusalOf(now + offset)).toBeUndefined();
});

test.each([
  ['before that', -600_001],
  ['after that', 600_001],
])('a sign-in is not recent: %s', (_, offset) => {
  expect(refusalOf(now + offset)).toMatchObject({ code: 'forbidden', details: { needs: 'recent_sign_in' } });
});

test('credentials without a sign-in are refused, and signing in again is not offered', () => {
  expect(refusalOf(undefined)).toMatchObject({ code: 'forbidden', details: undefined });
});
