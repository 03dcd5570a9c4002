import { describe, expect, test } from 'bun:test';
import { AppError } from './errors.ts';
import { decodeUtf8, decodeUtf8Leniently, firstCharacters, previewOf, readEmail, readName } from './text.ts';

describe('firstCharacters', () => {
  test.each([
    ['abc', 5, 'abc'],
    ['abc', 3, 'abc'],
    ['abc', 2, 'ab'],
    ['abc', 0, ''],
    ['😀😀😀', 2, '😀😀'],
    ['a😀b', 2, 'a😀'],
    ['é́x', 2, 'é́'],
    ['\ud800x', 1, '\ud800'],
  ])('%j, %p', (text, limit, expected) => expect(firstCharacters(text, limit)).toBe(expected));
});

describe('readName', () => {
  test.each([
    ['a', 'a'],
    ['  Stripe live\t', 'Stripe live'],
    ['\ufeffname\u00a0', 'name'],
    ['x'.repeat(100), 'x'.repeat(100)],
    [` ${'x'.repeat(100)} `, 'x'.repeat(100)],
    ['😀'.repeat(100), '😀'.repeat(100)],
    ['<b>"quoted"</b>', '<b>"quoted"</b>'],
    ['a  b', 'a  b'],
    ['👩\u200d💻', '👩\u200d💻'],
    ['❤\ufe0f', '❤\ufe0f'],
    ['می\u200cخواهم', 'می\u200cخواهم'],
    ['\u200fשלום', '\u200fשלום'],
    ['\u3164a', '\u3164a'],
    ['\ufffd', '\ufffd'],
  ])('%j is kept as %j', (given, name) => expect(readName(given)).toBe(name));

  test.each([
    '',
    '   ',
    '\n',
    'x'.repeat(101),
    '😀'.repeat(101),
    'a\nb',
    'a\u0000b',
    'a\u007fb',
    'a\u0085b',
    'a\u2028b',
    'a\ud800b',
    '\udc00',
    '\u200b',
    '\u200b \u2060',
    '\u200d\ufe0f',
    '\u00ad',
    '\u034f',
    '\u115f\u1160',
    '\u2800',
    '\u3164',
    '\uffa0',
    '\u200e',
    '\u{e0001}\u{e0061}',
    'pay\u202efdp.exe',
    'a\u202ab\u202c',
    'a\u2066b',
  ])('%j is refused as invalid', given => {
    let error: unknown;
    try {
      readName(given);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(AppError);
    expect(error).toMatchObject({ code: 'invalid', message: expect.stringMatching(/^must /) });
  });
});

describe('readEmail', () => {
  test.each([
    [' Ada.Lovelace+hooks@Example.COM ', 'ada.lovelace+hooks@example.com'],
    ["o'hara@mail.example", "o'hara@mail.example"],
    ['a@localhost', 'a@localhost'],
    ['jürgen@bücher.example', 'jürgen@bücher.example'],
  ])('%j is kept as %j', (given, address) => expect(readEmail(given)).toBe(address));

  test.each([
    '',
    'a',
    '@',
    'a@',
    '@b',
    'a@b@c',
    'a b@c',
    'a@b c',
    '<a@b>',
    'a@b,c@d',
    'Ada <a@b>',
    'a\n@b',
    'a@b\u0000',
    '"a"@b',
    `${'a'.repeat(65)}@b`,
    `a@${'b'.repeat(191)}`,
    'a@b\ud800',
    'ada@\u202emoc.elpmaxe',
    'a\u2066b@c',
    'a\u200eb@c',
    'a\u061cb@c',
    'ad\u200ba@example.com',
    'ad\u00ada@example.com',
    'ada@exam\u3164ple.com',
    'mar\u212a@example.com',
  ])('%j is refused as invalid', given => expect(() => readEmail(given)).toThrow('must be an address'));
});

describe('UTF-8', () => {
  test.each([
    ['ASCII', [0x61], 'a'],
    ['a byte order mark', [0xef, 0xbb, 0xbf, 0x61], '\ufeffa'],
    ['NUL', [0x61, 0, 0x62], 'a\u0000b'],
    ['four bytes', [0xf0, 0x9f, 0x98, 0x80], '😀'],
    ['nothing', [], ''],
  ])('%s', (_name, bytes, text) => {
    expect(decodeUtf8(Uint8Array.from(bytes))).toBe(text);
    expect(decodeUtf8Leniently(Uint8Array.from(bytes))).toBe(text);
  });

  test.each([
    ['a lone continuation byte', [0x80]],
    ['an overlong form', [0xc0, 0xaf]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['a cut character', [0xe2, 0x82]],
    ['a byte that never occurs', [0xff]],
  ])('%s is not valid', (_name, bytes) => {
    expect(decodeUtf8(Uint8Array.from(bytes))).toBeUndefined();
    expect(decodeUtf8Leniently(Uint8Array.from(bytes))).toContain('\ufffd');
  });
});

describe('previewOf', () => {
  test.each([
    ['short', 'abc', 'abc'],
    ['200 characters of one byte', 'a'.repeat(300), 'a'.repeat(200)],
    ['200 characters of four bytes', '\u{1f600}'.repeat(300), '\u{1f600}'.repeat(200)],
  ])('%s', (_name, text, expected) => {
    expect(Buffer.from(previewOf(new TextEncoder().encode(text))).toString()).toBe(expected);
  });
});
