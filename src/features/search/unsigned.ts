/*
 * Events without a signature, in list order: rows of 1.0 that are not packed into blocks. Reads the list, and skips events that were
 * packed before the search began, because signatures find them.
 */
import type { Position } from '../../core/ids/cursor.ts';
import { isListedAfter } from './list-order.ts';
import type { ListRest } from './rows-store.ts';
import type { SearchStore, Unsigned } from './store.ts';

/** List positions per step: for the first step, and the maximum. */
const firstStep = 64;
const maxStep = 2048;
/** The most events of one step. */
const maxTaken = 64;

export function createUnsigned(options: {
  store: Pick<SearchStore, 'positions'>;
  rest: ListRest;
  newestBlock: number;
  /** undefined if there are no such events. */
  unsigned: Unsigned | undefined;
}) {
  const { store, rest, newestBlock, unsigned } = options;
  const newest: Position | undefined = unsigned && { receivedAt: unsigned.newest, seq: unsigned.upTo };
  let waiting: (Position & { block: number | null })[] = [];
  let step = firstStep;
  /** The position where the next step continues; undefined at the end. */
  let from = newest && rest.after && isListedAfter(rest.after, newest) ? rest.after : newest;
  let after = rest.after;

  const read = async (given: Unsigned): Promise<void> => {
    const page = await store.positions({ ...rest, after }, given, step);
    const last = page.at(-1);
    from = page.length === step ? last : undefined;
    after = last;
    step = Math.min(step * 4, maxStep);
    // A block that was created after the search began may have events that were in no block before.
    waiting = page.filter(({ block }) => block === null || block > newestBlock);
  };

  return {
    /** No remaining event is listed before this one. */
    next: (): Position | undefined => waiting[0] ?? from,

    /** The row numbers of the next events; empty if a part of the list had no such events. Do not call it after the last one. */
    async take(): Promise<number[]> {
      if (waiting.length === 0 && unsigned) await read(unsigned);
      const taken = waiting.slice(0, maxTaken).map(({ seq }) => seq);
      waiting = waiting.slice(maxTaken);
      return taken;
    },
  };
}
