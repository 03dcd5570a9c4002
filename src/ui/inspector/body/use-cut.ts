/* Marks the rows (`data-cut`) whose text (`data-clip`) has no room. Attributes instead of state, so that scrolling renders nothing twice. */

import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';

export function useCut(container: RefObject<HTMLElement | null>, onMeasured?: () => void): void {
  const latest = useRef(onMeasured);
  latest.current = onMeasured;
  const measure = (): void => {
    const marks: [Element, boolean][] = [];
    for (const element of container.current?.querySelectorAll('[data-clip]') ?? []) {
      const row = element.closest('[data-row]');
      const isCut =
        element.scrollWidth > element.clientWidth + 1 ||
        element.scrollHeight > element.clientHeight + 1 ||
        element.hasAttribute('data-shortened');
      if (row) marks.push([row, isCut]);
    }
    // Written after everything was read, so that the layout is computed once.
    for (const [row, isCut] of marks)
      if (row.hasAttribute('data-cut') !== isCut) row.toggleAttribute('data-cut', isCut);
    latest.current?.();
  };
  const again = useRef(measure);
  again.current = measure;
  useLayoutEffect(() => again.current());
  useEffect(() => {
    if (!container.current) return;
    const sizes = new ResizeObserver(() => again.current());
    sizes.observe(container.current);
    return () => sizes.disconnect();
  }, [container]);
}
