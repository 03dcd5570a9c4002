/* Windowing for lists of equal row height: only what is in view is in the document, however long the list. */

import { useCallback, useLayoutEffect, useRef, useState } from 'preact/hooks';

type VirtualOptions = { count: number; rowHeight: number; overscan?: number };

export type VirtualRange = { from: number; to: number };

/**
 * `scroller` goes on the element that scrolls; render rows `range.from` to `range.to` (end exclusive) at `index * rowHeight` inside an
 * element that is `count * rowHeight` high. Renders happen only when the range changes.
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

  /** Brings a row into view with the least movement. */
  const reveal = useCallback(
    (index: number): void => {
      const element = scroller.current;
      if (!element || index < 0) return;
      const top = index * rowHeight;
      if (top < element.scrollTop) element.scrollTop = top;
      else if (top + rowHeight > element.scrollTop + element.clientHeight) {
        element.scrollTop = top + rowHeight - element.clientHeight;
      }
    },
    [rowHeight],
  );

  return { scroller, range, reveal };
}
