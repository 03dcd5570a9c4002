/*
 * Places that owners, such as teams, share fairly without a limit for each: an owner may always have its first few while any is free,
 * and takes more only while it has no more than stay free besides the reserved ones. One owner alone gets half of what is not
 * reserved, two get a third each, and the reserved places are there for owners that have few.
 */

export type FairShares = {
  canTake: (owner: string) => boolean;
  /** Takes a place. @returns false, and takes nothing, when the owner may not have another one */
  take: (owner: string) => boolean;
  /** Returns a place. */
  give: (owner: string) => void;
  /** How many places each owner has, without owners that have none. */
  held: ReadonlyMap<string, number>;
  /** How many places are free. */
  free: () => number;
};

/** `reserved`: places that only owners with fewer than `assured` may take. */
export type FairSharesOptions = { total: number; reserved: number; assured: number };

export function createFairShares({ total, reserved, assured }: FairSharesOptions): FairShares {
  const held = new Map<string, number>();
  let free = total;

  const canTake = (owner: string): boolean => {
    const own = (held.get(owner) ?? 0) + 1;
    return free > 0 && (own <= assured || own <= free - 1 - reserved);
  };

  return {
    canTake,
    take(owner) {
      if (!canTake(owner)) return false;
      free--;
      held.set(owner, (held.get(owner) ?? 0) + 1);
      return true;
    },
    give(owner) {
      const own = held.get(owner) ?? 0;
      if (own === 0) return;
      free++;
      if (own === 1) held.delete(owner);
      else held.set(owner, own - 1);
    },
    held,
    free: () => free,
  };
}
