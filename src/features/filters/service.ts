/*
 * Saved filters, which the whole team shares; and trying a filter out on the newest events of an endpoint. A saved filter is checked when
 * it is saved. Its name is for people: it need not be unique.
 */

import type { MemberAccess, TeamAccess } from '../../core/access/principal.ts';
import type { Clock } from '../../core/clock.ts';
import type { Reader } from '../../core/concurrency/content-reads.ts';
import { inField, limitReached, notFound } from '../../core/errors.ts';
import { newId, type RandomBytes, seqOf } from '../../core/ids/ids.ts';
import { maxFiltersPerEndpoint } from '../../core/limits.ts';
import { readName } from '../../core/text.ts';
import { parseWhere } from '../../core/where.ts';
import { type Filter, termsOf } from '../../shared/filter/filter.ts';
import type { EventSummary } from '../events/model.ts';
import type { ReadableEndpoint } from '../events/reading.ts';
import type { FilterInput, FilterTest, FilterTestResult, SavedFilter } from './model.ts';
import { type FindMatching, readSelection } from './selection.ts';
import type { FilterRow, FiltersStore } from './store.ts';

/** `signal`: aborted when the client disconnects. */
type ReadingMember = MemberAccess & Reader;

export type FiltersService = ReturnType<typeof createFiltersService>;

const defaultTested = 10;

export function createFiltersService(options: {
  store: FiltersStore;
  clock: Pick<Clock, 'now'>;
  random: RandomBytes;
  /** @throws not_found */
  endpoint: (principal: TeamAccess, id: string) => Promise<ReadableEndpoint>;
  /** The newest events of an endpoint. */
  newest: (reader: ReadingMember, endpointId: string, limit: number) => Promise<EventSummary[]>;
  /**
   * For each event with one of these row numbers: whether it matches, and the text of the term that decided. The last events are
   * missing if the search has spent its budget.
   */
  explain: (
    filter: Filter,
    endpoint: ReadableEndpoint,
    seqs: readonly number[],
    reader: Reader,
  ) => Promise<Map<number, { matches: boolean; clause: string }>>;
  find: FindMatching;
  retentionCutoff: (principal: TeamAccess, endpoint: ReadableEndpoint) => number;
}) {
  const { store, clock, random, endpoint: findEndpoint, newest, explain, find, retentionCutoff } = options;

  return {
    /** The endpoint's filters, oldest first. @throws not_found */
    async list(principal: TeamAccess, endpointId: string): Promise<SavedFilter[]> {
      const { seq } = await findEndpoint(principal, endpointId);
      return (await store.listOf({ teamId: principal.teamId, endpoint: seq })).map(toFilter);
    },

    /** @throws invalid for the name and the filter, not_found, limit_reached */
    async create(principal: TeamAccess, endpointId: string, request: FilterInput): Promise<SavedFilter> {
      const name = inField(['name'], () => readName(request.name));
      const { text } = readSelection(request.where);
      const { seq: endpoint } = await findEndpoint(principal, endpointId);
      const createdAt = clock.now();
      const row = { id: newId('flt', createdAt, random), endpoint, name, filter: Buffer.from(text), createdAt };
      if (await store.insertWithin(maxFiltersPerEndpoint, principal, row)) return toFilter(row);
      await findEndpoint(principal, endpointId);
      throw limitReached(`an endpoint has at most ${maxFiltersPerEndpoint} filters: delete one first`);
    },

    /** @throws not_found for the endpoint and the filter */
    async remove(principal: TeamAccess, endpointId: string, id: string): Promise<void> {
      const { seq } = await findEndpoint(principal, endpointId);
      if (!(await store.remove({ teamId: principal.teamId, endpoint: seq }, id))) throw notFound('filter');
    },

    /**
     * Tries a filter on the newest events, as many as a call has time for.
     * @param signal aborted when the client disconnects
     * @throws invalid for the filter, not_found; as `ContentReads.run`
     */
    async test(
      principal: MemberAccess,
      endpointId: string,
      request: FilterTest,
      signal?: AbortSignal,
    ): Promise<FilterTestResult> {
      const reader = { ...principal, signal };
      const filter = parseWhere(request.where);
      const endpoint = await findEndpoint(principal, endpointId);
      const events = await newest(reader, endpointId, request.limit ?? defaultTested);
      const results = await explain(filter, endpoint, events.map(seqOf), reader);
      const tested = events.findLastIndex(event => results.has(seqOf(event))) + 1;
      const result: FilterTestResult = { matched: [], unmatched: [], untested: events.length - tested, hint: null };
      for (const event of events) {
        // An event without a result was removed since.
        const { matches, clause } = results.get(seqOf(event)) ?? { matches: undefined, clause: '' };
        if (matches) result.matched.push(event);
        else if (matches === false) result.unmatched.push({ event, clause });
      }
      if (result.matched.length > 0) return result;
      const since = retentionCutoff(principal, endpoint);
      const hint = await typeHint(filter, async one => {
        const search = { endpoint: endpoint.seq, q: '', where: { filter: one, endpoint }, since, after: undefined };
        const { found, next } = await find({ ...search, limit: 1, reader });
        return found.length > 0 || (next ? undefined : false);
      });
      return { ...result, hint };
    },
  };
}

const toFilter = ({ id, name, filter, createdAt }: FilterRow): SavedFilter => ({
  id,
  name,
  where: filter.toString(),
  createdAt,
});

/**
 * @param matches whether the filter matches an event of the endpoint; undefined if it had no time to find out
 * @returns null without such a reason
 */
export async function typeHint(
  filter: Filter,
  matches: (filter: Filter) => Promise<boolean | undefined>,
): Promise<string | null> {
  const types = termsOf(filter.root).filter(term => term.on === 'column' && term.column === 'type');
  if (types.length === 0 || (await matches(filter)) !== false) return null;
  const characters = [...filter.text];
  for (const { start } of types.toReversed()) characters.splice(start, 0, 'body.');
  const inBody = characters.join('');
  if (!(await matches(parseWhere(inBody)))) return null;
  return `No event has such an event type, but some have it in their body. Try: ${inBody}`;
}
