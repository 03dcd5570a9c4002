/* The tabs of an open event. */

import type { EventDetail } from '../../../features/events/model.ts';
import type { Hotkeys } from '../../kit/use-hotkeys.ts';
import { type Tab, tabs } from '../state/inspector-url.ts';

export type { Tab } from '../state/inspector-url.ts';

/** `replace`: it is not a step in the browser's history. */
type SelectTab = (tab: Tab, options?: { replace: boolean }) => void;

type TabsProps = { selected: Tab; event: EventDetail | undefined; attempts: number; onSelect: SelectTab };

export const Tabs = ({ selected, event, attempts, onSelect }: TabsProps) => (
  <div class="tabs line tight rigid" role="tablist" aria-label="Parts of the event">
    {tabs.map((name, index) => (
      <button
        key={name}
        id={`tab-${name}`}
        type="button"
        class="line rigid soft"
        role="tab"
        aria-selected={selected === name}
        aria-controls="event-panel"
        tabIndex={selected === name ? 0 : -1}
        title={`${tabLabel(name)} (${index + 1})`}
        onClick={() => onSelect(name)}
        onKeyDown={pressed => moveTab(pressed, name, onSelect)}
      >
        {tabLabel(name)}
        {event && <TabCount event={event} attempts={attempts} tab={name} />}
      </button>
    ))}
  </div>
);

/** The keys 1 to 6. */
export const tabKeys = (select: SelectTab): Hotkeys =>
  Object.fromEntries(
    tabs.map((name, index) => [
      String(index + 1),
      { label: `Show ${name}`, help: 'Body, headers, query, signature, replays, attempts', run: () => select(name) },
    ]),
  );

const tabLabel = (tab: Tab): string => tab.charAt(0).toUpperCase() + tab.slice(1);

const moveTab = (event: KeyboardEvent, tab: Tab, select: SelectTab): void => {
  const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
  const next = tabs[(tabs.indexOf(tab) + by + tabs.length) % tabs.length];
  if (by === 0 || !next) return;
  event.preventDefault();
  select(next, { replace: true });
  document.getElementById(`tab-${next}`)?.focus();
};

type PartProps = {
  event: EventDetail;
  /** How many attempts its delivery has. */
  attempts: number;
  tab: Tab;
};

const TabCount = ({ event, attempts, tab }: PartProps) => {
  const amounts: Partial<Record<Tab, number>> = {
    headers: event.rawHeaders.length,
    query: event.params.length,
    replays: event.replays.length,
    attempts: attempts > 1 ? attempts : 0,
  };
  const amount = amounts[tab] ?? 0;
  return amount > 0 ? <span class="count">{amount}</span> : null;
};
