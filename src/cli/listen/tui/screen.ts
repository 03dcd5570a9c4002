/* The screen as lines, from the state of the session and of the view. This file writes nothing to the terminal. */

import { headerLine, hintsLine, statusLine } from './chrome.ts';
import { comparisonLines } from './comparison.ts';
import { createDetail } from './detail.ts';
import { countText } from './format.ts';
import { helpLines } from './help.ts';
import { listLines } from './list.ts';
import { createMemory } from './memory.ts';
import type { Position, Size } from './paint.ts';
import { promptLine } from './prompt.ts';
import { blank, concat, cut, cutText, fit, type Line, type Style, space, span, wrap, wrapWords } from './text.ts';
import { comparedAttempts, selectedRow, type ViewState } from './ui.ts';

export type Screen = { lines: readonly Line[]; cursor: Position | undefined };

export const smallest: Size = { columns: 40, rows: 8 };
/** From this width on, the selected event is shown beside the list. */
const columnsForBoth = 120;
/** Header, status and hints. */
const frameRows = 3;

export const contentRows = ({ rows }: Size): number => rows - frameRows;

function tooSmall({ columns, rows }: Size): Screen {
  const text = `The window is too small (${columns} × ${rows}). The view needs ${smallest.columns} columns and ${smallest.rows} rows. Enlarge it, or press q to quit.`;
  return { lines: wrapWords(text, Math.max(1, columns)).slice(0, rows), cursor: undefined };
}

function emptyList({ log, ui, targets }: ViewState, { columns, rows }: Size): Line[] {
  /** Lines in the middle of the screen. */
  const say = (title: string, ...more: string[]): Line[] => {
    const sentences = (text: string, style: Style): Line[] => wrapWords(text, columns - 4, style);
    const lines = [...sentences(title, 'strong'), ...more.flatMap(text => sentences(text, 'faint'))];
    const above = Math.max(0, Math.floor((rows - lines.length) / 2) - 1);
    return [...Array.from({ length: above }, () => blank), ...lines.map(line => cut(concat(space(2), line), columns))];
  };
  if (ui.filter && log.count() > 0)
    return say(
      `No event matches the filter (${countText(log.count())} in total).`,
      'Press f to change the filter. An empty filter shows all events.',
    );
  const { connection } = ui;
  if (connection.kind === 'connecting') return say('Connecting…');
  if (connection.kind === 'disconnected')
    return say(`No connection to ${connection.server}`, connection.reason, 'Reconnecting. No event is lost.');
  return say(
    'Waiting for the next event.',
    `Send a webhook to ${ui.endpoints.join(' or ') || 'the endpoint'}: it appears here${targets.length > 0 ? ' with the response of your handler' : ''}.`,
  );
}

export type Screens = ReturnType<typeof createScreens>;

export function createScreens() {
  const detailOf = createDetail();
  const rememberComparison = createMemory<Line[]>();

  const list = (state: ViewState, columns: number, height: number, now: number): Line[] => {
    const { log, ui, targets } = state;
    const rows = log.rows();
    if (rows.length === 0) return emptyList(state, { columns, rows: height });
    const selected = selectedRow(state);
    const at = selected ? rows.indexOf(selected) : -1;
    return listLines({
      rows,
      top: ui.listTop,
      selected: at,
      columns,
      height,
      now,
      hasEndpoints: ui.endpoints.length > 1,
      hasTargets: targets.length > 0,
    });
  };

  /** The content of the screen in all modes except the list. */
  const page = (
    state: ViewState,
    columns: number,
    now: number,
  ): { lines: readonly Line[]; sections: readonly number[] } => {
    const { ui } = state;
    if (ui.mode === 'help') return { lines: helpLines(columns), sections: [] };
    const row = selectedRow(state);
    if (!row) return { lines: [], sections: [] };
    if (ui.mode === 'command') return { lines: commandLines(ui.command, columns), sections: [] };
    const compared = ui.mode === 'comparison' ? comparedAttempts(state) : undefined;
    if (!compared) return detailOf(row, { columns, now });
    const { before, after } = compared;
    return {
      lines: rememberComparison([before, after, columns], () => comparisonLines(before, after, columns)),
      sections: [],
    };
  };

  const beside = (state: ViewState, columns: number, height: number, now: number): Line[] => {
    const left = Math.floor(columns * 0.52);
    const rows = list(state, left, height, now);
    const row = selectedRow(state);
    const right = columns - left - 3;
    const detail =
      row && state.log.rows().length > 0 ? detailOf(row, { columns: right, now, mostLines: height }).lines : [];
    return Array.from({ length: height }, (_, at) =>
      concat(fit(rows[at] ?? blank, left), span(' │ ', 'faint'), cut(detail[at] ?? blank, right)),
    );
  };

  const content = (state: ViewState, size: Size, now: number): readonly Line[] => {
    const height = contentRows(size);
    const { ui } = state;
    if (ui.mode !== 'list') return page(state, size.columns, now).lines.slice(ui.scroll, ui.scroll + height);
    return size.columns >= columnsForBoth
      ? beside(state, size.columns, height, now)
      : list(state, size.columns, height, now);
  };

  return {
    draw(state: ViewState, size: Size, now: number): Screen {
      const { columns, rows } = size;
      if (columns < smallest.columns || rows < smallest.rows) return tooSmall(size);
      const lines: Line[] = [headerLine(state, columns), ...content(state, size, now)];
      while (lines.length < rows - 2) lines.push(blank);
      const { prompt } = state.ui;
      if (!prompt) {
        const { length } = state.ui.mode === 'list' ? [] : page(state, columns, now).lines;
        const place = placeText(state.ui.scroll, contentRows(size), length);
        return {
          lines: [...lines, statusLine(state, columns), hintsLine(state, columns, place)],
          cursor: undefined,
        };
      }
      const { line, cursor } = promptLine(prompt.value, {
        label: 'Filter: ',
        columns,
        wrongAt: prompt.problem?.position,
      });
      return {
        lines: [...lines, filterHelp(state, columns), line],
        cursor: { row: rows - 1, column: cursor },
      };
    },
    /** The number of lines that can be scrolled, and the first lines of their sections, for the keys that scroll. */
    content(state: ViewState, size: Size, now: number): { length: number; sections: readonly number[] } {
      const { lines, sections } = page(state, size.columns, now);
      return { length: lines.length, sections };
    },
  };
}

/** `1-21 of 80`; empty if everything is on the screen. */
const placeText = (scroll: number, height: number, length: number): string =>
  length > height ? `${scroll + 1}-${Math.min(scroll + height, length)} of ${length}` : '';

const filterHelp = ({ ui: { prompt } }: ViewState, columns: number): Line =>
  prompt?.problem
    ? cutText(prompt.problem.message, columns, 'warning')
    : cutText('Enter applies, Escape cancels. Example: type:invoice.* verdict:valid', columns, 'faint');

const commandLines = ({ text, isCopied }: { text: string; isCopied: boolean }, columns: number): Line[] => [
  span('To send this event from a shell:', 'strong'),
  blank,
  ...wrap(span(text, 'accent'), columns),
  blank,
  ...wrapWords(
    isCopied
      ? 'Copied, if this terminal allows it. Otherwise, select it with the mouse.'
      : 'Select it with the mouse to copy it.',
    columns,
    'faint',
  ),
];
