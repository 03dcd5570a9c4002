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
    ['password1234', 'too easy to guess'],
    ['PassWord1234', 'too easy to guess'],
    ['aaaaaaaaaaaaaaaa', 'too easy to guess'],
    ['abc1abc1abc1', 'too easy to guess'],
    ['ADA@example.com', 'too easy to guess'],
  ])('refuses %j', (password, reason) => {
    expect(() => checkPassword(password, 'ada@example.com')).toThrow(reason);
  });
});
