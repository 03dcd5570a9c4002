/* The lines around the content: the endpoints and targets, the progress, and the most useful keys. */

import { titleOf } from './list.ts';
import { cutLine, cutText, type Line, lineWidth, type Span, spread } from './text.ts';
import { countText, span, styles } from './theme.ts';
import { selectedRow, type Ui, type ViewState } from './ui.ts';

const gap = span('  ');

/** Without the scheme, which everybody knows. */
const shortTarget = (target: string): string => target.replace(/^http:\/\//, '');

function connectionSpan({ connection }: Ui): Span {
  if (connection.kind === 'connected') return span('● connected', styles.good);
  return connection.kind === 'connecting'
    ? span('○ connecting', styles.warning)
    : span('○ no connection, trying again', styles.warning);
}

export function headerLine({ ui, targets }: ViewState, columns: number): Line {
  const [first] = targets;
  const to = targets.length > 1 ? `${targets.length} targets` : first && shortTarget(first.name);
  const left: Line = [
    span('hooktape', styles.accent),
    span(' listen', styles.strong),
    ...(ui.endpoints.length > 0 ? [gap, span(ui.endpoints.join(', '))] : []),
    ...(to ? [span(' → ', styles.faint), span(to)] : []),
  ];
  return spread(left, [gap, connectionSpan(ui)], columns);
}

/** `N behind` first: it is never cut off. */
export function statusLine(state: ViewState, columns: number): Line {
  const { log, ui, targets } = state;
  const { received, answered, failed, skipped } = log.totals;
  const stuck = log.stuck();
  const isHeld = stuck && [...stuck.targets.values()].some(({ kind }) => kind === 'held');
  const sent = targets.length > 0;
  const left: Line = [
    span(`${countText(ui.behind)} behind`, ui.behind > 0 ? styles.warning : styles.strong),
    ...(ui.isPaused ? [gap, span(' PAUSED ', { ...styles.warning, isInverse: true })] : []),
    ...(stuck && isHeld
      ? [gap, span(' HELD ', styles.alarm), span(` ${cutText(titleOf(stuck), 30)}, h to see it`)]
      : []),
    ...(ui.filter ? [gap, span('filter ', styles.faint), span(cutText(ui.filter, 40), styles.accent)] : []),
  ];
  const totals: Line = [
    gap,
    span(`${countText(received)} received`, styles.faint),
    ...(sent ? [span(`, ${countText(answered)} ok`, styles.faint)] : []),
    ...(failed > 0 ? [span(', ', styles.faint), span(`${countText(failed)} failed`, { color: 'red' })] : []),
    ...(skipped > 0 ? [span(`, ${countText(skipped)} skipped`, styles.faint)] : []),
  ];
  const hasRoom = lineWidth(left) + lineWidth(totals) <= columns;
  return hasRoom ? spread(left, totals, columns) : cutLine(left, columns);
}

type Hint = readonly [key: string, does: string];

const always: readonly Hint[] = [
  ['?', 'help'],
  ['q', 'quit'],
];
const back: Hint = ['esc', 'back'];

/** The keys for the event, most useful first. */
function eventHints(state: ViewState): Hint[] {
  const row = selectedRow(state);
  if (!row) return [];
  const waits = [...row.targets.values()].some(({ kind }) => kind === 'held' || kind === 'retrying');
  return [
    ...(state.targets.length > 0 ? [['r', 'again'] as const] : []),
    ...(waits ? [['s', 'skip'] as const] : []),
    ...(row.attempts.length > 1 ? [['d', 'diff'] as const] : []),
    ...(state.targets.length > 0 ? [['e', 'edit'] as const] : []),
    ['p', 'pin'],
    ['c', 'copy'],
    ['o', 'open'],
  ];
}

function hintsFor(state: ViewState): Hint[] {
  const { mode, isPaused } = state.ui;
  const others: Hint[] = [
    ['space', isPaused ? 'go on' : 'pause'],
    ['f', 'filter'],
  ];
  if (mode === 'list') return selectedRow(state) ? [['enter', 'show'], ...others, ...eventHints(state)] : others;
  if (mode === 'detail') return [back, ['tab', 'section'], ['[ ]', 'event'], ...eventHints(state)];
  return mode === 'comparison' ? [back, ['[ ]', 'other answers'], ['r', 'again']] : [back];
}

const hintSpans = ([key, does]: Hint): Span[] => [span(key, styles.key), span(` ${does}`, styles.faint)];

/** As many hints as there is room for, whole. @param place where a page is scrolled to */
export function hintsLine(state: ViewState, columns: number, place: string): Line {
  const { message } = state.ui;
  if (message) return cutLine([span(message.text, message.style)], columns);
  const right = [
    ...(place ? [gap, span(place, styles.faint)] : []),
    ...always.flatMap(hint => [gap, ...hintSpans(hint)]),
  ];
  const left: Span[] = [];
  let room = columns - lineWidth(right);
  for (const hint of hintsFor(state)) {
    const spans = [...(left.length > 0 ? [gap] : []), ...hintSpans(hint)];
    room -= lineWidth(spans);
    if (room < 0) break;
    left.push(...spans);
  }
  return spread(left, right, columns);
}
