/* The event to compare the open one with: the previous one of its type and platform, in the loaded rows or else from the server. */

import type { EventDetail, EventSummary } from '../../../features/events/model.ts';
import { api } from '../../kit/api.ts';
import { useQuery } from '../../kit/use-query.ts';
import { joinParts, termFor } from '../filter/filter-text.ts';
import type { LiveList } from '../live/live-list.ts';
import { findOlder } from '../live/older-event.ts';

const maxDistance = 500;

type Options = {
  list: LiveList;
  where: string;
  /** The row of the open event; -1 when the list does not have it. */
  index: number;
  length: number;
  event: EventDetail | undefined;
};

/** The id of the event; null without such an event, undefined until that is known. */
export function useComparable({ list, where, index, length, event }: Options): string | null | undefined {
  const listed = where === '' ? inList(list, index, length) : undefined;
  const asked = listed === undefined ? event : undefined;
  const found = useQuery(asked?.id ?? '', async () => asked && (await onServer(asked)));
  return listed ?? (asked && found.value);
}

type Typed = Pick<EventSummary, 'eventType' | 'platform'>;

const isSameType = (one: Typed, other: Typed): boolean =>
  one.eventType === other.eventType && one.platform === other.platform;

function inList(list: LiveList, index: number, length: number): string | undefined {
  const selected = list.at(index);
  if (index < 0 || !selected) return undefined;
  for (let at = index + 1; at < Math.min(length, index + maxDistance); at++) {
    const other = list.at(at);
    if (other && isSameType(other, selected)) return other.id;
  }
  return undefined;
}

/** The events of the same type and platform, and perhaps others: a text with control characters fits into no filter. */
export function sameTypeFilter({ eventType, platform }: Typed): string {
  const terms = [
    eventType === null ? 'NOT type:*' : termFor('type', eventType),
    platform === null ? 'NOT platform:*' : termFor('platform', platform),
  ];
  return joinParts(terms.filter(term => term !== undefined));
}

const onServer = async (event: EventDetail): Promise<string | null> => {
  const found = await findOlder({
    where: sameTypeFilter(event),
    than: event,
    isWanted: one => isSameType(one, event),
    fetchPage: (filter, cursor) => api.events(event.endpointId, cursor, filter, { limit: 5 }),
  });
  return found?.id ?? null;
};
