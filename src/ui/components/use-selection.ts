/* The selected event of the inspector: kept in the URL, and moved with j, k and g. */

import { useCallback, useEffect } from 'preact/hooks';
import type { EventDetail } from '../../features/events/model.ts';
import type { LiveList } from '../live/live-list.ts';
import { filterOf } from '../search/filter-url.ts';
import { currentLocation, navigate } from './navigation.tsx';
import { useHotkeys } from './use-hotkeys.ts';

const wideScreen = '(min-width: 60rem)';

type SelectionOptions = {
  list: LiveList;
  endpointId: string;
  eventId: string;
  base: string;
  where: string;
  /** The query string of links to events. */
  suffix: string;
  /** The selected event, once it is loaded. */
  selected: EventDetail | undefined;
};

/** Keeps the selection in the URL and moves it with j, k and g. Returns the selected row, or -1. */
export function useSelection(options: SelectionOptions): number {
  const { list, endpointId, eventId, base, where, suffix, selected } = options;
  const home = selected?.endpointId ?? endpointId;
  const select = useCallback(
    (id: string): void => navigate(`${base}/events/${id}${suffix}`, { replace: true }),
    [base, suffix],
  );

  // A wide screen opens the newest event at the start; a phone shows the list first.
  const newestId = list.at(0)?.id;
  useEffect(() => {
    // Going back may have changed the URL since this was rendered.
    const { path, query } = currentLocation();
    const isCurrent = path === base && filterOf(query) === where;
    if (!eventId && newestId && isCurrent && matchMedia(wideScreen).matches) select(newestId);
  }, [eventId, newestId, base, where, select]);

  // A URL with an event of another endpoint redirects to that endpoint.
  useEffect(() => {
    if (home !== endpointId) navigate(`/app/endpoints/${home}/events/${eventId}${suffix}`, { replace: true });
  }, [home, endpointId, eventId, suffix]);

  const ownIndex = eventId ? list.indexOf(eventId) : -1;
  // With one row per delivery, another attempt of it may have the row.
  const selectedIndex = ownIndex < 0 && selected ? list.indexOfDelivery(selected.delivery.key) : ownIndex;
  const moveTo = (index: number): void => {
    const event = list.at(index);
    if (event) select(event.id);
    void list.loadTo(index + 20);
  };
  useHotkeys({
    j: { label: 'Next event', run: () => moveTo(selectedIndex + 1), repeats: true },
    k: { label: 'Previous event', run: () => moveTo(Math.max(0, selectedIndex - 1)), repeats: true },
    g: { label: 'Newest event', run: () => moveTo(0) },
  });
  return selectedIndex;
}
