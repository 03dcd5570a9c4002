/*
 * Finds an endpoint's events that contain a text, newest first. Signatures only select candidate blocks; the stored texts decide, so
 * results are exact as soon as an event is stored. Three sources are merged in list order: signatures of single blocks, runs of older
 * ones (candidates.ts), and rows of 1.0 in no block, which are all read. A match is returned when no source can have one listed before
 * it. A call works within a budget; when that is spent, it returns the position where the next call continues. Pinned events that
 * are older than the retention window come last in the list; they are few, and all read.
 */

import { type Gram, gramsOf } from '../../core/block-signature.ts';
import type { Position } from '../../core/cursor.ts';
import { invalid } from '../../core/errors.ts';
import { maxSearchCharacters } from '../../core/limits.ts';
import { createMatcher, foldCase, type Matcher } from '../../core/search-text.ts';
import { firstCharacters } from '../../core/text.ts';
import { type Budget, type BudgetLimits, createBudget } from './budget.ts';
import { ChangedError, createCandidates, firstPageSize } from './candidates.ts';
import { byListOrder, firstListed, isListedAfter } from './list-order.ts';
import type { ListRest, Opening, SearchStore } from './store.ts';
import { createUnsigned } from './unsigned.ts';
import { createVerifier } from './verify.ts';

export type Search = {
  endpoint: number;
  /** At least one character. */
  q: string;
  /** The oldest time of receipt to show. Pinned events may be older. */
  since: number;
  /** Only events after this position of the list. */
  after: Position | undefined;
  limit: number;
  /** Aborts the search when the client disconnects. */
  signal?: AbortSignal | undefined;
};

/** `next`: the position up to which the list has been searched; undefined when the search is complete. */
export type Found = { found: Position[]; next: Position | undefined };

/** Blocks that are read together: first, and at most. */
const firstBlocks = 2;
const maxBlocks = 32;
/** Pinned events that are read together. */
const pinnedAtOnce = 32;

type Term = { matcher: Matcher; grams: readonly Gram[] };

export function createFinder(options: {
  store: SearchStore;
  monotonic: () => number;
  /** false: every search reads all events instead of using signatures. */
  indexed: boolean;
  budget: BudgetLimits;
}) {
  const { store, monotonic, indexed, budget: limits } = options;

  /** Adds the matches after `rest.after` to `state` until the budget is spent. @throws ChangedError; `state` has the matches so far then */
  const search = async (
    { rest, term, limit, signal }: { rest: ListRest; term: Term; limit: number; signal: AbortSignal | undefined },
    opening: Opening,
    budget: Budget,
    state: Found,
  ): Promise<void> => {
    const candidates = createCandidates(store, rest, term.grams, opening);
    const { newestBlock } = opening;
    const verifier = createVerifier({ store, rest, matcher: term.matcher, newestBlock, monotonic });
    const rows = createUnsigned({ store, rest, ...opening });
    /** Matches by row number that may be preceded by others. */
    const early = new Map<number, Position>();
    let blocksAtOnce = firstBlocks;
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
      if (!open || state.found.length === limit || signal?.aborted) return;
      start ??= rest.after ?? reached;
      // Always makes progress, or the next request would repeat the same work.
      if (budget.isSpent() && reached && isListedAfter(reached, start)) return;
      let found: Position[];
      if (open === nextBlock) {
        const some = await candidates.take(blocksAtOnce);
        budget.spend(some.length);
        found = some.length > 0 ? await verifier.inBlocks(some) : [];
        if (some.length > 0) blocksAtOnce = Math.min(blocksAtOnce * 2, maxBlocks);
      } else {
        const some = await rows.take();
        budget.spend(some.length);
        found = await verifier.inEvents(some);
      }
      for (const one of found) if (isListedAfter(one, rest.after)) early.set(one.seq, one);
    }
  };

  /** The same among pinned events that were received before `rest.since`. */
  const searchPinned = async (
    { rest, term, limit, signal }: { rest: ListRest; term: Term; limit: number; signal: AbortSignal | undefined },
    budget: Budget,
    state: Found,
  ): Promise<void> => {
    const verifier = createVerifier({ store, rest, matcher: term.matcher, newestBlock: 0, monotonic });
    for (let { after } = rest; state.found.length < limit && !signal?.aborted; ) {
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

  return {
    /**
     * The next events of the list that contain `q`, newest first, at most `limit`.
     * @throws invalid when `q` is too long
     */
    async find({ q, endpoint, since, after, limit, signal }: Search): Promise<Found> {
      checkTerm(q);
      const term: Term = { matcher: createMatcher(q), grams: indexed ? gramsOf(foldCase(q)) : [] };
      const budget = createBudget(limits, monotonic);
      const state: Found = { found: [], next: after };
      for (;;) {
        const rest: ListRest = { endpoint, since, after: state.next };
        const opening = await store.opening(rest, term.grams, firstPageSize);
        try {
          await search({ rest, term, limit, signal }, opening, budget, state);
          if (!state.next) await searchPinned({ rest: { endpoint, since, after }, term, limit, signal }, budget, state);
          return state;
        } catch (error) {
          if (!(error instanceof ChangedError)) throw error;
        }
      }
    },

    /** Those of these events that contain `q`, in no particular order. */
    matching(
      { q, endpoint, since }: Pick<Search, 'q' | 'endpoint' | 'since'>,
      seqs: readonly number[],
    ): Promise<Position[]> {
      const rest: ListRest = { endpoint, since, after: undefined };
      return createVerifier({ store, rest, matcher: createMatcher(q), newestBlock: 0, monotonic }).inEvents(seqs);
    },
  };
}

/** @throws invalid when `q` is longer than a search may be */
export function checkTerm(q: string): void {
  if (firstCharacters(q, maxSearchCharacters) !== q)
    throw invalid(`invalid query: q: at most ${maxSearchCharacters} characters`);
}
