/*
 * A memory budget that holders share fairly, without configuration: a holder gets more only while it holds no more than is free.
 * One holder alone gets half of the budget, two get a third each, and a new one always gets something.
 */

export type MemoryBudget = {
  /**
   * @param holders the bytes count against the share of each of them; without holders, only the total counts
   * @returns false, and takes nothing, if the budget or a share is used up
   */
  take: (bytes: number, holders?: readonly string[]) => boolean;
  /** Returns bytes with the holders for which they were taken. */
  give: (bytes: number, holders?: readonly string[]) => void;
};

type MemoryBudgetOptions = {
  totalBytes: number;
  /** The most that one holder may have. */
  maxBytesPerHolder?: number;
};

const noHolders: readonly string[] = [];

export function createMemoryBudget({ totalBytes, maxBytesPerHolder = totalBytes }: MemoryBudgetOptions): MemoryBudget {
  const heldBy = new Map<string, number>();
  let free = totalBytes;
  return {
    take: (bytes, holders = noHolders) => {
      const left = free - bytes;
      if (left < 0) return false;
      const maxHeld = Math.min(left, maxBytesPerHolder);
      for (const holder of holders) if ((heldBy.get(holder) ?? 0) + bytes > maxHeld) return false;
      for (const holder of holders) heldBy.set(holder, (heldBy.get(holder) ?? 0) + bytes);
      free = left;
      return true;
    },
    give: (bytes, holders = noHolders) => {
      free += bytes;
      for (const holder of holders) {
        const held = (heldBy.get(holder) ?? 0) - bytes;
        if (held > 0) heldBy.set(holder, held);
        else heldBy.delete(holder);
      }
    },
  };
}
