/*
 * The event to compare the open one with: the next older one of its type and platform, else the next older one. Where the list ends, or
 * its filter leaves out the open event, the server is asked, for all events of the endpoint.
 */

import type { EventDetail, EventSummary } from '../../../features/events/model.ts';
import { api } from '../../kit/api.ts';
import { useQuery } from '../../kit/use-query.ts';
import { joinParts, termFor } from '../filter/filter-text.ts';
import type { LiveList } from '../live/live-list.ts';
import { findOlder } from '../live/older-event.ts';

/** How many older rows are searched for an event of the same type. */
const maxDistance = 500;

type Options = {
  list: LiveList;
  /** The row of the open event; -1 when the list does not have it. */
  index: number;
  length: number;
  /** The open event, once it is loaded. */
  event: EventDetail | undefined;
};

/** Undefined as long as none is known. */
export function useComparable({ list, index, length, event }: Options): string | undefined {
  const listed = inList(list, index, length);
  const asked = listed === undefined ? event : undefined;
  const found = useQuery(asked?.id ?? '', async () => asked && (await onServer(asked)));
  return listed ?? found.value;
}

function inList(list: LiveList, index: number, length: number): string | undefined {
  const selected = list.at(index);
  if (index < 0 || !selected) return undefined;
  for (let at = index + 1; at < Math.min(length, index + maxDistance); at++) {
    const other = list.at(at);
    if (other && other.eventType === selected.eventType && other.platform === selected.platform) return other.id;
  }
  return list.at(index + 1)?.id;
}

async function onServer(event: EventDetail): Promise<string | undefined> {
  const find = (where: string): Promise<EventSummary | undefined> =>
    findOlder({
      where,
      than: event,
      fetchPage: (filter, cursor) => api.events(event.endpointId, cursor, filter, { limit: 5 }),
    });
  const { eventType, platform } = event;
  const likeIt = [
    eventType === null ? undefined : termFor('type', eventType),
    platform === null ? undefined : termFor('platform', platform),
  ].filter(term => term !== undefined);
  const alike = likeIt.length > 0 ? await find(joinParts(likeIt)) : undefined;
  return (alike ?? (await find('')))?.id;
}
