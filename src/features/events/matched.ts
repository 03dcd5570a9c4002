/*
 * Adds to the events of a page where they match its filter. Reads their contents again, in time slices, and a bounded number of
 * bytes for each page, for a bounded time: the search has read far more.
 */

import { groupBySize, withinBytes } from '../../core/blocks/group-by-size.ts';
import type { Clock } from '../../core/clock.ts';
import type { ContentReads, Reader } from '../../core/concurrency/content-reads.ts';
import { advance, type CreateSlices } from '../../core/concurrency/time-slices.ts';
import { createEventContent } from '../../core/filter/event-content.ts';
import type { EventFacts } from '../../core/filter/event-facts.ts';
import { findMatches, hasMatches } from '../../core/filter/matches.ts';
import { largeBodyBytes } from '../../core/limits.ts';
import { pick } from '../../core/pick.ts';
import type { Filter } from '../../shared/filter/filter.ts';
import type { EventSummary, Matched } from './model.ts';
import type { EventsStore, SummaryRow } from './store.ts';

/** The most bytes of bodies in memory at once, unless one is larger. */
const maxHeldBytes = 4 << 20;
/** The events after these bytes have no matches, unless the first event alone is larger. */
const maxPageBytes = 16 << 20;
/** After this much work, without pauses, the current event and all later ones have no matches. */
const maxPageMs = 1000;

/**
 * @param events the summaries of the rows, in their order
 * @param filter the filter that the events meet
 * @throws as `ContentReads.run`
 */
export type AddMatched = (
  scope: { endpoint: { seq: number }; cutoff: number },
  rows: readonly SummaryRow[],
  events: EventSummary[],
  filter: Filter,
  reader: Reader,
) => Promise<EventSummary[]>;

export function createMatched(options: {
  store: Pick<EventsStore, 'rowsWithContent'>;
  clock: Pick<Clock, 'now' | 'monotonic'>;
  createSlices: CreateSlices;
  contentReads: ContentReads;
}): AddMatched {
  const { store, clock, createSlices, contentReads } = options;
  /** Does steps while there is time left. */
  function* within(left: { ms: number }, steps: Generator<undefined, Matched[]>): Generator<undefined, Matched[]> {
    while (left.ms > 0) {
      const startedAt = clock.monotonic();
      const { done, value } = steps.next();
      left.ms -= clock.monotonic() - startedAt;
      if (done) return value;
      yield;
    }
    return [];
  }

  return async ({ endpoint, cutoff }, rows, events, filter, reader) => {
    if (rows.length === 0 || !hasMatches(filter)) return events;
    const now = clock.now();
    const yieldIfDue = createSlices(reader.signal);
    const summaries = new Map(rows.map(({ seq }, i) => [seq, events[i]]));
    const matched = new Map<EventSummary, Matched[]>();
    const small = withinBytes(rows, maxPageBytes);
    const left = { ms: maxPageMs };
    const hasLarge = small.some(({ size }) => size > largeBodyBytes);
    await contentReads.run(hasLarge ? reader : undefined, async read => {
      for (const group of groupBySize(small, maxHeldBytes)) {
        if (left.ms <= 0) break;
        for (const { seq, sourceIp, ...row } of await store.rowsWithContent(endpoint.seq, cutoff, group, read)) {
          const event = summaries.get(seq);
          const facts = event && { ...knownFacts(event), sourceIp, content: createEventContent(row) };
          if (facts) matched.set(event, await advance(within(left, findMatches(filter, facts, now)), yieldIfDue));
        }
      }
    });
    return events.map(event => ({ ...event, matched: matched.get(event) ?? [] }));
  };
}

/** What a summary tells of the facts that filters use. */
const knownFacts = (event: EventSummary): Partial<EventFacts> => ({
  ...pick(event, 'platform', 'method', 'path', 'receivedAt', 'size', 'tags'),
  type: event.eventType,
  attempt: event.delivery.attempt,
  answered: event.answered.status,
  isPinned: event.pin !== null,
  isRefused: event.refused !== null,
  isRedacted: event.redacted !== null,
  ...(event.verdict !== null && { verdict: event.verdict }),
});
