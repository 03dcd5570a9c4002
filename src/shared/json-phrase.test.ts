import { describe, expect, test } from 'bun:test';
import { jsonPhraseTokens } from './json-phrase.ts';

describe('a piece of JSON with a key and the beginning of a value', () => {
  test.each([
    ['"a": 1', ['"a"', ':', '1']],
    ['"a":1', ['"a"', ':', '1']],
    [' "a"\n:\t"b c" ', ['"a"', ':', '"b c"']],
    ['"name": "Ad', ['"name"', ':', '"Ad']],
    ['"a":"x\\', ['"a"', ':', '"x\\']],
    ['"a \\" b": -1.5e3', ['"a \\" b"', ':', '-1.5e3']],
    ['{"a":{"b":[1,2', ['{', '"a"', ':', '{', '"b"', ':', '[', '1', ',', '2']],
    [', "id": null}', [',', '"id"', ':', 'null', '}']],
  ])('%j', (text, tokens) => expect(jsonPhraseTokens(text)).toEqual(tokens));

  test.each([
    'push',
    'a: b',
    '"a phrase"',
    '"a"',
    '"a":',
    '"a": ',
    ':1',
    'say "hi": there',
    '"a" "b": 1',
    '"a": b c',
    'ount": 5',
    '"a\u00a0":\u00a01',
    '',
  ])('%j is compared as it stands', text => expect(jsonPhraseTokens(text)).toBeUndefined());
});
