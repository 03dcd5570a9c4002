/*
 * Lines of the screen: strings that contain their styles as SGR sequences. Only `span` creates a line from text, and it makes
 * the text safe first: controls, direction marks and invisible characters become `\uXXXX`, so that no text moves the cursor,
 * changes the terminal or reorders a line. Every function here works on whole graphemes. Pure.
 */

declare const isSafe: unique symbol;
/** Text that may be written to the terminal. The mark exists only for the compiler. */
export type Line = string & { readonly [isSafe]: true };

/** The styles by meaning. Colour is never the only sign, and always a separate sequence, so that it can be left out. */
const codes = {
  strong: '\x1b[1m',
  faint: '\x1b[2m',
  good: '\x1b[32m',
  bad: '\x1b[1m\x1b[31m',
  added: '\x1b[32m',
  removed: '\x1b[31m',
  warning: '\x1b[1m\x1b[33m',
  accent: '\x1b[36m',
  key: '\x1b[1m\x1b[36m',
  selected: '\x1b[7m',
  paused: '\x1b[1;7m\x1b[33m',
  alarm: '\x1b[1;7m\x1b[31m',
} as const;
export type Style = keyof typeof codes;

export const plain = '\x1b[0m';
// biome-ignore lint/suspicious/noControlCharactersInRegex: sequences begin with one
const colorSequence = /\x1b\[3\dm/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: sequences begin with one
const styleSequence = /(\x1b\[[\d;]*m)/;

const printableAscii = /^[ -~]*$/;
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
const emoji = /^\p{RGI_Emoji}$/v;
const hidden = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
const beginsWithMark = /^\p{M}/u;
/** The most code points of a character with its marks, more than any script needs. Further marks are shown as escapes. */
const maxClusterCodePoints = 8;

const escapeOne = (char: string): string => {
  const code = (char.codePointAt(0) ?? 0).toString(16);
  return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`;
};

export const segments = (text: string): string[] => Array.from(graphemes.segment(text), ({ segment }) => segment);

/** Unlike `safeLine`, it keeps emoji whole although invisible characters join their parts. */
export const visible = (text: string): Line =>
  (printableAscii.test(text) ? text : segments(text).map(visibleCluster).join('')) as Line; // Made safe here.

function visibleCluster(cluster: string): string {
  if (printableAscii.test(cluster) || emoji.test(cluster)) return cluster;
  const codePoints = [...cluster];
  const kept = codePoints.slice(0, maxClusterCodePoints).join('').replace(hidden, escapeOne);
  const rest = codePoints.slice(maxClusterCodePoints).map(escapeOne).join('');
  return (joinsItsNeighbour(kept) ? `◌${kept}` : kept) + rest;
}

/** Whether it begins with a mark that changes the cell before it. A few never do, such as the visarga of Burmese (U+1038). */
const joinsItsNeighbour = (cluster: string): boolean =>
  beginsWithMark.test(cluster) && graphemes.segment(`◌${cluster}`).containing(0)?.segment !== '◌';

/** Creates a line from text of any origin. */
export function span(text: string, style?: Style): Line {
  const shown = visible(text);
  return style && shown !== '' ? (`${codes[style]}${shown}${plain}` as Line) : shown; // Only our own sequences are added.
}

export const concat = (...parts: readonly (Line | false | null | undefined)[]): Line =>
  parts.filter(Boolean).join('') as Line; // Each part is safe.
export const blank = concat();
export const space = (columns: number): Line => span(' '.repeat(Math.max(0, columns)));
/** Replaces all styles, for the selected row. */
export const restyled = (line: Line, style: Style): Line => span(Bun.stripANSI(line), style);
export const withoutColor = (line: Line): Line => line.replace(colorSequence, '') as Line; // It only gets shorter.

export const widthOf = (line: Line): number => Bun.stringWidth(line);

/** The indivisible pieces: graphemes, and the sequences between them, whose width is 0. */
export function* cellsOf(line: Line): Generator<{ text: string; width: number }> {
  for (const [at, part] of line.split(styleSequence).entries())
    if (at % 2 === 1) yield { text: part, width: 0 };
    else if (printableAscii.test(part)) for (const text of part) yield { text, width: 1 };
    else for (const text of segments(part)) yield { text, width: Bun.stringWidth(text) };
}

/** The part that fits. `sliceAnsi` would keep a wide character if only its first half fits. */
export function firstColumns(line: Line, columns: number): Line {
  if (widthOf(line) <= columns) return line;
  const kept = Bun.sliceAnsi(line, 0, Math.max(0, columns)) as Line; // A part of a safe line.
  return widthOf(kept) > columns ? firstColumns(kept, columns - 1) : kept;
}

/** Cuts a line to at most `columns` columns; a cut line ends with `…`. */
export function cut(line: Line, columns: number): Line {
  if (widthOf(line) <= columns) return line;
  return columns < 1 ? blank : concat(firstColumns(line, columns - 1), span('…'));
}

/** For long text: processes only the beginning, which has more characters than any line. */
export const cutText = (text: string, columns: number, style?: Style): Line =>
  cut(span(text.slice(0, columns * 32 + 64), style), columns);

/** Cuts or pads a line to exactly `columns` columns. */
export function fit(line: Line, columns: number): Line {
  const kept = cut(line, columns);
  return concat(kept, space(columns - widthOf(kept)));
}

/** `right` ends at the last column; `left` is cut if both do not fit. */
export function spread(left: Line, right: Line, columns: number): Line {
  const rightWidth = widthOf(right);
  return rightWidth >= columns ? cut(right, columns) : concat(fit(left, columns - rightWidth), right);
}

/** Breaks our own sentences between words. */
export const wrapWords = (text: string, columns: number, style?: Style): Line[] =>
  Bun.wrapAnsi(visible(text), columns)
    .split('\n')
    .flatMap(one => wrap(span(one, style), columns));

const tabColumns = 4;

/** The lines of a text, with tabs as spaces. */
export const textLines = (text: string): string[] =>
  text.split(/\r\n|\n/).map(line => line.replaceAll('\t', ' '.repeat(tabColumns)));

/** Pieces of at most `columns` columns, indented after the first. `wrapAnsi` would break emoji and miscount them. */
export function wrap(line: Line, columns: number, indent = 0): Line[] {
  if (widthOf(line) <= columns) return [line];
  const margin = ' '.repeat(columns - Math.max(2, columns - indent));
  const pieces: string[] = [];
  let [piece, width, style] = ['', 0, ''];
  for (const cell of cellsOf(line)) {
    if (cell.text.startsWith('\x1b')) style = cell.text === plain ? '' : style + cell.text;
    if (width + cell.width > columns) {
      pieces.push(style === '' ? piece : piece + plain);
      piece = margin + style;
      width = margin.length;
    }
    piece += cell.text;
    width += cell.width;
  }
  return [...pieces, piece] as Line[]; // Parts of a safe line.
}
