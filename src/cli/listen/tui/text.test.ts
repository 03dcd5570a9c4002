import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  cellsOf,
  cutText,
  fitLine,
  lineWidth,
  padText,
  spread,
  visible,
  widthOf,
  wrapLine,
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
  ])('%j is drawn as %j', (text, shown) => expect(visible(text)).toBe(shown));

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

  test('each cell is one or two columns wide', () =>
    fc.assert(
      fc.property(anyText, text => {
        const cells = cellsOf(text);
        expect(cells.map(cell => cell.text).join('')).toBe(visible(text));
        expect(cells.reduce((sum, { width }) => sum + width, 0)).toBe(widthOf(text));
      }),
    ));
});

describe('lines', () => {
  const columns = fc.integer({ min: 2, max: 40 });

  test('are cut and padded to exactly the columns there are', () =>
    fc.assert(
      fc.property(anyText, anyText, columns, (one, other, width) => {
        expect(widthOf(cutText(one, width))).toBeLessThanOrEqual(width);
        expect(widthOf(padText(one, width))).toBe(width);
        expect(lineWidth(fitLine([{ text: one }, { text: other }], width))).toBe(width);
        expect(lineWidth(spread([{ text: one }], [{ text: other }], width))).toBeLessThanOrEqual(width);
      }),
    ));

  test('say with … that there is more, and only then', () => {
    expect([cutText('invoice.paid', 12), cutText('invoice.paid', 8)]).toEqual(['invoice.paid', 'invoice…']);
    // The wide character that does not fit leaves a column free.
    expect(cutText('漢字漢字', 4)).toBe('漢…');
    expect(fitLine([{ text: 'ab' }, { text: 'cd' }], 4).map(({ text }) => text)).toEqual(['ab', 'cd']);
    expect(
      fitLine([{ text: 'ab' }, { text: 'cd' }, { text: 'e' }], 4)
        .map(({ text }) => text)
        .join(''),
    ).toBe('abc…');
  });

  test('are wrapped without losing anything', () =>
    fc.assert(
      fc.property(anyText, columns, (text, width) => {
        const pieces = wrapLine([{ text }], width);
        expect(pieces.every(piece => lineWidth(piece) <= width)).toBe(true);
        expect(
          visible(
            pieces
              .flat()
              .map(piece => piece.text)
              .join(''),
          ),
        ).toBe(visible(text));
      }),
    ));

  test('of 100,000 characters are wrapped in one pass', () => {
    const text = '漢x'.repeat(50_000);
    const pieces = wrapLine([{ text }], 80);
    // Each but the last is full, or has no room for a wide character.
    expect(pieces.slice(0, -1).every(piece => lineWidth(piece) >= 79)).toBe(true);
    expect(
      pieces
        .flat()
        .map(piece => piece.text)
        .join(''),
    ).toBe(text);
  });

  test('of our own are broken between words', () =>
    expect(wrapWords('the quick brown fox', 9)).toEqual(['the quick', 'brown fox']));
});
