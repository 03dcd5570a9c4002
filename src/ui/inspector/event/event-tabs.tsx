/* The tabs of an open event. */

import type { EventDetail } from '../../../features/events/model.ts';
import type { Hotkeys } from '../../kit/use-hotkeys.ts';
import { type Tab, tabs } from '../state/inspector-url.ts';

/** `replace`: it is not a step in the browser's history. */
type SelectTab = (tab: Tab, options?: { replace: boolean }) => void;

type Known = {
  /** Undefined until it is loaded. */
  event: EventDetail | undefined;
  attempts: number;
};

export function hasTab(tab: Tab, { event, attempts }: Known): boolean {
  if (tab === 'attempts') return attempts > 1;
  if (tab === 'query') return event !== undefined && event.query !== null;
  // A deleted forward has left what it sent.
  return tab !== 'forwards' || (event !== undefined && event.forwards.length + sentByForwards(event) > 0);
}

type TabsProps = Known & { shown: readonly Tab[]; selected: Tab; onSelect: SelectTab };

export const Tabs = ({ shown, selected, event, attempts, onSelect }: TabsProps) => (
  <div class="tabs line tight rigid" role="tablist" aria-label="Parts of the event">
    {shown.map(name => (
      <button
        key={name}
        id={`tab-${name}`}
        type="button"
        class="line rigid soft"
        role="tab"
        aria-selected={selected === name}
        aria-controls="event-panel"
        tabIndex={selected === name ? 0 : -1}
        title={`${tabLabel(name)} (${tabs.indexOf(name) + 1})`}
        onClick={() => onSelect(name)}
        onKeyDown={pressed => moveTab(pressed, { shown, tab: name, select: onSelect })}
      >
        {tabLabel(name)}
        {event && <TabCount event={event} attempts={attempts} tab={name} />}
      </button>
    ))}
  </div>
);

export const tabKeys = (shown: readonly Tab[], select: SelectTab): Hotkeys =>
  Object.fromEntries(
    tabs.map((name, index) => [
      String(index + 1),
      {
        label: `Show ${name}`,
        help: 'Body, headers, query, signature, replays, attempts, forwards',
        isOff: !shown.includes(name),
        run: () => select(name),
      },
    ]),
  );

const tabLabel = (tab: Tab): string => tab.charAt(0).toUpperCase() + tab.slice(1);

type Move = { shown: readonly Tab[]; tab: Tab; select: SelectTab };

const moveTab = (event: KeyboardEvent, { shown, tab, select }: Move): void => {
  const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
  const next = shown[(shown.indexOf(tab) + by + shown.length) % shown.length];
  if (by === 0 || !next) return;
  event.preventDefault();
  select(next, { replace: true });
  document.getElementById(`tab-${next}`)?.focus();
};

const sentByForwards = ({ replays }: EventDetail): number => replays.filter(({ via }) => via === 'forward').length;

const TabCount = ({ event, attempts, tab }: { event: EventDetail; attempts: number; tab: Tab }) => {
  const amounts: Partial<Record<Tab, number>> = {
    headers: event.rawHeaders.length,
    query: event.params.length,
    replays: event.replays.length - sentByForwards(event),
    attempts,
    forwards: event.forwards.length,
  };
  const amount = amounts[tab] ?? 0;
  return amount > 0 ? <span class="count">{amount}</span> : null;
};
