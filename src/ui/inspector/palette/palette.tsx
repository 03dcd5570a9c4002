/*
 * The command palette (Ctrl/⌘K), a combobox (ARIA 1.2) in a dialog: everything that can be done or opened from here, found by typing a
 * part of its name. It closes before it does what was chosen, so that the focus is where it was.
 */

import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { formatCount } from '../../kit/format/time.ts';
import { Icon } from '../../kit/icons.tsx';
import { currentLocation, navigate } from '../../kit/navigation.tsx';
import { useWorkspace } from '../../kit/workspace.tsx';
import { filterQuery } from '../filter/filter-url.ts';
import { searchTermsOf } from '../find-in-body/search-terms.ts';
import { loadedEvents } from './event-source.ts';
import { commandItems, endpointItems, eventItem, type PaletteItem } from './items.ts';
import { PaletteList } from './palette-list.tsx';
import { rank } from './rank.ts';
import { recentIds, remember } from './recent.ts';
import { useServerEvents } from './use-server-events.ts';

/** The most items of each group. */
const maxShown = { Recent: 5, Actions: 60, Endpoints: 8, Events: 8 } as const;
const maxTyped = 300;
const pageRows = 8;

export function Palette({ onClose }: { onClose: () => void }) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const previousFocus = useRef<Element | null>(null);
  const [text, setText] = useState('');
  const [active, setActive] = useState(0);
  const { items, isBusy } = usePaletteItems(text.trim());

  useLayoutEffect(() => {
    previousFocus.current = document.activeElement;
    dialog.current?.showModal();
  }, []);
  // Before the next key, which an effect after the frame could undo.
  useLayoutEffect(() => setActive(0), [text]);
  const chosenIndex = Math.min(active, items.length - 1);
  const chosen = items[chosenIndex];
  const close = (): void => {
    dialog.current?.close();
    // Where nothing had the focus, the closed field would keep it for a moment, and take the next key.
    if (dialog.current?.contains(document.activeElement)) (document.activeElement as HTMLElement).blur();
  };
  const choose = (item: PaletteItem): void => {
    if (item.group !== 'Events') remember(item.id);
    close();
    // After the focus has returned: what is chosen may move it, or return it there later.
    setTimeout(item.run);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.isComposing) return;
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: pageRows, PageUp: -pageRows };
    const by = steps[event.key];
    // From the state and not what was drawn: keys may come faster than frames.
    if (by !== undefined) setActive(current => nextActive(current, items.length, by));
    else if (event.key === 'Enter') {
      if (chosen) choose(chosen);
    } else if (event.key === 'Escape') close();
    else if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') close();
    else return;
    event.preventDefault();
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the native dialog closes on Escape.
    <dialog
      ref={dialog}
      class="palette"
      aria-label="Command palette"
      onClose={() => {
        onClose();
        if (previousFocus.current instanceof HTMLElement) previousFocus.current.focus();
      }}
      onClick={event => event.target === dialog.current && close()}
    >
      <div class="palette-box line loose rigid faint">
        <Icon name="search" />
        <input
          autofocus
          type="text"
          role="combobox"
          aria-label="Find a command, an endpoint or an event"
          aria-expanded={items.length > 0}
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={chosen && `${id}-${chosenIndex}`}
          placeholder="Find a command, an endpoint or an event"
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          maxLength={maxTyped}
          value={text}
          onInput={event => setText(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        <kbd>Esc</kbd>
      </div>
      <PaletteList
        id={id}
        items={items}
        terms={searchTermsOf(text)}
        chosenIndex={chosenIndex}
        onChoose={choose}
        onPoint={setActive}
      />
      {items.length === 0 && !isBusy && <p class="palette-note soft">Nothing found.</p>}
      {isBusy && <p class="palette-note soft">Searching older events…</p>}
      <p class="offscreen" role="status" aria-live="polite">
        {isBusy ? 'Searching older events' : formatCount(items.length, 'result')}
      </p>
    </dialog>
  );
}

/** From the last to the first and back; a page stops at the ends. */
const nextActive = (active: number, count: number, by: number): number =>
  Math.abs(by) === 1 ? (active + by + count) % (count || 1) : Math.min(count - 1, Math.max(0, active + by));

/** The items of each group are together, the group with the best one first. */
function usePaletteItems(text: string): { items: PaletteItem[]; isBusy: boolean } {
  const { endpoints, reloadEndpoints } = useWorkspace();
  useEffect(() => {
    if (!endpoints) reloadEndpoints();
  }, []);
  // The items at the moment when the palette opens, so that arriving events do not move an item that is about to be chosen.
  const fixed = useMemo(() => {
    const events = loadedEvents();
    return {
      recent: recentIds(),
      items: [
        ...commandItems(),
        ...endpointItems(endpoints ?? []),
        ...(events?.rows().map(event => eventItem(event, events.hrefOf(event.id))) ?? []),
      ],
    };
  }, [endpoints]);
  const ranked = useMemo(() => {
    const fitting = rank(fixed.items, text, fixed.recent);
    return text === '' ? withRecentGroup(fitting, fixed.recent) : fitting;
  }, [fixed, text]);
  const endpointId = useMemo(() => /^\/app\/endpoints\/([^/]+)/.exec(currentLocation().path)?.[1] ?? '', []);
  const hasEvent = ranked.some(({ group }) => group === 'Events');
  const server = useServerEvents(endpointId, hasEvent || text.length < 2 ? '' : text);
  const found = [...ranked, ...server.items];
  const groups = new Map<PaletteItem['group'], PaletteItem[]>();
  for (const item of found) {
    const group = groups.get(item.group) ?? [];
    if (group.length < maxShown[item.group]) group.push(item);
    groups.set(item.group, group);
  }
  const items = [...groups.values()].flat();
  return { items: endpointId && text ? [...items, searchItem(endpointId, text)] : items, isBusy: server.isBusy };
}

/** What was used last is a group of its own until something is typed. */
const withRecentGroup = (items: readonly PaletteItem[], recent: readonly string[]): PaletteItem[] => {
  const shown = new Set(recent.filter(id => items.some(item => item.id === id)).slice(0, maxShown.Recent));
  return items.map(item => (shown.has(item.id) ? { ...item, group: 'Recent' } : item));
};

const searchItem = (endpointId: string, text: string): PaletteItem => ({
  id: 'search',
  group: 'Events',
  label: `Search events for “${text}”`,
  detail: '',
  keyLabel: '',
  run: () => navigate(`/app/endpoints/${endpointId}${filterQuery(text)}`),
});
