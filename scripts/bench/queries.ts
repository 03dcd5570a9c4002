/* Timed requests to a history, and an event with a unique term to search for. */
import type { Api } from '../lib/api.ts';
import { ensure } from '../lib/checks.ts';
import { orderPayloads, type Payload } from '../lib/payloads.ts';

/** A word in the text of every order. */
const commonTerm = 'neighbours';
const pageSize = 25;

export type Term = keyof typeof found;
/** The number of events on the first page of a search for the term. */
const found = { absent: 0, rare: 1, common: pageSize };
export const terms = Object.keys(found) as Term[];

export type Haystack = { api: Api; endpointId: string; rare: string };

/** A unique term, and the only event that contains it. */
export function rareOrder(): { rare: string; payload: Payload } {
  const rare = `q7${crypto.randomUUID().replaceAll('-', '')}`;
  const [order] = orderPayloads(1);
  const text = new TextDecoder().decode(order?.body).replace('Leave it', rare);
  return { rare, payload: { event: 'order.paid', body: new TextEncoder().encode(text) } };
}

/**
 * Milliseconds until the search has returned the expected number of events, over as many pages as necessary. Each search for an
 * absent term uses a new one.
 * @throws if it finds more or fewer events
 */
export async function searchMs({ api, endpointId, rare }: Haystack, term: Term, signal?: AbortSignal): Promise<number> {
  const text = { absent: () => crypto.randomUUID().replaceAll('-', ''), rare: () => rare, common: () => commonTerm };
  const query = new URLSearchParams({ endpointId, q: text[term](), limit: String(pageSize) });
  const startedAt = performance.now();
  let count = 0;
  do {
    const page = (await (await api.get(`/api/events?${query}`, signal)).json()) as {
      events: [];
      nextCursor: string | null;
    };
    count += page.events.length;
    if (page.nextCursor === null) break;
    query.set('cursor', page.nextCursor);
  } while (count < found[term]);
  const ms = performance.now() - startedAt;
  ensure(count === found[term], `${count} events found for the ${term} term`);
  return ms;
}

/** Milliseconds until the complete response has arrived. */
export async function getMs(api: Api, path: string): Promise<number> {
  const startedAt = performance.now();
  await (await api.get(path)).arrayBuffer();
  return performance.now() - startedAt;
}
