import { describe, expect, test } from 'bun:test';
import { createTokenSearch } from './token-search.ts';

const token = 's3cr"t+/ok';
const holdsToken = createTokenSearch(token);
const base64 = (text: string) => Buffer.from(text, 'latin1').toString('base64');

describe('a token is found', () => {
  test.each<[string, string]>([
    ['at the end of the text', `x${token}`],
    ['before half an escape', `${token}%4`],
    ['with an escape that ends the text', 's3cr"t+/o%6b'],
    ['with upper-case escapes', 's3cr%22t+%2Fok'],
    ['with \\u and capitals', String.raw`s3cr\U0022t\u002B/ok`],
    ['in base64 between other base64', `abc${base64(`xy${token}zz`).replaceAll('=', '')}abcd`],
    ['in base64 with escapes in it', base64(`user:${encodeURIComponent(token)}`)],
    ['three times in base64', base64(base64(base64(token)))],
  ])('%s', (_name, text) => {
    expect(holdsToken(text)).toBe(true);
  });
});

test.each([
  ['all but its end', token.slice(0, -1)],
  ['four times in base64', base64(base64(base64(base64(token))))],
  ['invalid escapes', 's3cr%2xt+/ok'],
  ['two pieces of base64', `${base64(token).slice(0, 6)} ${base64(token).slice(6)}`],
])('it is not found in %s', (_name, text) => {
  expect(holdsToken(text)).toBe(false);
});
