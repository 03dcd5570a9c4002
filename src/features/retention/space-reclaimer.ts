/*
 * Disk space back to the operating system, a few pages at a time. Some free pages stay: the next deliveries fill them, and a
 * file that grows and shrinks all day would be written twice for nothing.
 */
import { createBatchSize } from '../../core/concurrency/batch-size.ts';
import type { Maintenance } from '../../db/maintenance.ts';

const sliceMs = 2.5;
/** Free pages that stay: a twentieth of the file, or 1 MiB. */
const kept = (total: number): number => Math.max(64, Math.ceil(total / 20));

/** @param busy whether deliveries are waiting: the log is cut only when none is */
export function createSpaceReclaimer({ maintenance, busy }: { maintenance: Maintenance; busy: () => boolean }) {
  const pace = createBatchSize({ targetMs: sliceMs, first: 16, least: 16, most: 4096 });
  return {
    async slice(): Promise<'more' | 'done'> {
      const { total, free } = await maintenance.pages();
      const excess = free - kept(total - free);
      if (excess > 0) {
        const count = Math.min(excess, pace.size());
        pace.record(count, await maintenance.vacuum(count));
        return 'more';
      }
      if (!busy()) await maintenance.truncateWal();
      return 'done';
    },
  };
}
