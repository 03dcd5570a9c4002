/* The tabs of an open event. */

import type { EventDetail } from '../../features/events/model.ts';

export const tabs = ['body', 'headers', 'query', 'signature', 'replays', 'attempts'] as const;
export type Tab = (typeof tabs)[number];

type TabsProps = { selected: Tab; event: EventDetail | undefined; attempts: number; onSelect: (tab: Tab) => void };

export const Tabs = ({ selected, event, attempts, onSelect }: TabsProps) => (
  <div class="tabs" role="tablist" aria-label="Parts of the event">
    {tabs.map((name, index) => (
      <button
        key={name}
        id={`tab-${name}`}
        type="button"
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

const tabLabel = (tab: Tab): string => tab.charAt(0).toUpperCase() + tab.slice(1);

const moveTab = (event: KeyboardEvent, tab: Tab, setTab: (tab: Tab) => void): void => {
  const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
  const next = tabs[(tabs.indexOf(tab) + by + tabs.length) % tabs.length];
  if (by === 0 || !next) return;
  event.preventDefault();
  setTab(next);
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
