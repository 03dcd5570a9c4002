/*
 * Finds an endpoint's events that meet a condition, newest first. Signatures only select candidate blocks; columns and the stored
 * texts decide, so results are exact as soon as an event is stored. Three sources are merged in list order: signatures of single
 * blocks, runs of older ones (candidates.ts), and rows of 1.0 that are in no block, all of which are read. A match is returned
 * once no source can have an earlier one. A condition with columns that signatures cannot narrow is checked on the rows of the list
 * instead (list-search.ts). A call works within a budget; when that is spent, it returns the position where the next call continues.
 * Pinned events that are older than the retention window come last in the list; there are few of them, and all are read.
 */

import { createBatchSize } from '../../core/concurrency/batch-size.ts';
import type { ContentRead } from '../../core/concurrency/content-reads.ts';
import { invalidAt } from '../../core/errors.ts';
import type { Position } from '../../core/ids/cursor.ts';
import { firstCharacters } from '../../core/text.ts';
import { maxSearchCharacters } from '../../shared/limits.ts';
import { type Budget, type BudgetLimits, createBudget } from './budget.ts';
import { ChangedError, createCandidates, firstPageSize } from './candidates.ts';
import { type Condition, filterCondition, textCondition } from './condition.ts';
import type { EventFilter } from './event-filter.ts';
import { byListOrder, firstListed, isListedAfter } from './list-order.ts';
import { createListSearch, type Found, type Work } from './list-search.ts';
import type { ListRest } from './rows-store.ts';
import type { Opening, SearchStore } from './store.ts';
import { createUnsigned } from './unsigned.ts';
import { createVerifier } from './verify.ts';

export type Search = {
  endpoint: number;
  /** An empty text matches everything. */
  q: string;
  /** undefined matches every event. */
  filter?: EventFilter | undefined;
  /** The oldest time of receipt to show. Pinned events may be older. */
  since: number;
  /** Only events after this position of the list. */
  after: Position | undefined;
  limit: number;
  /** Ends the search when its client disconnects. */
  read: ContentRead;
};

/**
 * How many blocks one step reads: at first, and at most. Reading only rows is quick. Large events take long, so the number follows
 * the time.
 */
const firstBlocks = 2;
const blocksMs = 50;
const maxBlocks = { contents: 32, rows: 256 };
/** The cost of reading only the rows of a block, as a part of the cost of reading the block. */
const costOfRows = 1 / 16;
/** How many pinned events one step reads. */
const pinnedAtOnce = 32;

