/*
 * Draws lines of spans on a terminal: only the rows that changed, each from its first column. With any content of the spans, the output
 * has only the control sequences written here, and a row never runs into the next: text is made visible and cut again here. After
 * a character whose width differs between terminals, the cursor is placed again.
 */
import { type Cell, cellsOf, type Line, printableAscii, type Style } from './text.ts';

const colorCodes = { red: 31, green: 32, yellow: 33, blue: 34, magenta: 35, cyan: 36 } as const;

const plain = '\x1b[0m';
const clearScreen = '\x1b[2J';
const clearRestOfRow = '\x1b[K';
/** A terminal that knows them shows the frame at once; others ignore them. */
const [beginFrame, endFrame] = ['\x1b[?2026h', '\x1b[?2026l'];
const [showCursor, hideCursor] = ['\x1b[?25h', '\x1b[?25l'];

const moveTo = (row: number, column: number): string => `\x1b[${row + 1};${column + 1}H`;

function sgr({ color, isBold, isDim, isInverse }: Style, isColor: boolean): string {
  const codes = [
    ...(isBold ? [1] : []),
    ...(isDim ? [2] : []),
    ...(isInverse ? [7] : []),
    ...(color && isColor ? [colorCodes[color]] : []),
  ];
  return codes.length > 0 ? `\x1b[${codes.join(';')}m` : '';
}

export type Size = { readonly columns: number; readonly rows: number };
export type Position = { readonly row: number; readonly column: number };

function drawRow(line: Line, { row, columns, isColor }: { row: number; columns: number; isColor: boolean }): string {
  let drawn = moveTo(row, 0);
  let column = 0;
  let before: Cell | undefined;
  for (const { text, style } of line) {
    const codes = style ? sgr(style, isColor) : '';
    drawn += codes;
    if (printableAscii.test(text)) {
      if (before && !before.isSimple && text !== '') drawn += moveTo(row, column);
      const part = text.slice(0, columns - column);
      drawn += part;
      column += part.length;
      if (part !== '') before = undefined;
    } else
      for (const cell of cellsOf(text)) {
        if (column + cell.width > columns) break;
        if (before && !before.isSimple) drawn += moveTo(row, column);
        drawn += cell.text;
        column += cell.width;
        before = cell;
      }
    if (codes !== '') drawn += plain;
  }
  if (column >= columns) return drawn;
  return drawn + (before && !before.isSimple ? moveTo(row, column) : '') + clearRestOfRow;
}

export type Painter = {
  /** @param cursor where to show it, if at all */
  paint: (lines: readonly Line[], size: Size, cursor?: Position) => void;
  /** The screen no longer shows the last frame: the next one is painted whole. */
  forget: () => void;
};

export function createPainter({ write, isColor }: { write: (text: string) => void; isColor: boolean }): Painter {
  let shown: { rows: string[]; size: Size; cursor: string } | undefined;

  return {
    paint: (lines, size, cursor) => {
      const isSameSize = shown?.size.columns === size.columns && shown.size.rows === size.rows;
      const before = isSameSize ? shown?.rows : undefined;
      const rows = Array.from({ length: size.rows }, (_, row) =>
        drawRow(lines[row] ?? [], { row, columns: size.columns, isColor }),
      );
      const changed = rows.filter((drawn, row) => drawn !== before?.[row]);
      const place = cursor ? moveTo(cursor.row, cursor.column) + showCursor : hideCursor;
      const isCursorSame = changed.length === 0 && place === shown?.cursor;
      shown = { rows, size, cursor: place };
      if (isCursorSame) return;
      write(beginFrame + hideCursor + (before ? '' : plain + clearScreen) + changed.join('') + place + endFrame);
    },
    forget: () => {
      shown = undefined;
    },
  };
}
