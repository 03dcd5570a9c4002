/* The list of events: the columns that there is room for, and only the rows that are on the screen. */
import { sizeText } from '../../client/output.ts';
import type { Row } from './log.ts';
import { outcomeLine } from './outcome.ts';
import { cutText, fitLine, type Line, padStart, padText, widthOf } from './text.ts';
import { clockText, restyled, span, styles } from './theme.ts';

export type ListOptions = {
  rows: readonly Row[];
  /** Index of the row at the top. */
  top: number;
  /** Index of the selected row. */
  selected: number;
  columns: number;
  height: number;
  now: number;
  /** Several endpoints are listened to. */
  hasEndpoints: boolean;
  /** Events are sent somewhere; otherwise the list shows their contents. */
  hasTargets: boolean;
};

type Widths = { type: number; platform: number; endpoint: number; size: number; outcome: number };

const timeWidth = 8;
const gap = '  ';
const mostPlatform = 12;
const mostEndpoint = 16;
const sizeWidth = 8;
/** `500  held, again in 60 s`, and with room `no answer  held, again in 60 s` */
const outcomeWidths = { narrow: 25, wide: 30 };

const widest = (texts: readonly string[], least: number, most: number): number =>
  Math.min(most, Math.max(least, ...texts.map(widthOf)));

/** Columns that the detail view shows, too, are left out first. */
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
  const used = 2 + timeWidth + gap.length + others.reduce((sum, width) => sum + gap.length + width, 0);
  return { type: Math.max(8, columns - used), platform, endpoint, size, outcome };
}

/** `pull_request opened` is the sender's; an event without a type is known by its request. */
export const titleOf = ({ event: { type, method, path } }: Pick<Row, 'event'>): string =>
  type ?? `${method ?? ''} ${path || '/'}`.trim();

function rowLine(row: Row, widths: Widths, options: ListOptions): Line {
  const { event } = row;
  const isForged = event.verdict === 'invalid';
  const marks = `${row.isPinned ? '* ' : ''}${isForged ? '! ' : ''}`;
  const cells = [
    span(clockText(event.receivedAt), styles.faint),
    span(gap),
    ...(marks ? [span(marks, styles.warning)] : []),
    span(padText(titleOf(row), widths.type - marks.length)),
    ...(widths.platform ? [span(gap + padText(event.platform ?? '', widths.platform), styles.accent)] : []),
    ...(widths.endpoint ? [span(gap + padText(event.endpoint, widths.endpoint))] : []),
    ...(widths.size ? [span(gap + padStart(sizeText(event.size), widths.size), styles.faint)] : []),
    span(gap),
    ...(options.hasTargets
      ? outcomeLine(row, options.now)
      : [span(cutText(event.preview, widths.outcome), styles.faint)]),
  ];
  return cells;
}

const heading = (widths: Widths, { hasTargets }: ListOptions): Line => [
  span(
    `  ${padText('TIME', timeWidth)}${gap}${padText('EVENT', widths.type)}` +
      (widths.platform ? gap + padText('FROM', widths.platform) : '') +
      (widths.endpoint ? gap + padText('ENDPOINT', widths.endpoint) : '') +
      (widths.size ? gap + padStart('SIZE', widths.size) : '') +
      gap +
      (hasTargets ? 'ANSWER' : 'BODY'),
    styles.faint,
  ),
];

/** Exactly `height` lines. */
export function listLines(options: ListOptions): Line[] {
  const { rows, top, selected, columns, height } = options;
  const widths = widthsOf(options, rows.slice(top, top + height));
  const lines: Line[] = [fitLine(heading(widths, options), columns)];
  for (let at = top; at < rows.length && lines.length < height; at++) {
    const row = rows[at];
    if (!row) break;
    const isSelected = at === selected;
    const line = fitLine([span(isSelected ? '> ' : '  '), ...rowLine(row, widths, options)], columns);
    lines.push(isSelected ? restyled(line, styles.selected) : line);
  }
  while (lines.length < height) lines.push([]);
  return lines;
}
