/* A progress bar on one line of stderr; no output if stderr is not a terminal. */
import type { Io } from './io.ts';

const everyMs = 100;
const width = 30;

/** @param total undefined if unknown: then only the note is shown */
export function createProgress(io: Pick<Io, 'isTerminal' | 'stderr' | 'clock'>, total: number | undefined) {
  let drawnAt = Number.NEGATIVE_INFINITY;
  return {
    /** @param done in the unit of `total` */
    show(done: number, note: string): void {
      const now = io.clock.monotonic();
      if (!io.isTerminal || now - drawnAt < everyMs) return;
      drawnAt = now;
      io.stderr(`\r\x1b[K${total === undefined ? '' : bar(total === 0 ? 1 : Math.min(1, done / total))}${note}`);
    },
    /** Removes the line. */
    clear(): void {
      if (drawnAt > 0) io.stderr('\r\x1b[K');
    },
  };
}

function bar(share: number): string {
  const filled = Math.round(share * width);
  return `[${'#'.repeat(filled)}${'·'.repeat(width - filled)}] ${String(Math.floor(share * 100)).padStart(3)} %  `;
}
