/* The list of an endpoint's events, newest first, a page at a time, with or without a text and a filter that they match. */

import type { MemberAccess, TeamAccess } from '../../core/access/principal.ts';
import type { Reader } from '../../core/concurrency/content-reads.ts';
import { invalidAt } from '../../core/errors.ts';
import { decodeCursor, encodeCursor, type Position } from '../../core/ids/cursor.ts';
import { defaultPageSize } from '../../core/limits.ts';
import { parseWhere } from '../../core/where.ts';
import type { IngestAddress } from '../../ingest/capture.ts';
import { type Filter, withText } from '../../shared/filter/filter.ts';
import {
  decodeFoldedCursor,
  encodeFoldedCursor,
  type Filtered,
  type FoldedPage,
  type FoldedPosition,
} from './folded-list.ts';
import type { AddMatched } from './matched.ts';
import type { EventListQuery, EventPage } from './model.ts';
import type { ReadableEndpoint, Search } from './reading.ts';
import type { EventsStore, SummaryRow } from './store.ts';
import type { Summarise } from './summaries.ts';

/** `next`: the position after which the next page begins. `isCut`: a search stopped there with its budget spent. */
type Page = { rows: SummaryRow[]; next: Position | undefined; isCut: boolean };
type Term = { q: string; filter: Filter; reader: Reader };
type ReadFolded = (
  scope: { endpoint: number; since: number },
  position: FoldedPosition,
  limit: number,
  filtered: Filtered | undefined,
) => Promise<FoldedPage>;
type PageRequest = { endpoint: IngestAddress; cutoff: number; after: Position | undefined; limit: number };

const isFiltered = ({ q, filter }: Term): boolean => q !== '' || filter.root !== undefined;

export function createEventList(options: {
  store: Pick<EventsStore, 'page' | 'rows' | 'newest'>;
  search: Search;
  findEndpoint: (principal: TeamAccess, id: string) => Promise<ReadableEndpoint>;
  summarise: Summarise;
  readFolded: ReadFolded;
  addMatched: AddMatched;
  retentionCutoff: (principal: TeamAccess, endpoint: ReadableEndpoint) => number;
}) {
  const { store, search, findEndpoint, summarise, readFolded, addMatched, retentionCutoff } = options;

  // Both read one more than the limit, to know whether there is a next page.
  const readPage = async ({ endpoint, cutoff, after, limit }: PageRequest): Promise<Page> => {
    const rows = await store.page(endpoint.seq, cutoff, after, limit + 1);
    const shown = rows.slice(0, limit);
    return { rows: shown, next: rows.length > limit ? shown.at(-1) : undefined, isCut: false };
  };

  /** Reads the next positions of a search. */
  const searching =
    ({ endpoint, cutoff }: PageRequest, { q, filter, reader }: Term) =>
    (after: Position | undefined, limit: number) =>
      search.find({ endpoint: endpoint.seq, q, where: { filter, endpoint }, since: cutoff, after, limit, reader });

  const rowsInOrder = async (
    { endpoint, cutoff, limit }: PageRequest,
    shown: readonly Position[],
  ): Promise<SummaryRow[]> => {
    const order = new Map(shown.map(({ seq }, i) => [seq, i]));
    const rows = await store.rows(endpoint.seq, cutoff, { seqs: [...order.keys()] }, limit);
    return rows.sort((a, b) => (order.get(a.seq) ?? 0) - (order.get(b.seq) ?? 0));
  };

  const searchPage = async (request: PageRequest, term: Term): Promise<Page> => {
    const { after, limit } = request;
    const { found, next } = await searching(request, term)(after, limit + 1);
    const shown = found.slice(0, limit);
    const isFull = found.length > limit;
    const rows = await rowsInOrder(request, shown);
    return { rows, next: isFull ? shown.at(-1) : next, isCut: !isFull && next !== undefined };
  };

  /** One row per delivery. */
  const foldedPage = async (request: PageRequest, upTo: number, term: Term): Promise<Page> => {
    const { endpoint, cutoff, after, limit } = request;
    const scope = { endpoint: endpoint.seq, since: cutoff };
    const filtered: Filtered = {
      read: searching(request, term),
      matching: seqs =>
        search.matching(
          { endpoint: endpoint.seq, q: term.q, where: { filter: term.filter, endpoint }, reader: term.reader },
          seqs,
        ),
    };
    const { shown, ...rest } = await readFolded(scope, { after, upTo }, limit, isFiltered(term) ? filtered : undefined);
    return { rows: await rowsInOrder(request, shown), ...rest };
  };

  /** `upTo` is present with one row per delivery. @throws invalid */
  const positionOf = async ({
    cursor,
    group,
  }: EventListQuery): Promise<{ after: Position | undefined; upTo?: number }> => {
    if (cursor === undefined) return { after: undefined, ...(group && { upTo: await store.newest() }) };
    const after = group ? undefined : decodeCursor(cursor);
    const position = group ? decodeFoldedCursor(cursor) : after && { after };
    if (!position) throw invalidAt(['cursor'], 'invalid', 'invalid cursor');
    return position;
  };

  /**
   * @param signal aborted when the client disconnects
   * @param showsMatched whether events say where they match
   * @throws invalid for the cursor, the term and the filter, not_found for the endpoint; as `ContentReads.run`
   */
  return async (
    principal: MemberAccess,
    query: EventListQuery,
    signal?: AbortSignal,
    { showsMatched = false } = {},
  ): Promise<EventPage> => {
    const limit = query.limit === undefined ? defaultPageSize : Number(query.limit);
    const { after, upTo } = await positionOf(query);
    const { q = '', where = '' } = query;
    search.checkTerm(q);
    const filter = parseWhere(where);
    const endpoint = await findEndpoint(principal, query.endpointId);
    const request = { endpoint, cutoff: retentionCutoff(principal, endpoint), after, limit };
    const reader = { ...principal, signal };
    const term: Term = { q, filter, reader };
    const read = (): Promise<Page> => {
      if (upTo !== undefined) return foldedPage(request, upTo, term);
      return isFiltered(term) ? searchPage(request, term) : readPage(request);
    };
    const { rows, next, isCut } = await read();
    const encode = (position: Position): string =>
      upTo === undefined ? encodeCursor(position) : encodeFoldedCursor(position, upTo);
    const events = await summarise(endpoint, request.cutoff, rows, reader);
    return {
      events: showsMatched ? await addMatched(request, rows, events, withText(filter, q), reader) : events,
      nextCursor: next ? encode(next) : null,
      scannedTo: next && isCut ? next.receivedAt : null,
    };
  };
}
