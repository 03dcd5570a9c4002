/* A range of reserved row numbers that is not filed yet. Groups that follow each other share a slot. */
import type { PackedRows } from '../store.ts';
import type { GroupLocation } from './journal.ts';

/** Groups that lie one after another in a segment, with consecutive row numbers. `bytes` and `rows`: of each group. */
export type GroupRun = { path: string; offset: number; first: number; bytes: number[]; rows: number[] };

/** Work for the writer thread: groups of the journal, or rows of an import that start at row number `first`. */
export type FilingWork = { run: GroupRun } | { rows: PackedRows; first: number };

export type AddedWork = { group: GroupLocation } | Extract<FilingWork, { rows: PackedRows }>;

export type Slot = {
  count: number;
  first: number;
  work: FilingWork | undefined;
  bytes: number;
  readyAt: number;
  /** Whether a transaction has begun with it: no group joins it any more. */
  isTaken: boolean;
  filed: PromiseWithResolvers<void>;
};

export function newSlot(first: number, count: number): Slot {
  const filed = Promise.withResolvers<void>();
  // Callers do not have to await it.
  filed.promise.catch(() => {});
  return { first, count, work: undefined, bytes: 0, readyAt: 0, isTaken: false, filed };
}

export const runOf = ({ path, offset, bytes, first, count }: GroupLocation): GroupRun => ({
  path,
  offset,
  first,
  bytes: [bytes],
  rows: [count],
});

export function groupsIn({ path, offset, first, bytes, rows }: GroupRun): GroupLocation[] {
  let [nextOffset, nextFirst] = [offset, first];
  return bytes.map((size, i) => {
    const group = { path, offset: nextOffset, bytes: size, first: nextFirst, count: rows[i] ?? 0 };
    nextOffset += size;
    nextFirst += group.count;
    return group;
  });
}

/** Adds a group that lies right behind the slot's groups, if one transaction takes both. @returns whether it did */
export function joinSlot(
  slot: Slot,
  { path, offset, bytes, first, count }: GroupLocation,
  { maxRows, maxBytes }: { maxRows: number; maxBytes: number },
): boolean {
  const { work } = slot;
  if (slot.isTaken || !work || 'rows' in work) return false;
  const { run } = work;
  const follows = run.path === path && run.offset + slot.bytes === offset && slot.first + slot.count === first;
  if (!follows || slot.count + count > maxRows || slot.bytes + bytes > maxBytes) return false;
  run.bytes.push(bytes);
  run.rows.push(count);
  slot.count += count;
  slot.bytes += bytes;
  return true;
}
