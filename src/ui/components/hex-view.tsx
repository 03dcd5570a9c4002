/* A virtualized hex view: offset, hexadecimal and ASCII. */

import { hexRow, hexRowCount } from '../body/bytes.ts';
import { useVirtual } from './use-virtual.ts';

const rowHeight = 20;

export function HexView({ bytes }: { bytes: Uint8Array }) {
  const rows = hexRowCount(bytes);
  const { scroller, range } = useVirtual<HTMLElement>({ count: rows, rowHeight });
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard.
    <section ref={scroller} class="hex" tabIndex={0} aria-label="Bytes in hexadecimal">
      <div class="sizer" style={{ height: `${rows * rowHeight}px` }}>
        {Array.from({ length: Math.max(0, range.to - range.from) }, (_, at) => {
          const index = range.from + at;
          const row = hexRow(bytes, index);
          return (
            <div key={index} class="hex-row" style={{ transform: `translateY(${index * rowHeight}px)` }}>
              <span class="offset">{row.offset}</span>
              <span>{row.hex}</span>
              <span class="ascii">{row.ascii}</span>
            </div>
          );
        })}
      </div>
    </section>
  );
}
