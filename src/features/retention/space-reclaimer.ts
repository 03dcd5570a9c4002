/*
 * Returns free disk space to the operating system, a few pages at a time. Some free pages are kept for the next deliveries, so
 * that the file does not shrink and grow again and again.
 */
import { createBatchSize } from '../../core/concurrency/batch-size.ts';
import type { Maintenance } from '../../db/maintenance.ts';

const sliceMs = 2.5;
/** A twentieth of the file, at least 1 MiB. */
const pagesToKeep = (usedPages: number): number => Math.max(64, Math.ceil(usedPages / 20));

const pausedMs = 1000;

/**
 * @param isBusy whether deliveries wait for their commit; the log is truncated only if none do
 * @param isPaused whether no page may be moved
 */
export function createSpaceReclaimer(options: {
  maintenance: Maintenance;
  isBusy: () => boolean;
  isPaused: () => boolean;
}) {
  const { maintenance, isBusy, isPaused } = options;
  const batchSize = createBatchSize({ targetMs: sliceMs, initial: 16, min: 16, max: 4096 });
  return {
    async slice(): Promise<'more' | 'done' | { restMs: number }> {
      if (isPaused()) return { restMs: pausedMs };
      const { total, free } = await maintenance.pages();
      const excess = free - pagesToKeep(total - free);
      if (excess > 0) {
        const count = Math.min(excess, batchSize.units());
        batchSize.record(count, await maintenance.vacuum(count));
        return 'more';
      }
      if (!isBusy()) await maintenance.truncateWal();
      return 'done';
    },
  };
}
