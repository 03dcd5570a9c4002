/*
 * Events without a signature, in list order: rows of 1.0 until they are packed into blocks. The list is walked; what has been packed
 * by the time that the search began is left to the signatures.
 */
import type { Position } from '../../core/cursor.ts';
import { isListedAfter } from './list-order.ts';
import type { ListRest, SearchStore, Unsigned } from './store.ts';

/** Positions that one step looks at: first, and at most. */
const firstStep = 64;
const maxStep = 2048;
/** Events that are read in one step. */
const maxTaken = 64;

export function createUnsigned(options: {
  store: Pick<SearchStore, 'positions'>;
  rest: ListRest;
  newestBlock: number;
  /** undefined: there are none. */
  unsigned: Unsigned | undefined;
}) {
  const { store, rest, newestBlock, unsigned } = options;
  const newest: Position | undefined = unsigned && { receivedAt: unsigned.newest, seq: unsigned.upTo };
  let waiting: (Position & { block: number | null })[] = [];
  let step = firstStep;
  /** Where the walk goes on; undefined at its end. */
  let from = newest && rest.after && isListedAfter(rest.after, newest) ? rest.after : newest;
  let after = rest.after;

  const read = async (given: Unsigned): Promise<void> => {
    const page = await store.positions({ ...rest, after }, given, step);
    const last = page.at(-1);
    from = page.length === step ? last : undefined;
    after = last;
    step = Math.min(step * 4, maxStep);
    // A block that is newer than the search may have events that were in none.
    waiting = page.filter(({ block }) => block === null || block > newestBlock);
  };

  return {
    /** No event that is left is listed before this one. */
    next: (): Position | undefined => waiting[0] ?? from,

    /** The row numbers of the next events; none when a part of the list had none. Not to be called after the last one. */
    async take(): Promise<number[]> {
      if (waiting.length === 0 && unsigned) await read(unsigned);
      const taken = waiting.slice(0, maxTaken).map(({ seq }) => seq);
      waiting = waiting.slice(maxTaken);
      return taken;
    },
  };
}
