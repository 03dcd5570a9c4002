/*
 * Text as cells of a terminal. `visible` makes text of an event safe to draw: controls, direction marks and invisible characters
 * become `\uXXXX`, so that no text moves the cursor, changes the terminal or reorders a line. Pure.
 */

export type Color = 'red' | 'green' | 'yellow' | 'blue' | 'magenta' | 'cyan';
export type Style = {
  readonly color?: Color;
  readonly isBold?: boolean;
  readonly isDim?: boolean;
  readonly isInverse?: boolean;
};
export type Span = { readonly text: string; readonly style?: Style | undefined };
export type Line = readonly Span[];

/** A grapheme as it is drawn. `isSimple`: every terminal agrees on its width. */
export type Cell = { readonly text: string; readonly width: 1 | 2; readonly isSimple: boolean };

export const printableAscii = /^[ -~]*$/;
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
const emoji = /^\p{RGI_Emoji}$/v;
const hidden = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
const beginsWithMark = /^\p{M}/u;
/** A base and its marks: more than any script needs. Further marks are drawn as escapes. */
const maxClusterCodePoints = 8;

const escapeOne = (char: string): string => {
  const code = (char.codePointAt(0) ?? 0).toString(16);
  return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`;
};

/** The same for text that is visible already. */
export function visible(text: string): string {
  if (printableAscii.test(text)) return text;
  let shown = '';
  for (const { segment } of graphemes.segment(text)) shown += visibleCluster(segment);
  return shown;
}

function visibleCluster(cluster: string): string {
  if (printableAscii.test(cluster) || emoji.test(cluster)) return cluster;
  const codePoints = [...cluster];
  const kept = codePoints.slice(0, maxClusterCodePoints).join('').replace(hidden, escapeOne);
  const rest = codePoints.slice(maxClusterCodePoints).map(escapeOne).join('');
  return (joinsItsNeighbour(kept) ? `◌${kept}` : kept) + rest;
}

/**
 * Whether it begins with a mark that would change the cell before it. A few marks never do, such as the visarga of Burmese (U+1038):
 * they are graphemes of their own.
 */
const joinsItsNeighbour = (cluster: string): boolean =>
  beginsWithMark.test(cluster) && graphemes.segment(`◌${cluster}`).containing(0)?.segment !== '◌';

/** Letters below it are one column wide everywhere; above it are marks, and characters of wide or ambiguous width. */
const firstUncertain = 0x300;

const simpleCell = (text: string): Cell => ({ text, width: 1, isSimple: true });

export function cellsOf(text: string): Cell[] {
  if (printableAscii.test(text)) return Array.from(text, simpleCell);
  const cells: Cell[] = [];
  for (const { segment } of graphemes.segment(visible(text))) {
    const isSimple = segment.length === 1 && segment.charCodeAt(0) < firstUncertain;
    cells.push(isSimple ? simpleCell(segment) : { text: segment, width: wideOrNot(segment), isSimple });
  }
  return cells;
}

/** The width in current terminals; differences in others are corrected by placing the cursor. */
const wideOrNot = (grapheme: string): 1 | 2 => (Bun.stringWidth(grapheme) < 2 ? 1 : 2);

/** In columns. */
export function widthOf(text: string): number {
  if (printableAscii.test(text)) return text.length;
  let width = 0;
  for (const cell of cellsOf(text)) width += cell.width;
  return width;
}

export const lineWidth = (line: Line): number => line.reduce((width, { text }) => width + widthOf(text), 0);

/** More cells than any line has. Text that is cut off is not processed. */
const beginningOf = (text: string, columns: number): string =>
  text.length > columns * 32 + 64 ? text.slice(0, columns * 32 + 64) : text;

/** The cells of text that fit in that many columns. */
function firstColumns(text: string, columns: number): string {
  const beginning = beginningOf(text, columns);
  if (printableAscii.test(beginning)) return beginning.slice(0, Math.max(0, columns));
  let [kept, width] = ['', 0];
  for (const cell of cellsOf(beginning)) {
    width += cell.width;
    if (width > columns) break;
    kept += cell.text;
  }
  return kept;
}

/** At most so many columns; cut text ends with `…`. */
export function cutText(text: string, columns: number): string {
  const beginning = beginningOf(text, columns);
  if (beginning === text && widthOf(text) <= columns) return visible(text);
  return columns < 1 ? '' : `${firstColumns(beginning, columns - 1)}…`;
}

export const padText = (text: string, columns: number): string => {
  const shown = cutText(text, columns);
  return shown + ' '.repeat(Math.max(0, columns - widthOf(shown)));
};

export const padStart = (text: string, columns: number): string => {
  const shown = cutText(text, columns);
  return ' '.repeat(Math.max(0, columns - widthOf(shown))) + shown;
};

export function cutLine(line: Line, columns: number): Line {
  if (lineWidth(line) <= columns) return line;
  const kept: Span[] = [];
  let left = columns;
  for (const { text, style } of line) {
    const width = widthOf(text);
    // The last column is for the `…`.
    if (width < left) kept.push({ text, style });
    else {
      kept.push({ text: cutText(width === left ? `${text} ` : text, left), style });
      break;
    }
    left -= width;
  }
  return kept;
}

/** Exactly that many columns. */
export function fitLine(line: Line, columns: number, style?: Style): Line {
  const kept = cutLine(line, columns);
  const missing = columns - lineWidth(kept);
  return missing > 0 ? [...kept, { text: ' '.repeat(missing), style }] : kept;
}

/** `right` ends at the last column; `left` is cut where there is not room for both. */
export function spread(left: Line, right: Line, columns: number): Line {
  const rightWidth = lineWidth(right);
  return rightWidth >= columns ? cutLine(right, columns) : [...fitLine(left, columns - rightWidth), ...right];
}

const plainText = (line: Line): string => line.map(({ text }) => text).join('');

/** Breaks between words, for sentences of our own. */
export function wrapWords(text: string, columns: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && widthOf(line) + 1 + widthOf(word) > columns) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].flatMap(one => wrapLine([{ text: one }], columns).map(plainText));
}

const tabColumns = 4;

/** The lines of a text, with tabs as spaces. */
export const textLines = (text: string): string[] =>
  text.split(/\r\n|\n/).map(line => (line.includes('\t') ? line.replaceAll('\t', ' '.repeat(tabColumns)) : line));

/** Breaks a line into pieces of at most that many columns, each but the first with an indent. */
export function wrapLine(line: Line, columns: number, indent = 0): Line[] {
  if (lineWidth(line) <= columns) return [line];
  const room = Math.max(2, columns - indent);
  const pieces: Span[][] = [];
  let piece: Span[] = [];
  let left = columns;
  const finish = (): void => {
    pieces.push(piece);
    piece = indent > 0 ? [{ text: ' '.repeat(columns - room) }] : [];
    left = room;
  };
  for (const { text, style } of line) {
    let part = '';
    for (const cell of cellsOf(text)) {
      if (cell.width > left) {
        if (part !== '') piece.push({ text: part, style });
        part = '';
        finish();
      }
      part += cell.text;
      left -= cell.width;
    }
    if (part !== '') piece.push({ text: part, style });
  }
  return [...pieces, piece];
}
