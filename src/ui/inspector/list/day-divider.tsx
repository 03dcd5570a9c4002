/* The days of the event list: a divider where a day begins, and above the list the day of its first visible row. */

import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { dayOf, formatDay } from '../../kit/format/time.ts';
import type { RowLayout } from './row-layout.ts';
import { dividerHeight } from './use-row-layout.ts';

export const DayDivider = ({ at, rowTop }: { at: number; rowTop: number }) => (
  <li class="day-divider line soft" style={{ transform: `translateY(${rowTop - dividerHeight}px)` }}>
    {formatDay(at, Date.now())}
  </li>
);

type DayStripProps = {
  scroller: RefObject<HTMLElement | null>;
  layout: RowLayout;
  /** When the event of a row was received; undefined for a row that is no event. */
  receivedAt: (row: number) => number | undefined;
};

/** Renders again only when another day comes to the top. */
export function DayStrip({ scroller, layout, receivedAt }: DayStripProps) {
  const [day, setDay] = useState<number>();
  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const measure = (): void => {
      const at = receivedAt(layout.rowAt(element.scrollTop));
      if (at !== undefined) setDay(dayOf(at));
    };
    measure();
    element.addEventListener('scroll', measure, { passive: true });
    return () => element.removeEventListener('scroll', measure);
  });
  return <div class="day-strip line soft">{day === undefined ? '' : formatDay(day, Date.now())}</div>;
}