export function createFinder(options: {
  store: SearchStore;
  monotonic: () => number;
  /** false if every search reads all events instead of using signatures. */
  indexed: boolean;
  budget: BudgetLimits;
}) {
  const { store, monotonic, indexed, budget: limits } = options;
  const searchList = createListSearch({ store, monotonic });

  /** Adds the matches after `rest.after` to `state` until the budget is spent. @throws ChangedError; `state` has the matches so far then */
  const searchBlocks = async (
    { rest, condition, limit, read }: Work,
    opening: Opening,
    budget: Budget,
    state: Found,
  ): Promise<void> => {
    const candidates = createCandidates(store, rest, condition.narrowing, opening);
    const { newestBlock } = opening;
    const verifier = createVerifier({ store, rest, condition, newestBlock, monotonic, read });
    const rows = createUnsigned({ store, rest, ...opening });
    /** Matches, by row number, that other matches may precede. */
    const early = new Map<number, Position>();
    const { isText, isOfRows } = condition;
    const most = isOfRows ? maxBlocks.rows : maxBlocks.contents;
    const blocksAtOnce = createBatchSize({ targetMs: blocksMs, initial: firstBlocks, min: 1, max: most });
    let start: Position | undefined;

    for (;;) {
      const nextBlock = candidates.next();
      const open = firstListed([nextBlock, rows.next()]);
      for (const one of [...early.values()].sort(byListOrder)) {
        if ((open && !isListedAfter(open, one)) || state.found.length === limit) break;
        state.found.push(one);
        early.delete(one.seq);
      }
      const reached = open && { receivedAt: open.receivedAt, seq: open.seq + 1 };
      // A block may begin before the position where the search continued.
      if (!reached || isListedAfter(reached, rest.after)) state.next = reached;
      if (!open || state.found.length === limit) return;
      start ??= rest.after ?? reached;
      // It always makes progress, because the next request would otherwise repeat the same work.
      if (budget.isSpent() && reached && isListedAfter(reached, start)) return;
      let found: Position[];
      if (open === nextBlock) {
        const some = await candidates.take(blocksAtOnce.units());
        const startedAt = monotonic();
        found = some.length > 0 ? await verifier.inBlocks(some) : [];
        blocksAtOnce.record(some.length, monotonic() - startedAt);
        budget.spend(isText ? some.length : some.length * costOfRows + verifier.takeUnpacked());
      } else {
        const some = await rows.take();
        budget.spend(some.length);
        found = await verifier.inEvents(some);
      }
      for (const one of found) if (isListedAfter(one, rest.after)) early.set(one.seq, one);
    }
  };

  /** Like `searchBlocks`, among pinned events that were received before `rest.since`. */
  const searchPinned = async ({ rest, condition, limit, read }: Work, budget: Budget, state: Found): Promise<void> => {
    const verifier = createVerifier({
      store,
      rest: { ...rest, since: Number.MIN_SAFE_INTEGER },
      condition,
      newestBlock: 0,
      monotonic,
      read,
    });
    for (let { after } = rest; state.found.length < limit; ) {
      const some = await store.pinned({ ...rest, after }, pinnedAtOnce);
      const found = await verifier.inEvents(some.map(({ seq }) => seq));
      state.found.push(...found.sort(byListOrder).slice(0, limit - state.found.length));
      if (some.length < pinnedAtOnce) return;
      after = some.at(-1);
      budget.spend(some.length);
      if (budget.isSpent()) {
        state.next = after;
        return;
      }
    }
  };

  const conditionOf = ({ q, filter }: Pick<Search, 'q' | 'filter'>): Condition =>
    filter?.isEmpty === false ? filterCondition(filter.filter, { ...filter, q, indexed }) : textCondition(q, indexed);

  return {
    /**
     * The next events of the list that contain `q` and match the filter, newest first, at most `limit`.
     * @throws invalid when `q` is too long
     */
    async find(given: Search): Promise<Found> {
      const { q, endpoint, since, after, limit, read } = given;
      checkTerm(q);
      const condition = conditionOf(given);
      const { from = since, to } = condition.range;
      const work = { condition, limit, read };
      const budget = createBudget(limits, monotonic);
      const first = to === undefined ? after : laterOf(after, { receivedAt: to, seq: 0 });
      const state: Found = { found: [], next: first };
      for (;;) {
        const rest: ListRest = { endpoint, since: Math.max(since, from), after: state.next };
        try {
          if (condition.required || (condition.narrowing.length === 0 && condition.columns))
            await searchList({ rest, ...work }, budget, state);
          else {
            const opening = await store.opening(rest, condition.narrowing, firstPageSize);
            await searchBlocks({ rest, ...work }, opening, budget, state);
          }
          if (!state.next && from <= since)
            await searchPinned({ rest: { endpoint, since, after: first }, ...work }, budget, state);
          return state;
        } catch (error) {
          if (!(error instanceof ChangedError)) throw error;
        }
      }
    },

    /** The events among these that contain `q` and match the filter, in no particular order. */
    matching(given: Pick<Search, 'endpoint' | 'q' | 'filter' | 'read'>, seqs: readonly number[]): Promise<Position[]> {
      const rest: ListRest = { endpoint: given.endpoint, since: Number.MIN_SAFE_INTEGER, after: undefined };
      const condition = conditionOf(given);
      return createVerifier({ store, rest, condition, newestBlock: 0, monotonic, read: given.read }).inEvents(seqs);
    },
  };
}

/** The position that is listed later. */
const laterOf = (a: Position | undefined, b: Position): Position => (a && isListedAfter(a, b) ? a : b);

/** @throws invalid when `q` is longer than a search may be */
export function checkTerm(q: string): void {
  if (firstCharacters(q, maxSearchCharacters) !== q) {
    const message = `must have at most ${maxSearchCharacters} characters`;
    throw invalidAt(['q'], message, `invalid query: q: ${message}`);
  }
}
