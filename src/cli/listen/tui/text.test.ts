import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  cellsOf,
  concat,
  cut,
  cutText,
  fit,
  type Line,
  span,
  spread,
  visible,
  widthOf,
  wrap,
  wrapWords,
} from './text.ts';

/** Characters that could affect a terminal, or the order or place of the text beside them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the point
const dangerous = /[\x00-\x1f\x7f-\x9f\u061c\u2028\u2029\u202a-\u202e\u2066-\u2069\u200e\u200f\ufeff\p{Cs}]/u;

const hostile = fc
  .array(
    fc.constantFrom(
      ...[
        '\x1b[2J',
        '\x1b]0;title\x07',
        '\x9b31m',
        '\u202e',
        '\u2066',
        '\u0301',
        '\u200d',
        '\r\n',
        '\t',
        '\0',
        '\u{e0041}',
      ],
      ...[
        'a',
        ' ',
        '漢',
        '👩‍💻',
        '🇩🇪',
        '❤️',
        '\ud83d',
        'नि',
        '한',
        '\u1038',
        '\u1160',
        '\ufe0f',
        '\u00ad',
        'é',
        '\u034f',
        '…',
      ],
    ),
    { maxLength: 30 },
  )
  .map(parts => parts.join(''));
const anyText = fc.oneof(hostile, fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }));

describe('visible text', () => {
  test.each([
    ['plain, with "quotes" and \\', 'plain, with "quotes" and \\'],
    ['\x1b[31mred', '\\u001b[31mred'],
    ['a\r\nb\tc\0', 'a\\u000d\\u000ab\\u0009c\\u0000'],
    ['\x9b2J \x85', '\\u009b2J \\u0085'],
    ['user\u202egpj.exe', 'user\\u202egpj.exe'],
    ['zero\u200bwidth\ufeff', 'zero\\u200bwidth\\ufeff'],
    ['tag \u{e0041}', 'tag \\u{e0041}'],
    ['half \ud83d', 'half \\ud83d'],
    ['家族 👨‍👩‍👧‍👦 ❤️ 🇩🇪 é', '家族 👨‍👩‍👧‍👦 ❤️ 🇩🇪 é'],
    ['\u0301mark first', '◌\u0301mark first'],
    ['စကား', 'စကား'],
    ['\u1038first', '\u1038first'],
    ['not an emoji\u200d', 'not an emoji\\u200d'],
  ])('%j is drawn as %j', (text, shown) => expect<string>(visible(text)).toBe(shown));

  test('a stack of marks ends', () => {
    const shown = visible(`a${'\u0301'.repeat(500)}`);
    expect([...shown].filter(char => char === '\u0301').length).toBeLessThan(8);
    expect(shown).toEndWith('\\u0301');
  });

  test('nothing dangerous is left, and visible text stays as it is', () =>
    fc.assert(
      fc.property(anyText, text => {
        const shown = visible(text);
        // Joiners and selectors only inside emoji.
        const withoutEmoji = shown.replace(/\p{RGI_Emoji}/gv, '');
        expect(shown).not.toMatch(dangerous);
        expect(withoutEmoji).not.toMatch(/[\u200b-\u200d]|\ufe0f/);
        expect(visible(shown)).toBe(shown);
      }),
      { numRuns: 500 },
    ));

  test('is drawn in pieces whose widths add up', () =>
    fc.assert(
      fc.property(anyText, text => {
        const cells = [...cellsOf(span(text, 'bad'))];
        expect(cells.map(cell => cell.text).join('')).toBe<string>(span(text, 'bad'));
        expect(cells.reduce((sum, { width }) => sum + width, 0)).toBe(widthOf(visible(text)));
      }),
    ));
});

const textOf = (...lines: readonly Line[]): string => lines.map(line => Bun.stripANSI(line)).join('');

describe('lines', () => {
  const columns = fc.integer({ min: 2, max: 40 });

  test('are cut and padded to exactly the columns there are', () =>
    fc.assert(
      fc.property(anyText, anyText, columns, (one, other, width) => {
        expect(widthOf(cutText(one, width, 'bad'))).toBeLessThanOrEqual(width);
        expect(widthOf(fit(span(one, 'accent'), width))).toBe(width);
        expect(widthOf(fit(concat(span(one), span(other, 'good')), width))).toBe(width);
        expect(widthOf(spread(span(one), span(other, 'faint'), width))).toBeLessThanOrEqual(width);
      }),
    ));

  test('say with … that there is more, and only then', () => {
    expect([12, 8].map(width => textOf(cutText('invoice.paid', width)))).toEqual(['invoice.paid', 'invoice…']);
    // The wide character that does not fit leaves a column free.
    expect(textOf(cutText('漢字漢字', 4))).toBe('漢…');
    expect(textOf(fit(concat(span('ab'), span('cd', 'bad')), 4))).toBe('abcd');
    expect(textOf(fit(concat(span('ab'), span('cd', 'bad'), span('e')), 4))).toBe('abc…');
  });

  test('keep their styles when they are cut and wrapped, and no style leaks out', () => {
    const line = concat(span('ab', 'faint'), span('cdef', 'bad'), span('gh'));
    expect(wrap(line, 4)).toEqual([
      concat(span('ab', 'faint'), span('cd', 'bad')),
      concat(span('ef', 'bad'), span('gh')),
    ]);
    expect(wrap(line, 5, 2).map(piece => textOf(piece))).toEqual(['abcde', '  fgh']);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: sequences begin with one
    expect(cut(line, 4)).toMatch(/^\x1b\[2mab\x1b\[0m\x1b\[1m\x1b\[31mc(?:\x1b\[\d+m)+…$/);
  });

  test('are wrapped without losing anything', () =>
    fc.assert(
      fc.property(anyText, fc.integer({ min: 8, max: 40 }), (text, width) => {
        const pieces = wrap(span(text, 'key'), width);
        expect(pieces.every(piece => widthOf(piece) <= width)).toBe(true);
        expect(textOf(...pieces)).toBe(visible(text));
      }),
    ));

  test('of 100,000 characters are wrapped in one pass', () => {
    const text = '漢x'.repeat(50_000);
    const pieces = wrap(span(text), 80);
    // Each but the last is full, or has no room for a wide character.
    expect(pieces.slice(0, -1).every(piece => widthOf(piece) >= 79)).toBe(true);
    expect(textOf(...pieces)).toBe(text);
  });

  test('of our own are broken between words', () =>
    expect(wrapWords('the quick brown fox', 9).map(line => textOf(line))).toEqual(['the quick', 'brown fox']));
});
