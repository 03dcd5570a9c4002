/* The command palette (Ctrl/⌘K): everything that can be done or opened from here, found by typing a part of its name. */

import { useEffect, useMemo, useState } from 'preact/hooks';
import { currentLocation, navigate } from '../../kit/navigation.tsx';
import { useWorkspace } from '../../kit/workspace.tsx';
import { filterQuery } from '../filter/filter-url.ts';
import { loadedEvents } from './event-source.ts';
import { Finder } from './finder.tsx';
import { commandItems, endpointItems, eventItem, type PaletteItem } from './items.ts';
import { rank } from './rank.ts';
import { recentIds, remember } from './recent.ts';
import { type FoundEvent, useServerEvents } from './use-server-events.ts';

const maxShown = { Recent: 5, Actions: 60, Endpoints: 8, Events: 8, 'Same type': 0 } as const;

export function Palette({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState('');
  const { items, note } = usePaletteItems(text.trim());
  return (
    <Finder
      title="Command palette"
      label="Find a command, an endpoint or an event"
      text={text}
      onText={setText}
      items={items}
      note={note}
      onChoose={item => {
        if (item.group !== 'Events') remember(item.id);
        // After the focus has returned: what is chosen may move it, or return it there later.
        setTimeout(item.run);
      }}
      onClose={onClose}
    />
  );
}

/** The items of each group are together, the group with the best one first. */
function usePaletteItems(text: string): { items: PaletteItem[]; note: string } {
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
        // Where they match is about the filter of the list, not about what is typed here.
        ...(events?.rows().map(({ matched: _, ...event }) => eventItem(event, events.hrefOf(event.id))) ?? []),
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
  const older = useMemo(() => server.events.map(event => eventItem(event, hrefOf(event, endpointId))), [server.events]);
  const found = [...ranked, ...older];
  const groups = new Map<PaletteItem['group'], PaletteItem[]>();
  for (const item of found) {
    const group = groups.get(item.group) ?? [];
    if (group.length < maxShown[item.group]) group.push(item);
    groups.set(item.group, group);
  }
  const items = [...groups.values()].flat();
  const note = server.isBusy ? 'Searching older events…' : server.problem;
  return { items: endpointId && text ? [...items, searchItem(endpointId, text)] : items, note };
}

const hrefOf = ({ id, endpointId }: FoundEvent, opened: string): string =>
  `/app/endpoints/${endpointId ?? opened}/events/${id}`;

/** What was used last is a group of its own until something is typed. */
const withRecentGroup = (items: readonly PaletteItem[], recent: readonly string[]): PaletteItem[] => {
  const shown = new Set(recent.filter(id => items.some(item => item.id === id)).slice(0, maxShown.Recent));
  return items.map(item => (shown.has(item.id) ? { ...item, group: 'Recent' } : item));
};

const searchItem = (endpointId: string, text: string): PaletteItem => ({
  id: 'search',
  group: 'Events',
  label: `Search events for “${text}”`,
  run: () => navigate(`/app/endpoints/${endpointId}${filterQuery(text)}`),
});
