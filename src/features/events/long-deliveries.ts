/*
 * A cache of the attempts of long deliveries: those with more attempts than are counted (`attempts.ts`). Without it, every page that
 * shows one of their events would read all these attempts again. New attempts do not change the first ones, so an entry stays true until
 * events are removed (`forget`) or its oldest attempt is past retention.
 */
import type { Position } from '../../core/ids/cursor.ts';
import type { Scope } from './attempts-store.ts';

/** `attempts`: the visible ones, oldest first. `isCut`: there are more attempts, so these are in no particular order. */
export type DeliveryGroup = { number: number; key: string; attempts: Position[]; isCut: boolean };

/** `rows`: the row numbers of the attempts that are counted, in order of receipt. */
export type LongDelivery = { key: string; rows: readonly number[] };

/** Memory: about 1 KB each. */
const defaultMaxDeliveries = 2048;

export type LongDeliveries = ReturnType<typeof createLongDeliveries>;

/** @param maxDeliveries 0 when other processes may remove events, too */
export function createLongDeliveries(maxDeliveries = defaultMaxDeliveries) {
  const kept = new Map<string, LongDelivery & { oldestAt: number }>();
  let removals = 0;
  const idOf = ({ endpoint }: Scope, number: number): string => `${endpoint}:${number}`;

  return {
    find(scope: Scope, number: number): LongDelivery | undefined {
      const found = kept.get(idOf(scope, number));
      return found && found.oldestAt >= scope.since ? found : undefined;
    },

    /** Call this before reading. The returned function adds what was read, unless events were removed during the read. */
    startReading(scope: Scope): (groups: Iterable<DeliveryGroup>) => void {
      const removalsBefore = removals;
      return groups => {
        if (removals !== removalsBefore || maxDeliveries === 0) return;
        for (const { number, key, attempts, isCut } of groups) {
          if (!isCut) continue;
          const oldest = kept.keys().next();
          if (kept.size >= maxDeliveries && !oldest.done) kept.delete(oldest.value);
          // Pinned attempts may be older than `since`: these deliveries are read again each time.
          kept.set(idOf(scope, number), {
            key,
            rows: attempts.map(({ seq }) => seq),
            oldestAt: Math.min(...attempts.map(({ receivedAt }) => receivedAt)),
          });
        }
      };
    },

    /** Call this after events were removed. */
    forget(): void {
      removals++;
      kept.clear();
    },
  };
}
