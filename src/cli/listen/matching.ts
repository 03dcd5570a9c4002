/* Which maps match an event. The server is asked once for a page, if a filter depends on what only it knows. */

import { evaluate } from '../../core/filter/evaluate.ts';
import { createEventContent } from '../../core/filter/event-content.ts';
import type { EventFacts } from '../../core/filter/event-facts.ts';
import { decodeFeedCursor } from '../../core/ids/feed-cursor.ts';
import type { FeedEvent, FeedPage } from '../../features/feed/model.ts';
import { type Filter, FilterError, termsOf } from '../../shared/filter/filter.ts';
import { parseFilter } from '../../shared/filter/parser.ts';
import type { Api } from '../client/api.ts';
import type { CapturedEvent, ViewFilter } from './model.ts';

type Map = { where: string; filter: Filter };

/** The server counts attempts only up to this number. */
const maxAttempt = 100;
const pageEvents = 100;

/** The fields of a captured event. A missing one leaves a filter undecided. */
function factsOf(event: CapturedEvent): Partial<EventFacts> {
  const { type, platform, method, path, receivedAt, size, verdict, headers, query, body } = event;
  return {
    type,
    platform,
    method,
    path,
    receivedAt,
    size,
    ...(verdict !== null && { verdict }),
    ...(query !== undefined && { content: createEventContent({ headers, query, body }) }),
  };
}

const factsOfSummary = ({ tags, pin, delivery }: FeedEvent): Partial<EventFacts> => ({
  tags,
  isPinned: pin !== null,
  ...(delivery.attempt < maxAttempt && { attempt: delivery.attempt }),
});

/** Whether the filter depends on the server's clock, as in "newer than two hours ago". */
const dependsOnClock = ({ root }: Filter): boolean =>
  termsOf(root).some(
    term =>
      term.on === 'column' &&
      term.column === 'received' &&
      [term.range.from, term.range.to].some(moment => moment !== undefined && 'ago' in moment),
  );

export type Page = {
  /** The position before its first event, and after its last one. */
  after: string;
  until: string;
  events: readonly { summary: FeedEvent; captured: CapturedEvent | undefined }[];
};

type Range = Pick<Page, 'after' | 'until'>;

/** @returns the numbers of the matching maps for each event @throws RefusedError, UnreachableError */
export async function wantedBy(
  maps: readonly Map[],
  { events, ...range }: Page,
  ask: (where: string, range: Range, ids: readonly string[]) => Promise<ReadonlySet<string>>,
): Promise<number[][]> {
  const columns = await Promise.all(
    maps.map(async ({ where, filter }): Promise<boolean[]> => {
      const local = events.map(({ summary, captured }) => decide(filter, summary, captured));
      if (!local.includes(undefined)) return local as boolean[];
      const ids = events.map(({ summary }) => summary.id);
      const found = await ask(where, range, ids);
      return ids.map((id, at) => local[at] ?? found.has(id));
    }),
  );
  return events.map((_, at) => columns.flatMap((column, map) => (column[at] ? [map] : [])));
}

function decide(filter: Filter, summary: FeedEvent, captured: CapturedEvent | undefined): boolean | undefined {
  if (filter.root === undefined) return true;
  if (!captured || dependsOnClock(filter)) return undefined;
  return evaluate(filter, { ...factsOf(captured), ...factsOfSummary(summary) }, captured.receivedAt);
}

/** Whether a map matches an event that did not come from the feed, as far as this can be decided here. */
export const isWanted = ({ filter }: Map, event: CapturedEvent): boolean =>
  evaluate(filter, factsOf(event), event.receivedAt) === true;

/** Asks the server which of the events of a page match. */
export const askServer =
  (api: Api, endpointId: string, signal: AbortSignal) =>
  async (where: string, { after, until }: Range, ids: readonly string[]): Promise<ReadonlySet<string>> => {
    const wanted = new Set(ids);
    const found = new Set<string>();
    const end = decodeFeedCursor(endpointId, until) ?? Infinity;
    const isPast = (cursor: string): boolean => (decodeFeedCursor(endpointId, cursor) ?? 0) >= end;
    for (let cursor = after; ; ) {
      const query = { after: cursor, where, limit: pageEvents };
      const page = await api.call<FeedPage>('GET', `/api/endpoints/${endpointId}/feed`, { query, signal });
      for (const { id } of page.events) if (wanted.has(id)) found.add(id);
      // The feed is ordered, so an event that is not on the page comes after it.
      if (!page.more || page.events.some(({ id }) => !wanted.has(id)) || isPast(page.cursor)) return found;
      cursor = page.cursor;
    }
  };

/** For the terminal view: events for which the filter is undecided are shown. */
export function readViewFilter(where: string, now: () => number): ViewFilter {
  try {
    const filter = parseFilter(where);
    return { isOk: true, matches: event => evaluate(filter, factsOf(event), now()) ?? true };
  } catch (error) {
    if (!(error instanceof FilterError)) throw error;
    return { isOk: false, message: error.message, position: error.position };
  }
}
