/* Virtualization for lists with a fixed row height: only the visible rows are rendered. */

import { useCallback, useLayoutEffect, useRef, useState } from 'preact/hooks';

type VirtualOptions = { count: number; rowHeight: number; overscan?: number };

export type VirtualRange = { from: number; to: number };

/**
 * Attach `scroller` to the scrolling element, and render the rows `range.from` to `range.to` (exclusive) at `index * rowHeight` inside
 * an element of height `count * rowHeight`. It renders again only when the range changes.
 */
export function useVirtual<E extends HTMLElement>({ count, rowHeight, overscan = 8 }: VirtualOptions) {
  const scroller = useRef<E>(null);
  const [range, setRange] = useState<VirtualRange>({ from: 0, to: Math.min(count, 40) });

  const measure = useCallback((): void => {
    const element = scroller.current;
    if (!element) return;
    const from = Math.max(0, Math.floor(element.scrollTop / rowHeight) - overscan);
    const to = Math.min(count, Math.ceil((element.scrollTop + element.clientHeight) / rowHeight) + overscan);
    setRange(old => (old.from === from && old.to === to ? old : { from, to }));
  }, [count, rowHeight, overscan]);

  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    measure();
    element.addEventListener('scroll', measure, { passive: true });
    const sizes = new ResizeObserver(measure);
    sizes.observe(element);
    return () => {
      element.removeEventListener('scroll', measure);
      sizes.disconnect();
    };
  }, [measure]);

  /** Scrolls a row into view if it is not visible: as little as possible, or to the middle. */
  const reveal = useCallback(
    (index: number, place: 'near' | 'middle' = 'near'): void => {
      const element = scroller.current;
      if (!element || index < 0) return;
      const top = index * rowHeight;
      const freeHeight = element.clientHeight - rowHeight;
      const isAbove = top < element.scrollTop;
      if (!isAbove && top <= element.scrollTop + freeHeight) return;
      element.scrollTop = top - (place === 'middle' ? freeHeight / 2 : isAbove ? 0 : freeHeight);
    },
    [rowHeight],
  );

  return { scroller, range, reveal };
}
