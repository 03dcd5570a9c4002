/* Draws only rows that changed, cut to the window, and places the cursor again after a character of uncertain width. */
import { blank, cellsOf, firstColumns, type Line, plain, widthOf, withoutColor } from './text.ts';

const clearScreen = '\x1b[2J';
const clearRestOfRow = '\x1b[K';
/** Terminals that know these sequences show the frame at once; others ignore them. */
const [beginFrame, endFrame] = ['\x1b[?2026h', '\x1b[?2026l'];
const [showCursor, hideCursor] = ['\x1b[?25h', '\x1b[?25l'];

const moveTo = (row: number, column: number): string => `\x1b[${row + 1};${column + 1}H`;

export type Size = { readonly columns: number; readonly rows: number };
export type Position = { readonly row: number; readonly column: number };

/** One column wide everywhere; higher characters include marks and those of wide or ambiguous width. */
const certain = /^[\0-\u02ff]*$/;

function drawRow(line: Line, row: number, columns: number): string {
  const shown = firstColumns(line, columns);
  const start = moveTo(row, 0);
  // In a full row, it would erase the last character.
  const end = plain + (widthOf(shown) < columns ? clearRestOfRow : '');
  if (certain.test(shown)) return start + shown + end;
  let [drawn, column] = [start, 0];
  for (const { text, width } of cellsOf(shown)) {
    column += width;
    drawn += certain.test(text) ? text : text + moveTo(row, Math.min(column, columns - 1));
  }
  return drawn + end;
}

export function createPainter({ write, isColor }: { write: (text: string) => void; isColor: boolean }) {
  let shown: { rows: string[]; size: Size; cursor: string } | undefined;

  return {
    /** @param cursor where to show it, if at all */
    paint: (lines: readonly Line[], size: Size, cursor?: Position): void => {
      const isSameSize = shown?.size.columns === size.columns && shown.size.rows === size.rows;
      const before = isSameSize ? shown?.rows : undefined;
      const rows = Array.from({ length: size.rows }, (_, row) => {
        const line = lines[row] ?? blank;
        return drawRow(isColor ? line : withoutColor(line), row, size.columns);
      });
      const changed = rows.filter((drawn, row) => drawn !== before?.[row]);
      const place = cursor ? moveTo(cursor.row, cursor.column) + showCursor : hideCursor;
      const isCursorSame = changed.length === 0 && place === shown?.cursor;
      shown = { rows, size, cursor: place };
      if (isCursorSame) return;
      write(beginFrame + hideCursor + (before ? '' : plain + clearScreen) + changed.join('') + place + endFrame);
    },
    /** Call it if the screen no longer shows the last frame: the next frame is painted completely. */
    forget: (): void => {
      shown = undefined;
    },
  };
}
