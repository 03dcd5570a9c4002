/* The keyboard focus between the list of events and the open event. The rows come and go while the list scrolls. */

/** Rows appear at most this many frames after the list was scrolled to them. */
const maxFrames = 30;
/** Frames to wait for a list that is being loaded, about 5 s. After that, users do not expect the focus to change. */
const maxLoadFrames = 300;

const scroller = (): Element | null => document.querySelector('.event-list');

export function isListFocused(): boolean {
  const focused = document.activeElement;
  return !focused || focused === document.body || focused.id === 'main' || isInList(focused);
}

const isInList = (element: Element | null): boolean => element?.closest('.event-list') != null;

export const isFocusInList = (): boolean => isInList(document.activeElement);

export const isFocusInEvent = (): boolean => document.activeElement?.closest('#event') != null;

export const focusedRowId = (): string | undefined =>
  isFocusInList() ? idOf(document.activeElement?.closest('li')?.querySelector('a[href]')) : undefined;

const idOf = (link: Element | null | undefined): string | undefined =>
  /\/events\/([^/?#]+)/.exec(link?.getAttribute('href') ?? '')?.[1];

const links = (): HTMLElement[] => [...document.querySelectorAll<HTMLElement>('.event-list li a[href]')];

export const focusRow = (id: string): void => focusWhenShown(() => links().find(one => idOf(one) === id));

/** Focuses the open event, on a small screen as soon as it has taken the place of the list. */
export const focusEvent = (): void => focusWhenShown(() => document.getElementById('event'));

let lastCall = 0;

/** A hidden element does not take the focus. It ends with a later call, or if the focus goes elsewhere before. */
function focusWhenShown(find: () => HTMLElement | null | undefined, frames = maxFrames): void {
  const call = ++lastCall;
  const start = document.activeElement;
  const tryFocus = (left: number): void => {
    const focused = document.activeElement;
    if (call !== lastCall || (focused && focused !== start && focused !== document.body)) return;
    const element = find();
    element?.focus();
    if (element && document.activeElement === element) return;
    if (left > 0) requestAnimationFrame(() => tryFocus(left - 1));
  };
  tryFocus(frames);
}

/** Focuses the row of the open event, else the first row that is visible, as soon as there is one. */
export const focusList = (openId: string): void => focusWhenShown(() => rowOf(openId), maxLoadFrames);

function rowOf(openId: string): HTMLElement | undefined {
  const top = scroller()?.getBoundingClientRect().top ?? 0;
  const all = links();
  const current =
    all.find(link => link.getAttribute('aria-current') === 'true') ?? all.find(one => idOf(one) === openId);
  return current ?? all.find(link => link.getBoundingClientRect().top >= top);
}

export function rowsPerPage(): number {
  const row = document.querySelector<HTMLElement>('.event-list .event-row');
  const height = row?.offsetHeight || 56;
  return Math.max(1, Math.floor((scroller()?.clientHeight ?? 0) / height) - 1);
}
