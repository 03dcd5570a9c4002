/* The list of events: the columns that fit, and only the rows that are on the screen. */
import { sizeText } from '../../client/output.ts';
import { clockText } from './format.ts';
import type { Row } from './log.ts';
import { outcomeLine } from './outcome.ts';
import { blank, concat, cutText, fit, type Line, restyled, type Style, space, span, visible, widthOf } from './text.ts';

export type ListOptions = {
  rows: readonly Row[];
  /** Index of the row at the top. */
  top: number;
  /** Index of the selected row. */
  selected: number;
  columns: number;
  height: number;
  now: number;
  /** Whether the session listens to several endpoints. */
  hasEndpoints: boolean;
  /** Whether events are sent to targets; otherwise the list shows their contents. */
  hasTargets: boolean;
};

type Widths = { type: number; platform: number; endpoint: number; size: number; outcome: number };

const timeWidth = 8;
const gap = space(2);
const mostPlatform = 12;
const mostEndpoint = 16;
const sizeWidth = 8;
/** `500  held, again in 60 s`, and in wide windows `no response  held, again in 60 s` */
const outcomeWidths = { narrow: 25, wide: 30 };

const widest = (texts: readonly string[], least: number, most: number): number =>
  Math.min(most, Math.max(least, ...texts.map(text => widthOf(visible(text)))));

/** Columns that the detail view also shows are left out first. */
function widthsOf({ columns, hasEndpoints, hasTargets }: ListOptions, shown: readonly Row[]): Widths {
  const platforms = shown.flatMap(({ event: { platform } }) => (platform === null ? [] : [platform]));
  const endpoints = shown.map(({ event }) => event.endpoint);
  const outcome = hasTargets
    ? Math.min(columns >= 90 ? outcomeWidths.wide : outcomeWidths.narrow, Math.floor(columns * 0.35))
    : Math.floor(columns * 0.4);
  const size = columns >= 90 ? sizeWidth : 0;
  const platform = columns >= 60 && platforms.length > 0 ? widest(platforms, 4, mostPlatform) : 0;
  const endpoint = hasEndpoints && columns >= 90 ? widest(endpoints, 8, mostEndpoint) : 0;
  const others = [size, platform, endpoint, outcome].filter(width => width > 0);
  const used = 2 + timeWidth + widthOf(gap) + others.reduce((sum, width) => sum + widthOf(gap) + width, 0);
  return { type: Math.max(8, columns - used), platform, endpoint, size, outcome };
}

/** The event type, such as `pull_request opened`; without a type, the method and path of the request. */
export const titleOf = ({ event: { type, method, path } }: Pick<Row, 'event'>): string =>
  type ?? `${method ?? ''} ${path || '/'}`.trim();

/** A column after the first; empty if it does not fit. */
const column = (text: string, width: number, style?: Style): Line =>
  width > 0 ? concat(gap, fit(cutText(text, width, style), width)) : blank;

function rowLine(row: Row, widths: Widths, options: ListOptions): Line {
  const { event } = row;
  const marks = `${row.isPinned ? '* ' : ''}${event.verdict === 'invalid' ? '! ' : ''}`;
  const title = cutText(titleOf(row), widths.type - marks.length);
  return concat(
    span(clockText(event.receivedAt), 'faint'),
    gap,
    fit(concat(span(marks, 'warning'), title), widths.type),
    column(event.platform ?? '', widths.platform, 'accent'),
    column(event.endpoint, widths.endpoint),
    column(sizeText(event.size).padStart(widths.size), widths.size, 'faint'),
    gap,
    options.hasTargets ? outcomeLine(row, options.now) : cutText(event.preview, widths.outcome, 'faint'),
  );
}

const heading = (widths: Widths, { hasTargets }: ListOptions): Line =>
  concat(
    span(`  ${'TIME'.padEnd(timeWidth)}  ${'EVENT'.padEnd(widths.type)}`, 'faint'),
    column('FROM', widths.platform, 'faint'),
    column('ENDPOINT', widths.endpoint, 'faint'),
    column('SIZE'.padStart(widths.size), widths.size, 'faint'),
    span(hasTargets ? '  ANSWER' : '  BODY', 'faint'),
  );

/** Exactly `height` lines. */
export function listLines(options: ListOptions): Line[] {
  const { rows, top, selected, columns, height } = options;
  const widths = widthsOf(options, rows.slice(top, top + height));
  const lines: Line[] = [fit(heading(widths, options), columns)];
  for (const [at, row] of rows.slice(top, top + height - 1).entries()) {
    const isSelected = top + at === selected;
    const line = fit(concat(span(isSelected ? '> ' : '  '), rowLine(row, widths, options)), columns);
    lines.push(isSelected ? restyled(line, 'selected') : line);
  }
  while (lines.length < height) lines.push(blank);
  return lines;
}
