/*
 * Bytes of memory for many holders, shared so that none of them can keep the others out: a holder may take only while it has no more
 * than is left free for everybody else. One alone gets half of the budget, two a third each, and some of it is always left for one that
 * holds nothing yet.
 */

export type MemoryBudget = {
  /**
   * @param holders whose share the bytes count against, all of them; without any, only the total limits
   * @returns false, and takes nothing, when there is no room
   */
  take: (bytes: number, holders?: readonly string[]) => boolean;
  /** For the same holders as the `take` before. */
  give: (bytes: number, holders?: readonly string[]) => void;
};

type MemoryBudgetOptions = {
  totalBytes: number;
  /** Never more than this for one holder, however much is free. */
  maxBytesPerHolder?: number;
};

const nobody: readonly string[] = [];

export function createMemoryBudget({ totalBytes, maxBytesPerHolder = totalBytes }: MemoryBudgetOptions): MemoryBudget {
  const heldBy = new Map<string, number>();
  let free = totalBytes;
  return {
    take: (bytes, holders = nobody) => {
      const left = free - bytes;
      if (left < 0) return false;
      const maxHeld = Math.min(left, maxBytesPerHolder);
      for (const holder of holders) if ((heldBy.get(holder) ?? 0) + bytes > maxHeld) return false;
      for (const holder of holders) heldBy.set(holder, (heldBy.get(holder) ?? 0) + bytes);
      free = left;
      return true;
    },
    give: (bytes, holders = nobody) => {
      free += bytes;
      for (const holder of holders) {
        const held = (heldBy.get(holder) ?? 0) - bytes;
        if (held > 0) heldBy.set(holder, held);
        else heldBy.delete(holder);
      }
    },
  };
}
