/*
 * Searches the list itself, for conditions that signatures cannot narrow: columns exclude most rows in SQL, a few thousand positions at
 * a time. When all matching events are in a table of their own, such as pinned ones, only those are read.
 */

import { groupBySize } from '../../core/blocks/group-by-size.ts';
import type { ContentRead } from '../../core/concurrency/content-reads.ts';
import type { Position } from '../../core/ids/cursor.ts';
import type { Budget } from './budget.ts';
import type { Condition, EventRow } from './condition.ts';
import { byListOrder, isListedAfter } from './list-order.ts';
import type { ListRest } from './rows-store.ts';
import type { SearchStore } from './store.ts';
import { createVerifier } from './verify.ts';

/** `next`: the position up to which the list has been searched; undefined when the search is complete. */
export type Found = { found: Position[]; next: Position | undefined };

export type Work = {
  rest: ListRest;
  condition: Condition;
  limit: number;
  read: ContentRead;
};

/** List positions per step: for the first step, and the maximum. */
const firstStep = 256;
const maxStep = 16_384;
/** How many rows are decided at once, perhaps by their contents, and how many bytes they may have unless it is one event. */
const rowsAtOnce = 32;
const bytesAtOnce = 4 << 20;
/** Reading this many rows costs as much as reading a block. */
const rowsPerBlock = 1024;

type Step = { rows: EventRow[]; next: Position | undefined };

export function createListSearch({ store, monotonic }: { store: SearchStore; monotonic: () => number }) {
  const readRequired = async (
    rest: ListRest,
    { required, columns }: Condition,
    step: number,
  ): Promise<Step | undefined> => {
    const positions = required && (await store.required(rest, required, step));
    if (!positions) return undefined;
    const rows = await store.events(
      rest,
      positions.map(({ seq }) => seq),
      columns,
    );
    return {
      rows: [...rows.values()].sort(byListOrder),
      next: positions.length === step ? positions.at(-1) : undefined,
    };
  };

  /** Adds the matches after `rest.after` to `state` until the budget is spent. */
  return async ({ rest, condition, limit, read }: Work, budget: Budget, state: Found): Promise<void> => {
    const verifier = createVerifier({ store, rest, condition, newestBlock: 0, monotonic, read });
    let { after } = rest;
    for (let step = firstStep; ; step = Math.min(step * 4, maxStep)) {
      const part = { ...rest, after };
      const { rows, next } =
        (await readRequired(part, condition, firstStep)) ?? (await store.list(part, condition.columns, step));
      budget.spend(step / rowsPerBlock);
      for (const some of groupBySize(rows, bytesAtOnce, rowsAtOnce)) {
        const found = (await verifier.inRows(some)).sort(byListOrder);
        state.found.push(...found.slice(0, limit - state.found.length));
        const isFull = state.found.length === limit;
        state.next = isFull ? state.found.at(-1) : some.at(-1);
        budget.spend(verifier.takeUnpacked());
        if (isFull || budget.isSpent()) return finish(state, next, rows);
      }
      state.next = next;
      if (!next || budget.isSpent()) return;
      after = next;
    }
  };
}

/** After the last row of a step, the position of the search is the end of the step. */
function finish(state: Found, next: Position | undefined, rows: readonly EventRow[]): void {
  const last = rows.at(-1);
  if (state.next && last && !isListedAfter(last, state.next)) state.next = next;
}
