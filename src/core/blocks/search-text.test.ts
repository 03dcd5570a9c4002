import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { matchesNow } from '../../testing/search-oracle.ts';
import { createMatcher, foldCase } from './search-text.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const found = (q: string, body: string, eventType: string | null = null): boolean =>
  matchesNow(createMatcher(q), eventType, bytes(body));

describe('case folding', () => {
  test('is Unicode simple case folding for every character: the same classes as a regular expression with iu', () => {
    const wrong: string[] = [];
    for (let code = 0; code <= 0x10ffff; code++) {
      if (code >= 0xd800 && code <= 0xdfff) continue;
      const character = String.fromCodePoint(code);
      const folded = foldCase(character);
      if (folded === character) continue;
      // What is folded together must be one class, and as long as before, so that nothing moves.
      const literal = [...folded].map(one => `\\u{${one.codePointAt(0)?.toString(16)}}`).join('');
      if (!new RegExp(`^${literal}$`, 'iu').test(character) || folded.length !== character.length)
        wrong.push(code.toString(16));
    }
    expect(wrong).toEqual([]);
  });

  test('leaves no class apart', () => {
    const apart: string[] = [];
    for (let code = 0x41; code <= 0x1ffff; code++) {
      if (code >= 0xd800 && code <= 0xdfff) continue;
      const character = String.fromCodePoint(code);
      for (const other of [character.toUpperCase(), character.toLowerCase()]) {
        if (other === character || [...other].length !== 1) continue;
        const literal = `\\u{${code.toString(16)}}`;
        const same = new RegExp(`^${literal}$`, 'iu').test(other);
        if (same !== (foldCase(character) === foldCase(other))) apart.push(code.toString(16));
      }
    }
    expect(apart).toEqual([]);
  });

  test.each([
    ['ÀÉÎ', 'àéî'],
    ['ΣΊΣΥΦΟΣ', 'σίσυφοσ'],
    ['σίσυφος', 'σίσυφοσ'],
    ['ſ µ K', 's μ k'],
    ['İıI', 'İıi'],
    ['ẞß', 'ßß'],
    ['𐐀', '𐐨'],
    ['a\0B', 'a\0b'],
  ])('%j becomes %j', (given, folded) => {
    expect(foldCase(given)).toBe(folded);
  });
});

describe('what a search finds', () => {
  test.each([
    ['push', 'PUSHED'],
    ['ÉCOLE', 'une école'],
    ['é', '{"a":"caf\\u00e9"}'],
    ['\\u00e9', '{"a":"caf\\u00e9"}'],
    ['É', '{"a":"caf\\u00E9"}'],
    ['https://a.b/c', '{"url":"https:\\/\\/a.b\\/c"}'],
    ['https:\\/\\/', '{"url":"https:\\/\\/a.b\\/c"}'],
    ['say "hi"', '["say \\"hi\\""]'],
    ['two\nlines', '{"a":"two\\nlines"}'],
    ['c:\\new', '{"path":"C:\\\\new"}'],
    ['😀', '{"a":"\\ud83d\\ude00"}'],
    ['"a":1', ' {"a":1}'],
    ['100%', 'it is 100% done'],
    ['a_b*c', 'xa_b*cx'],
    ['   ', 'a   b'],
    ['a\0b', 'xa\0bx'],
    ['c:\\new', 'c:\\new is no JSON'],
  ])('%j in %j', (q, body) => {
    expect(found(q, body)).toBe(true);
  });

  test.each([
    ['100%', 'it is 100 done'],
    ['a_b', 'acb'],
    ['  ', 'a b'],
    ['e', 'é'],
    ['a/b', 'a\\/b is no JSON'],
    // Resolved once, from left to right: an escaped backslash escapes nothing after it.
    ['\u00e9', '{"a":"\\\\u00e9"}'],
    ['i', 'ı'],
    ['ss', 'ß'],
  ])('%j not in %j', (q, body) => {
    expect(found(q, body)).toBe(false);
  });

  test('the type, and the type alone of a body that is not UTF-8', () => {
    const matches = (type: string | null, body: Uint8Array) => matchesNow(createMatcher('Push'), type, body);
    expect(matches('repository.push', bytes(''))).toBe(true);
    expect(matches('push', new Uint8Array([0xff, 0xfe]))).toBe(true);
    expect(matches(null, new Uint8Array([...bytes('push'), 0xff]))).toBe(false);
  });

  test('a term does not reach from the type into the body', () => {
    expect(found('pushed', 'ed', 'push')).toBe(false);
  });

  test('the same when a body is read in small pieces', () => {
    const unit = fc.constantFrom(
      'a',
      'É',
      'Σ',
      '😀',
      '\\',
      '\\\\',
      '\\n',
      '\\/',
      '\\"',
      '\\u00e9',
      '\\ud83d\\ude00',
      '\\u',
      '\\x',
    );
    fc.assert(
      fc.property(
        fc.string({ unit, maxLength: 25 }),
        fc.nat(30),
        fc.integer({ min: 1, max: 6 }),
        (text, from, length) => {
          const body = bytes(`["${text}"]`);
          const q =
            [...text.replaceAll('\\u00e9', 'é').replaceAll('\\/', '/')].slice(from, from + length).join('') || 'a';
          const whole = matchesNow(createMatcher(q), null, body);
          for (const piece of [6, 7, 8, 11]) expect(matchesNow(createMatcher(q, piece), null, body)).toBe(whole);
        },
      ),
      { numRuns: 2000 },
    );
  });
});

