import { describe, expect, test } from 'bun:test';
import { parseEnv } from 'node:util';
import { parseEnvFile } from './env-file.ts';

const values = (text: string): Record<string, string> => Object.fromEntries(parseEnvFile(text).values);

describe('what can be read', () => {
  test.each<[string, string, Record<string, string>]>([
    ['plain', 'A=1\nB=two words', { A: '1', B: 'two words' }],
    ['spaces around', '  A = 1  ', { A: '1' }],
    ['export', 'export A=1', { A: '1' }],
    ['comments and blank lines', '# c\n\n   # d\nA=1 # e', { A: '1' }],
    ['empty', 'A=\nB=""\nC= # nothing', { A: '', B: '', C: '' }],
    ['single quotes are literal', 'A=\'a\\n$B # "x"\'', { A: 'a\\n$B # "x"' }],
    ['double quotes know \\n', 'A="a\\nb" # c', { A: 'a\nb' }],
    ['backticks', 'A=`it\'s "so"`', { A: 'it\'s "so"' }],
    ['quotes over several lines', 'A="one\ntwo"\nB=1', { A: 'one\ntwo', B: '1' }],
    ['the last of two wins', 'A=1\nA=2', { A: '2' }],
    ['no expansion', 'A=$HOME', { A: '$HOME' }],
    ['equals signs in the value', 'A=b=c==', { A: 'b=c==' }],
    ['CRLF', 'A=1\r\nB=2\r\n', { A: '1', B: '2' }],
    ['JSON in single quotes', `A='[{"issuer":"https://i"}]'`, { A: '[{"issuer":"https://i"}]' }],
  ])('%s, as node reads it', (_, text, expected) => {
    const result = parseEnvFile(text);
    expect(result.problems).toEqual([]);
    expect(Object.fromEntries(result.values)).toEqual(expected);
    expect<Record<string, string | undefined>>(parseEnv(text)).toEqual(expected);
  });

  test('a byte order mark does not become part of the first name', () =>
    expect(values('\uFEFFA=1')).toEqual({ A: '1' }));

  test('__proto__ is a name like any other', () =>
    expect(parseEnvFile('__proto__=1').values.get('__proto__')).toBe('1'));
});

describe('what cannot is a problem with its line', () => {
  test.each<[string, string, string]>([
    ['no equals sign', 'A=1\nHOOKTAPE_PORT 4665', 'line 2: expected NAME=VALUE'],
    ['no name', '=1', 'line 1: expected NAME=VALUE'],
    ['a name with a dash', 'A-B=1', 'line 1: expected NAME=VALUE'],
    ['an open quote', 'A=1\nB="x\nC=2', 'line 2: the value of B has no closing "'],
    ['text after the quote', "A='x' y", "line 1: unexpected text after the closing ' of A"],
    ['a # that could be value or comment', 'A=pass#word', 'line 1: put the value of A in quotes, it contains #'],
  ])('%s', (_, text, problem) => expect(parseEnvFile(text).problems).toEqual([problem]));

  test('all of them, and the good lines are still read', () => {
    const { values: read, problems } = parseEnvFile('bad\nA=1\nworse\nB="x\ny" z\nC=3');
    expect(problems.map(problem => problem.slice(0, 6))).toEqual(['line 1', 'line 3', 'line 4']);
    expect([...read.keys()]).toEqual(['A', 'C']);
  });

  test('values are not repeated: they may be secrets', () => {
    expect(parseEnvFile('A="hunter2\nB=hunter2#3\nhunter2').problems.join()).not.toContain('hunter2');
  });
});
