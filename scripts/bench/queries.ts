/* What a client asks of a history, timed from outside, and an event with a term of its own to look for. */
import type { Api } from '../lib/api.ts';
import { ensure } from '../lib/checks.ts';
import { orderPayloads, type Payload } from '../lib/payloads.ts';

/** Every order has it, in its text. */
const commonTerm = 'neighbours';
const pageSize = 25;

export type Term = keyof typeof found;
/** How many events a search for the term finds, at most a page. */
const found = { absent: 0, rare: 1, common: pageSize };
export const terms = Object.keys(found) as Term[];

export type Haystack = { api: Api; endpointId: string; rare: string };

/** A term that one event alone is to have, and that event. */
export function rareOrder(): { rare: string; payload: Payload } {
  const rare = `q7${crypto.randomUUID().replaceAll('-', '')}`;
  const [order] = orderPayloads(1);
  const text = new TextDecoder().decode(order?.body).replace('Leave it', rare);
  return { rare, payload: { event: 'order.paid', body: new TextEncoder().encode(text) } };
}

/**
 * Milliseconds until the search has found what it is to find, through as many pages as that takes. An absent term is another
 * one each time.
 * @throws when it finds more or less.
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

/** Milliseconds until the whole answer is here. */
export async function getMs(api: Api, path: string): Promise<number> {
  const startedAt = performance.now();
  await (await api.get(path)).arrayBuffer();
  return performance.now() - startedAt;
}
