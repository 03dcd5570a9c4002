/* Row numbers that have been given out and are not filed yet. */
import type { FilingWork } from './filing.ts';

export type Slot = {
  count: number;
  first: number;
  work: FilingWork | undefined;
  bytes: number;
  readyAt: number;
  filed: PromiseWithResolvers<void>;
};

export function newSlot(first: number, count: number): Slot {
  const filed = Promise.withResolvers<void>();
  // Nobody has to wait for it.
  filed.promise.catch(() => {});
  return { first, count, work: undefined, bytes: 0, readyAt: 0, filed };
}
