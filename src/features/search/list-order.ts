/* The order of the event list: newest first; at equal times the highest row number first. */
import type { Position } from '../../core/ids/cursor.ts';

/** For sorting: negative when `a` is listed before `b`. */
export const byListOrder = (a: Position, b: Position): number => b.receivedAt - a.receivedAt || b.seq - a.seq;

export const isListedAfter = (one: Position, position: Position | undefined): boolean =>
  position === undefined || byListOrder(position, one) < 0;

/** The first position in list order; undefined if all are undefined. */
export function firstListed(positions: readonly (Position | undefined)[]): Position | undefined {
  let first: Position | undefined;
  for (const one of positions) if (one && (!first || byListOrder(one, first) < 0)) first = one;
  return first;
}
