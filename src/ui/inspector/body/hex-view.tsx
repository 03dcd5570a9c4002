/* A virtualized hex view: offset, hexadecimal and ASCII. What is found is marked in both. */

import { useEffect, useMemo, useRef } from 'preact/hooks';
import { hitsWithin, revealIn, useHits } from '../find-in-body/find-context.tsx';
import { MarkedSpans } from '../find-in-body/marked-text.tsx';
import { useVirtual } from '../list/use-virtual.ts';
import { byteText, hexColumn, hexRow, hexRowCount } from './bytes.ts';

const rowHeight = 20;
const rowBytes = 16;

/** @param order its place among the views of a panel */
export function HexView({ bytes, order = 0 }: { bytes: Uint8Array; order?: number }) {
  const rows = hexRowCount(bytes);
  const { scroller, range, reveal } = useVirtual<HTMLElement>({ count: rows, rowHeight });
  const texts = useMemo(() => [byteText(bytes)], [bytes]);
  const toReveal = useRef(false);
  /** A narrow view scrolls sideways, too. The row of the hit may be rendered later. */
  const revealMark = (): void => {
    const mark = scroller.current?.querySelector('.current-hit');
    if (!toReveal.current || !mark) return;
    toReveal.current = false;
    revealIn(scroller.current, mark);
  };
  const { hits, current } = useHits({ order, texts, isBytes: true }, hit => {
    if (scroller.current?.closest('.part')) revealIn(scroller.current.closest('.scroll-pane'), scroller.current);
    reveal(Math.floor(hit.start / rowBytes), 'middle');
    toReveal.current = true;
  });
  useEffect(revealMark);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard.
    <section ref={scroller} class="hex" tabIndex={0} aria-label="Bytes in hexadecimal">
      <div class="anchor" style={{ height: `${rows * rowHeight}px` }}>
        {Array.from({ length: Math.max(0, range.to - range.from) }, (_, at) => {
          const index = range.from + at;
          const row = hexRow(bytes, index);
          const start = index * rowBytes;
          const found = hitsWithin(hits, start, start + rowBytes);
          // A hit may begin in a row above.
          const currentAt = current && current.end > start ? Math.max(0, current.start - start) : undefined;
          return (
            <div key={index} class="hex-row" style={{ transform: `translateY(${index * rowHeight}px)` }}>
              <span class="faint">{row.offset}</span>
              <span>
                <MarkedSpans
                  text={row.hex}
                  spans={found.map(hit => ({ start: hexColumn(hit.start), end: hexColumn(hit.end - 1) + 2 }))}
                  current={currentAt === undefined ? undefined : hexColumn(currentAt)}
                />
              </span>
              <span class="faint">
                <MarkedSpans text={row.ascii} spans={found} current={currentAt} />
              </span>
            </div>
          );
        })}
      </div>
    </section>
  );
}
