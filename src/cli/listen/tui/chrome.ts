/* The lines around the content: the endpoints and targets, the progress, and the most useful keys. */
import { countText } from './format.ts';
import { titleOf } from './list.ts';
import { blank, concat, cut, cutText, type Line, space, span, spread, widthOf } from './text.ts';
import { selectedRow, type Ui, type ViewState } from './ui.ts';

const gap = space(2);

/** The target without the scheme, to save space. */
const shortTarget = (target: string): string => target.replace(/^http:\/\//, '');

function connectionSpan({ connection }: Ui): Line {
  if (connection.kind === 'connected') return span('● connected', 'good');
  return connection.kind === 'connecting'
    ? span('○ connecting', 'warning')
    : span('○ disconnected, reconnecting', 'warning');
}

export function headerLine({ ui, targets }: ViewState, columns: number): Line {
  const [first] = targets;
  const to = targets.length > 1 ? `${targets.length} targets` : first && shortTarget(first.name);
  const left = concat(
    span('hooktape', 'accent'),
    span(' listen', 'strong'),
    ui.endpoints.length > 0 && concat(gap, span(ui.endpoints.join(', '))),
    to !== undefined && concat(span(' → ', 'faint'), span(to)),
  );
  return spread(left, concat(gap, connectionSpan(ui)), columns);
}

/** `N behind` comes first, so that it is never cut off. */
export function statusLine(state: ViewState, columns: number): Line {
  const { log, ui, targets } = state;
  const { received, answered, failed, skipped } = log.totals;
  const stuck = log.stuck();
  const isHeld = stuck && [...stuck.targets.values()].some(({ kind }) => kind === 'held');
  const sent = targets.length > 0;
  const left = concat(
    span(`${countText(ui.behind)} behind`, ui.behind > 0 ? 'warning' : 'strong'),
    ui.isPaused && concat(gap, span(' PAUSED ', 'paused')),
    stuck &&
      isHeld &&
      concat(gap, span(' HELD ', 'alarm'), space(1), cutText(titleOf(stuck), 30), span(', press h to show it')),
    ui.filter !== '' && concat(gap, span('filter ', 'faint'), cutText(ui.filter, 40, 'accent')),
  );
  const totals = concat(
    gap,
    span(`${countText(received)} received`, 'faint'),
    sent && span(`, ${countText(answered)} ok`, 'faint'),
    failed > 0 && concat(span(', ', 'faint'), span(`${countText(failed)} failed`, 'removed')),
    skipped > 0 && span(`, ${countText(skipped)} skipped`, 'faint'),
  );
  const hasRoom = widthOf(left) + widthOf(totals) <= columns;
  return hasRoom ? spread(left, totals, columns) : cut(left, columns);
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
    ['space', isPaused ? 'resume' : 'pause'],
    ['f', 'filter'],
  ];
  if (mode === 'list') return selectedRow(state) ? [['enter', 'show'], ...others, ...eventHints(state)] : others;
  if (mode === 'detail') return [back, ['tab', 'section'], ['[ ]', 'event'], ...eventHints(state)];
  return mode === 'comparison' ? [back, ['[ ]', 'other responses'], ['r', 'again']] : [back];
}

const hintLine = ([key, does]: Hint): Line => concat(span(key, 'key'), span(` ${does}`, 'faint'));

/** As many complete hints as fit. @param place the position in a scrolled page */
export function hintsLine(state: ViewState, columns: number, place: string): Line {
  const { message } = state.ui;
  if (message) return cut(span(message.text, message.style), columns);
  const right = concat(
    place !== '' && concat(gap, span(place, 'faint')),
    ...always.map(hint => concat(gap, hintLine(hint))),
  );
  let left = blank;
  for (const hint of hintsFor(state)) {
    const longer = concat(left, left !== blank && gap, hintLine(hint));
    if (widthOf(longer) + widthOf(right) > columns) break;
    left = longer;
  }
  return spread(left, right, columns);
}
