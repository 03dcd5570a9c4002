/* The next older event of a list, also beyond the rows that are loaded: the server is asked for what comes before a place. */

import type { EventPage, EventSummary } from '../../../features/events/model.ts';
import { joinParts, partsOf } from '../filter/filter-text.ts';

/** An event's place in the list: newest first, and by id within a millisecond. */
export type Place = Pick<EventSummary, 'id' | 'receivedAt'>;

export const isOlder = (event: Place, than: Place): boolean =>
  event.receivedAt < than.receivedAt || (event.receivedAt === than.receivedAt && event.id < than.id);

/** A search in bodies is answered in pages of a quarter of a second. */
const maxPages = 40;

type OlderOptions = {
  where: string;
  /** What the event has to be besides, as a term of a filter. */
  term?: string;
  /** The newest place that is not looked at any more. */
  than: Place;
  /** What no filter says exactly. */
  isWanted?: (event: EventSummary) => boolean;
  /** Asks the server for a page of events that match a filter, newest first. */
  fetchPage: (where: string, cursor: string | undefined) => Promise<EventPage>;
  isOver?: () => boolean;
};

/** Undefined if no such event exists, or if the search takes more than about ten seconds. */
export async function findOlder(options: OlderOptions): Promise<EventSummary | undefined> {
  const { where, term, than, isWanted = () => true, fetchPage, isOver = () => false } = options;
  const until = `received<=${new Date(than.receivedAt).toISOString()}`;
  const filter = joinParts([...partsOf(where), ...(term === undefined ? [] : [term]), until]);
  let cursor: string | undefined;
  for (let pages = 0; pages < maxPages && !isOver(); pages++) {
    const page = await fetchPage(filter, cursor);
    const found = page.events.find(event => isOlder(event, than) && isWanted(event));
    if (found || page.nextCursor === null) return found;
    cursor = page.nextCursor;
  }
  return undefined;
}