describe('a search like `"key": value`', () => {
  test.each([
    ['"a": 1', '{"a":1}'],
    ['"a":1', '{"a": 1}'],
    ['"A" :\n"X', '{\r\n\t"a"\t:\n  "xyz"\n}'],
    ['"a": {"b": [1, 2]}', '{"a":{"b":[1,2]}}'],
    ['"a":{"b":[1,2]}', '{\n  "a": {\n    "b": [\n      1,\n      2\n    ]\n  }\n}'],
    ['"url": "https://a.b/c"', '{"url":"https:\\/\\/a.b\\/c"}'],
    ['"name": "é', '{"name":"\\u00e9cole"}'],
    ['"a": 1', '{"b":2}\n{"a":1}\n'],
    ['"a": 1', `{"a"${' '.repeat(5000)}:${'\n'.repeat(5000)}1}`],
    ['"a": "x  y"', '{"a":"x  y"}'],
  ])('%j in %j', (q, body) => expect(found(q, body)).toBe(true));

  test.each([
    ['"a": "x y"', '{"a":"x  y"}'],
    ['"a": "x  y"', `{"a":"x${' '.repeat(50)}y"}`],
    ['"a b": 1', '{"ab":1}'],
    ['"a": 1', '{"a":"1"}'],
    ['"a": 1 2', '{"a":12}'],
    ['a: 1', '{"a":1}'],
    ['"a": 1', '{"a":\u00a01}'],
  ])('%j not in %j', (q, body) => expect(found(q, body)).toBe(false));

  test('finds what is there when nothing outside strings is spaced, in pieces of any length', () => {
    const space = fc.stringMatching(/^[ \t\n\r]{0,6}$/);
    const scalar = fc.oneof(fc.constantFrom('"x y"', '"a:b"', '"{  }"', '12', '-1.5', 'null', 'true', '""'));
    const value = fc.oneof(scalar, fc.constantFrom(['[', '1', ',', '"b  c"', ']'], ['{', '"k"', ':', '0', '}']));
    const key = fc.constantFrom('"a"', '"b  c"', '"k:"');
    const spaced = (tokens: readonly string[], spaces: readonly string[]): string =>
      tokens.map((token, at) => token + (spaces[at % spaces.length] ?? '')).join('');
    let hits = 0;
    fc.assert(
      fc.property(
        fc.array(fc.tuple(key, value), { minLength: 1, maxLength: 4 }),
        fc.tuple(key, value),
        fc.array(space, { minLength: 1, maxLength: 9 }),
        fc.array(space, { minLength: 1, maxLength: 9 }),
        fc.constantFrom(1, 3, 7, 1 << 18),
        (members, other, spacesOfBody, spacesOfTerm, piece) => {
          const tokensOf = ([name, of]: readonly [string, string | readonly string[]]): string[] => [
            name,
            ':',
            ...[of].flat(),
          ];
          const body = ['{', ...members.flatMap((one, at) => [...(at > 0 ? [','] : []), ...tokensOf(one)]), '}'];
          for (const member of [...members, other]) {
            const tokens = tokensOf(member);
            const isThere = body.join('').includes(tokens.join(''));
            if (isThere) hits++;
            const matcher = createMatcher(spaced(tokens, spacesOfTerm), piece);
            expect(matchesNow(matcher, null, bytes(spaced(body, spacesOfBody)))).toBe(isThere);
          }
        },
      ),
      { numRuns: 1500 },
    );
    expect(hits).toBeGreaterThan(1500);
  });
});
