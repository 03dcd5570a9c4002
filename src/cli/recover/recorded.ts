/* Which deliveries an endpoint has, by the header that identifies them. */
import type { EventPage } from '../../features/events/model.ts';
import { maxErasedGuids } from '../../shared/limits.ts';
import type { Api } from '../client/api.ts';

export const idHeader = 'x-github-delivery';

/** A filter has at most 2 KiB and 50 terms. */
const maxFilterCharacters = 1900;
const maxFilterTerms = 40;
const pageSize = 100;
/** The clocks of GitHub and the server may differ. */
const marginMs = 3_600_000;

/** Reads the newest ids, then looks for the missing ones: GitHub may list only the redelivery of an older delivery. */
export async function findRecorded(
  api: Api,
  { endpointId, guids, since }: { endpointId: string; guids: readonly string[]; since: number },
): Promise<Set<string>> {
  const recorded = new Set<string>();
  if (guids.length === 0) return recorded;
  await find(api, endpointId, `received>=${new Date(since - marginMs).toISOString()} header.${idHeader}:*`, recorded);
  const missing = guids.filter(guid => !recorded.has(guid));
  for (const filter of filtersOf(missing)) await find(api, endpointId, filter, recorded);
  return recorded;
}

/** GUIDs that an erasure deleted: they must not come back. */
export async function findErased(
  api: Api,
  { endpointId, guids }: { endpointId: string; guids: readonly string[] },
): Promise<Set<string>> {
  const found = new Set<string>();
  const path = `/api/endpoints/${encodeURIComponent(endpointId)}/erased-deliveries`;
  for (let at = 0; at < guids.length; at += maxErasedGuids) {
    const query = { guids: guids.slice(at, at + maxErasedGuids).join(',') };
    const { erased } = await api.call<{ erased: string[] }>('GET', path, { query });
    for (const guid of erased) found.add(guid);
  }
  return found;
}

function filtersOf(guids: readonly string[]): string[] {
  const filters: string[] = [];
  const terms: string[] = [];
  for (const guid of guids) {
    const term = `header.${idHeader}:"${guid}"`;
    const isFull = terms.length === maxFilterTerms || [...terms, term].join(' OR ').length > maxFilterCharacters;
    if (isFull) filters.push(terms.splice(0).join(' OR '));
    terms.push(term);
  }
  return terms.length > 0 ? [...filters, terms.join(' OR ')] : filters;
}

/** Each event says which value matched. */
async function find(api: Api, endpointId: string, where: string, recorded: Set<string>): Promise<void> {
  for (let cursor: string | undefined; ; ) {
    const query = { endpointId, where, limit: pageSize, cursor };
    const page: EventPage = await api.call('GET', '/api/events', { query });
    for (const { matched } of page.events)
      for (const { field, text } of matched) if (field === `header.${idHeader}`) recorded.add(text);
    if (page.nextCursor === null) return;
    cursor = page.nextCursor;
  }
}
