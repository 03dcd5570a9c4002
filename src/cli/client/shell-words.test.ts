import { describe, expect, test } from 'bun:test';
import { readTyped, type Shell, writeWord } from './shell-words.ts';

test.each<[Shell, string, string, "'" | '"' | undefined]>([
  ['bash', 'My', 'My', undefined],
  ['bash', 'My\\ f', 'My f', undefined],
  ['bash', "'My f", 'My f', "'"],
  ['bash', '"a\\"b\\c', 'a"b\\c', '"'],
  ['bash', "it\\'s' b'\\!", "it's b!", undefined],
  ['zsh', '"My f"i', 'My fi', undefined],
  ['fish', "'it\\'s", "it's", "'"],
  ['powershell', "'it''s a`b", "it's a`b", "'"],
  ['powershell', 'My` f', 'My f', undefined],
  ['powershell', '""', '', undefined],
])('in %s, %s is the beginning of %j', (shell, typed, text, open) => {
  expect(readTyped(shell, typed)).toEqual({ text, open });
});

test.each<[Shell, string, "'" | '"' | undefined, string | undefined]>([
  ['bash', 'My first endpoint', undefined, 'My\\ first\\ endpoint'],
  ['bash', 'a:b=$(c);*~', undefined, 'a\\:b\\=\\$\\(c\\)\\;\\*\\~'],
  ['bash', 'Bestellungen-ä.1', undefined, 'Bestellungen-ä.1'],
  ['bash', "it's $HOME", "'", "it'\\''s $HOME"],
  ['bash', 'say "$HOME" `x` \\', '"', 'say \\"\\$HOME\\" \\`x\\` \\\\'],
  ['bash', 'go!', '"', undefined],
  ['zsh', "it's $HOME", undefined, "it's $HOME"],
  ['fish', "it's $HOME", "'", "it's $HOME"],
  ['powershell', 'orders', undefined, 'orders'],
  ['powershell', "it's ‘one’ $HOME", "'", "'it''s ‘‘one’’ $HOME'"],
])('%s inserts %j after %p as %p', (shell, text, open, word) => {
  expect(writeWord(shell, text, open)).toBe(word);
});

describe('a shell takes what is inserted as it is', () => {
  const names = ['$(touch /tmp/x)', "quo'te", 'a*b?[c]', '~', 'a;b&c|d>e', '`x`', '{a,b}', 'ü 漢', '#x', 'a\\b'];
  test.each(['', "'", '"'] as const)('in bash after %p', open => {
    const words = names.map(name => `${open}${writeWord('bash', name, open || undefined)}${open}`);
    const { stdout } = Bun.spawnSync(['bash', '-c', `printf '%s\\n' ${words.join(' ')}`]);
    expect(stdout.toString()).toBe(`${names.join('\n')}\n`);
  });
});
