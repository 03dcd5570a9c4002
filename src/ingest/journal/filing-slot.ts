/* A slot: a range of reserved row numbers that is not filed yet. */
import type { PackedRows } from '../store.ts';
import type { GroupLocation } from './journal.ts';

/** Work for the writer thread: a group of the journal, or rows of an import that start at row number `first`. */
export type FilingWork = { group: GroupLocation } | { rows: PackedRows; first: number };

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
  // Callers do not have to await it.
  filed.promise.catch(() => {});
  return { first, count, work: undefined, bytes: 0, readyAt: 0, filed };
}
