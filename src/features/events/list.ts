/* The list of an endpoint's events, newest first, a page at a time, all or those that match a text and a filter. */
import { createSemaphore } from '../../core/concurrency/semaphore.ts';
import { decodeCursor, encodeCursor, type Position } from '../../core/cursor.ts';
import { invalid } from '../../core/errors.ts';
import { defaultPageSize } from '../../core/limits.ts';
import type { TeamAccess } from '../../core/principal.ts';
import { parseWhere } from '../../core/where.ts';
import type { IngestAddress } from '../../ingest/capture.ts';
import type { Filter } from '../../shared/filter/filter.ts';
import { toSummary } from './event-json.ts';
import type { EventListQuery, EventPage } from './model.ts';
import type { ReadableEndpoint, Search } from './service.ts';
import type { ReadSignatures } from './signatures.ts';
import type { EventsStore, SummaryRow } from './store.ts';

/** `next`: the position after which the next page begins. `isCut`: a search stopped there with its budget spent. */
type Page = { rows: SummaryRow[]; next: Position | undefined; isCut: boolean };
type PageRequest = { endpoint: IngestAddress; cutoff: number; after: Position | undefined; limit: number };

/** Searches of one team that run at the same time: each holds some blocks of events, or its largest event. */
const maxSearchesPerTeam = 4;

export function createEventList(options: {
  store: Pick<EventsStore, 'page' | 'rows'>;
  search: Search;
  findEndpoint: (principal: TeamAccess, id: string) => Promise<ReadableEndpoint>;
  readSignatures: ReadSignatures;
  retentionCutoff: (principal: TeamAccess, endpoint: ReadableEndpoint) => number;
}) {
  const { store, search, findEndpoint, readSignatures, retentionCutoff } = options;
  const searches = createSemaphore(maxSearchesPerTeam);

  // Both read one more than the limit, to know whether there is a next page.
  const readPage = async ({ endpoint, cutoff, after, limit }: PageRequest): Promise<Page> => {
    const rows = await store.page(endpoint.seq, cutoff, after, limit + 1);
    const shown = rows.slice(0, limit);
    return { rows: shown, next: rows.length > limit ? shown.at(-1) : undefined, isCut: false };
  };

  const searchPage = async (
    { endpoint, cutoff, after, limit }: PageRequest,
    { q, filter, signal, teamId }: { q: string; filter: Filter; signal: AbortSignal | undefined; teamId: string },
  ): Promise<Page> => {
    const place = { endpoint: endpoint.seq, q };
    const { found, next } = await searches.run(teamId, async () =>
      // Its client left while the search waited in the queue.
      signal?.aborted
        ? { found: [], next: undefined }
        : search.find({ ...place, where: { filter, endpoint }, since: cutoff, after, limit: limit + 1, signal }),
    );
    const shown = found.slice(0, limit);
    const isFull = found.length > limit;
    const order = new Map(shown.map(({ seq }, i) => [seq, i]));
    const rows = await store.rows(endpoint.seq, cutoff, { seqs: [...order.keys()] }, limit);
    rows.sort((a, b) => (order.get(a.seq) ?? 0) - (order.get(b.seq) ?? 0));
    return { rows, next: isFull ? shown.at(-1) : next, isCut: !isFull && next !== undefined };
  };

  /**
   * @param signal aborted when the client disconnects: a search may stop
   * @throws invalid for the cursor, the term and the filter, not_found for the endpoint
   */
  return async (principal: TeamAccess, query: EventListQuery, signal?: AbortSignal): Promise<EventPage> => {
    const limit = query.limit === undefined ? defaultPageSize : Number(query.limit);
    const after = query.cursor === undefined ? undefined : decodeCursor(query.cursor);
    if (query.cursor !== undefined && !after) throw invalid('invalid cursor');
    const { q = '', where = '' } = query;
    search.checkTerm(q);
    const filter = parseWhere(where);
    const endpoint = await findEndpoint(principal, query.endpointId);
    const request = { endpoint, cutoff: retentionCutoff(principal, endpoint), after, limit };
    const { rows, next, isCut } =
      q === '' && filter.root === undefined
        ? await readPage(request)
        : await searchPage(request, { q, filter, signal, teamId: principal.teamId });
    const signatures = await readSignatures(endpoint, request.cutoff, rows);
    return {
      events: rows.map((row, i) => toSummary(row, signatures[i] ?? null)),
      nextCursor: next ? encodeCursor(next) : null,
      scannedTo: next && isCut ? next.receivedAt : null,
    };
  };
}
