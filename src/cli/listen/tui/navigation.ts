/* The actions of keys on the screen. The filter hides events, and does not stop their delivery. */
import { type Context, say, withRow } from './effects.ts';
import type { Key } from './keys.ts';
import { edit, promptOf, promptText } from './prompt.ts';
import { contentRows } from './screen.ts';
import { comparedAttempts, type Mode, select, selectedRow, type Ui } from './ui.ts';

export function openPage(ui: Ui, mode: Mode): void {
  if (ui.mode === 'list' || ui.mode === 'detail') ui.from = ui.mode;
  ui.mode = mode;
  ui.scroll = 0;
}

function goBack(ui: Ui): void {
  ui.mode = ui.mode === 'detail' ? 'list' : ui.from;
  ui.scroll = 0;
}

function showStuck(context: Context): void {
  const { log, ui } = context.state;
  const row = log.stuck();
  if (!row) {
    say(context, 'No event is held or being retried.', 'faint');
    return;
  }
  if (!log.rows().includes(row)) setFilter(context, '');
  ui.selectedId = row.event.id;
  ui.isFollowing = false;
  ui.mode = 'list';
}

function pauseOrResume(context: Context): void {
  const { session } = context;
  const { ui } = context.state;
  if (session.isPaused()) session.resume();
  else session.pause();
  ui.isPaused = session.isPaused();
  say(context, ui.isPaused ? 'Paused. Press space to resume.' : 'Resumed.');
}

/** @returns whether the filter is valid; otherwise nothing changes */
function setFilter({ state, session }: Context, where: string): boolean {
  const { log, ui } = state;
  const filter = where === '' ? undefined : session.setFilter(where);
  if (filter && !filter.isOk) return false;
  log.setFilter(filter);
  ui.filter = where;
  ui.isFollowing ||= !log.rows().some(row => row.event.id === ui.selectedId);
  return true;
}

function openFilterPrompt({ state: { ui } }: Context): void {
  ui.mode = 'list';
  ui.prompt = { value: promptOf(ui.filter), problem: undefined };
}

/** The filter is checked while it is typed, and applied with Enter. */
export function typeInFilterPrompt(context: Context, key: Key): void {
  const { session } = context;
  const { ui } = context.state;
  if (!ui.prompt) return;
  const name = key.kind === 'key' ? key.name : undefined;
  const isApplied = name === 'enter' && setFilter(context, promptText(ui.prompt.value).trim());
  if (isApplied || name === 'escape' || name === 'ctrl-c') {
    ui.prompt = undefined;
    return;
  }
  const value = edit(ui.prompt.value, key);
  const text = promptText(value);
  const filter = text.trim() === '' ? undefined : session.setFilter(text);
  const problem = filter && !filter.isOk ? { message: filter.message, position: filter.position } : undefined;
  // While the user types, a filter is often unfinished: the problem is shown, and the list does not change.
  ui.prompt = { value, problem };
}

/** The actions by the name of the key, or the character. */
export function createNavigation(context: Context): Record<string, () => void> {
  const { state, screens, size, now } = context;
  const { ui } = state;

  const scrollTo = (line: number): void => {
    const { length } = screens.content(state, size(), now());
    ui.scroll = Math.min(Math.max(0, line), Math.max(0, length - contentRows(size())));
  };
  const scrollToSection = (direction: 1 | -1): void => {
    const { sections } = screens.content(state, size(), now());
    const isNext = (line: number): boolean => (direction > 0 ? line > ui.scroll : line < ui.scroll);
    const next = direction > 0 ? sections.find(isNext) : sections.findLast(isNext);
    if (next !== undefined) scrollTo(next);
  };
  /** Moves by lines in a page, by rows in the list. */
  const move = (by: number) => (): void => (ui.mode === 'list' ? select(state, by) : scrollTo(ui.scroll + by));
  /** Moves by a part of the screen. */
  const movePages = (pages: number) => (): void => move(Math.ceil(pages * Math.max(1, contentRows(size()) - 2)))();
  /** Goes to the previous or next event or response. */
  const neighbour = (by: 1 | -1): void => {
    if (ui.mode === 'comparison') {
      const attempts = selectedRow(state)?.attempts ?? [];
      const shown = comparedAttempts(state)?.after;
      const next = (shown ? attempts.indexOf(shown) : 0) + by;
      ui.comparedNumber = next < attempts.length - 1 ? attempts[Math.max(1, next)]?.number : undefined;
    } else if (ui.mode === 'list' || ui.mode === 'detail') select(state, by);
    else return;
    ui.scroll = 0;
  };
  const open = withRow(context, () => (ui.mode === 'list' ? openPage(ui, 'detail') : undefined));
  const back = (): void => goBack(ui);

  return {
    up: move(-1),
    k: move(-1),
    'ctrl-p': move(-1),
    down: move(1),
    j: move(1),
    'ctrl-n': move(1),
    pageup: movePages(-1),
    'ctrl-b': movePages(-1),
    'ctrl-u': movePages(-0.5),
    pagedown: movePages(1),
    'ctrl-f': movePages(1),
    'ctrl-d': movePages(0.5),
    home: move(-Infinity),
    g: move(-Infinity),
    end: move(Infinity),
    G: move(Infinity),
    enter: open,
    right: open,
    escape: back,
    left: back,
    backspace: back,
    tab: () => scrollToSection(1),
    backtab: () => scrollToSection(-1),
    '[': () => neighbour(-1),
    ']': () => neighbour(1),
    h: () => showStuck(context),
    f: () => openFilterPrompt(context),
    '/': () => openFilterPrompt(context),
    ' ': () => pauseOrResume(context),
    '?': () => (ui.mode === 'help' ? back() : openPage(ui, 'help')),
  };
}
