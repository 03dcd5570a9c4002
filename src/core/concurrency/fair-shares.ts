/*
 * Shares places fairly among owners, such as teams, without a limit for each. While any place is free, an owner can have its
 * first few. It gets more only while it has no more places than are free besides the reserved ones. One owner alone gets half of
 * the unreserved places, two get a third each, and the reserved places are for owners with few places.
 */

export type FairShares = ReturnType<typeof createFairShares>;

/** `reserved`: places that only owners with fewer than `assured` may take. */
export type FairSharesOptions = { total: number; reserved: number; assured: number };

export function createFairShares({ total, reserved, assured }: FairSharesOptions) {
  const held = new Map<string, number>();
  let free = total;

  const canTake = (owner: string): boolean => {
    const own = (held.get(owner) ?? 0) + 1;
    return free > 0 && (own <= assured || own <= free - 1 - reserved);
  };

  return {
    canTake,
    /** Takes a place. @returns false, without taking one, if the owner may not have another place */
    take(owner: string): boolean {
      if (!canTake(owner)) return false;
      free--;
      held.set(owner, (held.get(owner) ?? 0) + 1);
      return true;
    },
    /** Returns a place. */
    give(owner: string): void {
      const own = held.get(owner) ?? 0;
      if (own === 0) return;
      free++;
      if (own === 1) held.delete(owner);
      else held.set(owner, own - 1);
    },
    held: held as ReadonlyMap<string, number>,
    /** The number of free places. */
    free: () => free,
  };
}
