/* A budget of memory that holders share: each gets more only while it holds no more than is free. One alone gets half. */

export type MemoryBudget = {
  /** @param holders whose shares the bytes count against; none: only the total @returns false, and takes nothing, if used up */
  take: (bytes: number, holders?: readonly string[]) => boolean;
  /** Returns bytes with the holders for which they were taken. */
  give: (bytes: number, holders?: readonly string[]) => void;
};

type MemoryBudgetOptions = {
  totalBytes: number;
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
