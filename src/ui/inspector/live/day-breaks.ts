/* Where days begin in an event list. Only rows added since the last call are looked at, so a list of 100,000 events costs nothing. */

import type { EventSummary } from '../../../features/events/model.ts';
import { dayOf, nextDay } from '../../kit/format/time.ts';
import type { LiveListState } from './live-list.ts';

type Rows = { at: (index: number) => Pick<EventSummary, 'receivedAt'> | undefined };
type Extent = Pick<LiveListState, 'length' | 'arrivalCount' | 'revision'>;

/** The breaks among rows that are added one after the other. */
function createScan() {
  const breaks: number[] = [];
  let scanned = 0;
  let [from, to] = [0, 0];
  return {
    breaks,
    /** @param at when the n-th row was received */
    advance(count: number, at: (n: number) => number): void {
      for (; scanned < count; scanned++) {
        const receivedAt = at(scanned);
        if (receivedAt >= from && receivedAt < to) continue;
        if (scanned > 0) breaks.push(scanned);
        from = dayOf(receivedAt);
        to = nextDay(from);
      }
    },
  };
}

/** @returns a function that returns the places of rows that begin a day, in ascending order, never the first row of the list */
export function createDayBreaks({ at }: Rows): (extent: Extent) => number[] {
  const receivedAt = (index: number): number => at(index)?.receivedAt ?? 0;
  let revision = -1;
  let [newer, older] = [createScan(), createScan()];
  return extent => {
    const { length, arrivalCount } = extent;
    if (extent.revision !== revision) {
      revision = extent.revision;
      [newer, older] = [createScan(), createScan()];
    }
    newer.advance(arrivalCount, n => receivedAt(arrivalCount - 1 - n));
    older.advance(length - arrivalCount, n => receivedAt(arrivalCount + n));
    const isBetween =
      arrivalCount > 0 &&
      arrivalCount < length &&
      dayOf(receivedAt(arrivalCount - 1)) !== dayOf(receivedAt(arrivalCount));
    return [
      ...newer.breaks.map(n => arrivalCount - n).reverse(),
      ...(isBetween ? [arrivalCount] : []),
      ...older.breaks.map(n => arrivalCount + n),
    ];
  };
}
