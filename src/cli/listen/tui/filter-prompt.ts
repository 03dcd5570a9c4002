/* The filter of the view: typed in a line of its own, checked while it is typed, applied with Enter. It hides events and stops none. */
import type { Context } from './effects.ts';
import type { Key } from './keys.ts';
import { edit, promptOf, promptText } from './prompt.ts';

/** @returns whether it could be read; otherwise nothing changes */
export function setFilter({ state, session }: Context, where: string): boolean {
  const { log, ui } = state;
  const filter = where === '' ? undefined : session.setFilter(where);
  if (filter && !filter.isOk) return false;
  log.setFilter(filter);
  ui.filter = where;
  ui.isFollowing ||= !log.rows().some(row => row.event.id === ui.selectedId);
  return true;
}

export function openFilterPrompt({ state: { ui } }: Context): void {
  ui.mode = 'list';
  ui.prompt = { value: promptOf(ui.filter), problem: undefined };
}

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
  // While it is typed, a filter is often unfinished: the problem is shown, and the list stays as it is.
  ui.prompt = { value, problem };
}
