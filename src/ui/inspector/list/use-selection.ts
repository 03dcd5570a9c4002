/* The selected event of the inspector: kept in the URL, and moved by the keys of the list. */

import { useCallback, useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { EventDetail } from '../../../features/events/model.ts';
import { currentLocation, navigate } from '../../kit/navigation.tsx';
import { filterOf } from '../filter/filter-url.ts';
import type { LiveList } from '../live/live-list.ts';
import type { Place } from '../live/older-event.ts';

export const wideScreen = '(min-width: 60rem)';
export const isWide = (): boolean => matchMedia(wideScreen).matches;

type SelectionOptions = {
  list: LiveList;
  endpointId: string;
  eventId: string;
  base: string;
  where: string;
  suffix: string;
  selected: EventDetail | undefined;
};

export type Selection = ReturnType<typeof useSelection>;

export function useSelection(options: SelectionOptions) {
  const { list, endpointId, eventId, base, where, suffix, selected } = options;
  const home = selected?.endpointId ?? endpointId;
  const opened = useRef<Place>({ id: '', receivedAt: 0 });
  /** Opens an event. Moving from one to the next is not a step in the browser's history; leaving the list of a small screen is. */
  const select = useCallback(
    (event: Place): void => {
      opened.current = event;
      navigate(`${base}/events/${event.id}${suffix}`, { replace: eventId !== '' || isWide() });
    },
    [base, suffix, eventId],
  );

  // A wide screen opens the newest event at the start; a phone shows the list first. Before the rows are painted: Enter, pressed as
  // soon as they are seen, goes into the open event.
  const newest = list.at(0);
  const newestId = newest?.id;
  useLayoutEffect(() => {
    // Going back may have changed the URL since this was rendered.
    const { path, query } = currentLocation();
    const isCurrent = path === base && filterOf(query) === where;
    if (!eventId && newest && isCurrent && isWide()) select(newest);
  }, [eventId, newestId, base, where, select]);

  // A URL with an event of another endpoint redirects to that endpoint.
  useEffect(() => {
    if (home !== endpointId) navigate(`/app/endpoints/${home}/events/${eventId}${suffix}`, { replace: true });
  }, [home, endpointId, eventId, suffix]);

  const ownIndex = eventId ? list.indexOf(eventId) : -1;
  // With one row per delivery, another attempt of it may have the row.
  const index = ownIndex < 0 && selected ? list.indexOfDelivery(selected.delivery.key) : ownIndex;
  const place = selected ?? (opened.current.id === eventId && eventId !== '' ? opened.current : undefined);
  return {
    /** The selected row; -1 when the event is not in the list. */
    index,
    /** Where the selected event is in time; undefined until it is known. */
    place,
    select,
  };
}
