/* Explains why an expectation was not met: the nearest events, and the first part of the filter that each fails. */
import { evaluate } from '../../core/filter/evaluate.ts';
import type { EventFacts } from '../../core/filter/event-facts.ts';
import type { EventDetail, EventSummary } from '../../features/events/model.ts';
import type { FeedPage } from '../../features/feed/model.ts';
import type { FilterTestResult } from '../../features/filters/model.ts';
import { type Filter, type Span, type Term, termsOf, textOf } from '../../shared/filter/filter.ts';
import { parseFilter } from '../../shared/filter/parser.ts';
import type { Api } from '../client/api.ts';
import { actualValue } from './clause.ts';

/** `clause`: the part of the filter that failed; `actual`: the event's value. */
export type Near = { event: EventSummary; clause: string; actual: string | undefined };

export type Arrivals = {
  /** The events after the mark, oldest first: only the newest if there are very many. */
  events: EventSummary[];
  hasMore: boolean;
};

const pageSize = 100;
const maxPages = 10;
/** How many events the server tests a filter on. */
const tested = 100;
const nearestCount = 3;
/** Contents of larger events are not read for an explanation. */
const maxExplainedBytes = 1 << 20;

type Options = { api: Pick<Api, 'call'>; endpointId: string };

/** Reads all events after a position. */
export async function readArrivals({ api, endpointId }: Options, after: string): Promise<Arrivals> {
  const events: EventSummary[] = [];
  let cursor = after;
  for (let page = 0; page < maxPages; page++) {
    const query = { after: cursor, limit: pageSize };
    const found = await api.call<FeedPage>('GET', `/api/endpoints/${encodeURIComponent(endpointId)}/feed`, { query });
    events.push(...found.events);
    if (!found.more) return { events, hasMore: false };
    cursor = found.cursor;
  }
  return { events, hasMore: true };
}

/** `hint`: how to change the filter, if its types are only in the bodies of events. */
export type Explanation = { nearest: Near[]; hint: string | null };

/** The nearest events that do not match, nearest first. @param now epoch ms, for times such as `received>2h` */
export async function explainFilter(
  { api, endpointId }: Options,
  { arrivals, where, now }: { arrivals: readonly EventSummary[]; where: string; now: number },
): Promise<Explanation> {
  if (where.trim() === '') return { nearest: [], hint: null };
  const filter = parseFilter(where);
  const { unmatched, hint } = await api.call<FilterTestResult>(
    'POST',
    `/api/endpoints/${encodeURIComponent(endpointId)}/where/test`,
    { body: { where, limit: tested } },
  );
  const arrived = new Set(arrivals.map(({ id }) => id));
  const parts = filter.parts.map(span => parseFilter(textOf(filter, span)));
  const candidates = unmatched.flatMap(({ event, clause }) => {
    if (!arrived.has(event.id)) return [];
    const failed = failedPart(filter, clause);
    const facts = factsOf(event);
    const missed = new Set(parts.flatMap((part, index) => (evaluate(part, facts, now) === false ? [index] : [])));
    return { event, failed, missed: missed.add(failed.index).size };
  });
  // Stable: of equally near events, the newest stays first.
  candidates.sort((a, b) => a.missed - b.missed || b.failed.index - a.failed.index);
  const nearest = await Promise.all(
    candidates.slice(0, nearestCount).map(async ({ event, failed: { clause, term } }) => {
      const detail = term && needsDetail(term) ? await readDetail(api, event) : undefined;
      return { event, clause, actual: term && actualValue(term, event, detail) };
    }),
  );
  return { nearest, hint };
}

/** The part of the filter with the deciding term, including its `-` and its alternatives. */
function failedPart(filter: Filter, clause: string): { index: number; clause: string; term: Term | undefined } {
  const term = termsOf(filter.root).find(one => textOf(filter, one) === clause);
  const index = term ? filter.parts.findIndex(part => isWithin(term, part)) : -1;
  const part = filter.parts[index];
  return { index, clause: part ? textOf(filter, part) : clause, term };
}

const isWithin = (inner: Span, outer: Span): boolean => inner.start >= outer.start && inner.end <= outer.end;

/** The fields of a summary. Terms about other fields stay undecided. */
const factsOf = (event: EventSummary): Partial<EventFacts> => ({
  type: event.eventType,
  platform: event.platform,
  ...(event.method !== null && { method: event.method }),
  path: event.path,
  receivedAt: event.receivedAt,
  size: event.size,
  ...(event.verdict !== null && { verdict: event.verdict }),
  attempt: event.delivery.attempt,
  tags: event.tags,
  isPinned: event.pin !== null,
});

const needsDetail = (term: Term): boolean =>
  term.on === 'content' || term.on === 'has' || (term.on === 'column' && ['verdict', 'ip'].includes(term.column));

async function readDetail(api: Options['api'], { id, size }: EventSummary): Promise<EventDetail | undefined> {
  if (size > maxExplainedBytes) return undefined;
  // The event may have been deleted; then the explanation leaves it out.
  return api.call<EventDetail>('GET', `/api/events/${encodeURIComponent(id)}`).catch(() => undefined);
}
