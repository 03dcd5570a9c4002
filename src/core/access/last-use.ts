/* When credentials were last used: written at intervals, because most requests use one and a crash may lose the exact time. */
import type { Clock } from '../clock.ts';

/** @param write stores the time of the last use (epoch ms) by id; not called without any */
export function createLastUseRecorder(
  clock: Pick<Clock, 'now'>,
  write: (lastUses: ReadonlyMap<string, number>) => Promise<void>,
) {
  const pending = new Map<string, number>();
  return {
    record: (id: string): void => void pending.set(id, clock.now()),

    pending: (id: string): number | undefined => pending.get(id),

    /** Writes the pending times. A time that could not be written stays pending. */
    async flush(): Promise<void> {
      if (pending.size === 0) return;
      const written = new Map(pending);
      await write(written);
      for (const [id, usedAt] of written) if (pending.get(id) === usedAt) pending.delete(id);
    },
  };
}
