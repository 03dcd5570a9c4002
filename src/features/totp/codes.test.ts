import { describe, expect, test } from 'bun:test';
import { randomBytes } from '../../testing/test-server.ts';
import { describeSecret, newRecoveryCode, plainRecoveryCode, stepOfCode } from './codes.ts';

/** The secret of RFC 6238, appendix B, whose eight digits end in these six. */
const secret = Buffer.from('12345678901234567890');
const vectors: [number, string][] = [
  [59, '287082'],
  [1111111109, '081804'],
  [1111111111, '050471'],
  [1234567890, '005924'],
  [2000000000, '279037'],
  [20000000000, '353130'],
];

describe('a one-time code', () => {
  test.each(vectors)('at %d s is that of RFC 6238: %s', async (seconds, code) => {
    expect(await stepOfCode(secret, code, seconds * 1000)).toBe(Math.floor(seconds / 30));
  });

  const step = Math.floor(1111111109 / 30);
  test.each([
    [-60_000, undefined],
    [-30_000, step],
    [30_000, step],
    [60_000, undefined],
  ])('is accepted one step early and one step late: %d ms', async (offset, expected) => {
    expect(await stepOfCode(secret, '081804', 1111111109_000 + offset)).toBe(expected);
  });

  test.each(['08180', '0818044', 'abcdef', '', '０８１８０４', '-81804', '81804.', '1e5000'])(
    'is not %j',
    async code => {
      expect(await stepOfCode(secret, code, 1111111109_000)).toBeUndefined();
    },
  );

  test('may have blanks', async () => {
    expect(await stepOfCode(secret, ' 081 804 ', 1111111109_000)).toBe(step);
  });
});

test('a secret is described in base 32, and the URI has the address', async () => {
  expect(await describeSecret(secret, 'ada@example.com')).toEqual({
    secret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
    uri: 'otpauth://totp/Hooktape:ada%40example.com?issuer=Hooktape&secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&algorithm=SHA1&digits=6&period=30',
  });
});

test('a recovery code has 80 bits, and is recognised as people type it', () => {
  const code = newRecoveryCode(randomBytes);
  expect(code).toMatch(/^([0-9a-hjkmnp-tv-z]{4}-){3}[0-9a-hjkmnp-tv-z]{4}$/);
  const plain = plainRecoveryCode(code);
  expect(plain).toHaveLength(16);
  const typed = code.toUpperCase().replaceAll('-', ' ').replaceAll('0', 'O').replaceAll('1', 'l');
  expect(plainRecoveryCode(typed)).toBe(plain);
});
