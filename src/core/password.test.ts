import { describe, expect, test } from 'bun:test';
import { checkPassword } from './password.ts';

describe('checkPassword', () => {
  test.each([
    ['correct horse'],
    ['ünïcödé-wörds'],
    ['😀😃😄😁😆😅🤣😂🙂🙃🫠😉'],
    ['xxxxxyyyyyzz'],
    ['a long one '.repeat(94).slice(0, 1024)],
  ])('takes %j', password => {
    expect(checkPassword(password, 'ada@example.com')).toBe(password);
  });

  test.each([
    ['eleven char', 'at least 12'],
    ['😀😃😄😁😆😅🤣😂🙂🙃🫠', 'at least 12'],
    ['', 'at least 12'],
    ['a long one '.repeat(94).slice(0, 1025), 'too long'],
    ['é'.repeat(513), 'too long'],
    ['password1234', 'tried first'],
    ['PassWord1234', 'tried first'],
    ['aaaaaaaaaaaaaaaa', 'tried first'],
    ['abc1abc1abc1', 'tried first'],
    ['ADA@example.com', 'tried first'],
  ])('refuses %j', (password, reason) => {
    expect(() => checkPassword(password, 'ada@example.com')).toThrow(reason);
  });
});
