/* What one request of a search may cost. Beyond it the search stops, and the next request goes on where it stopped. */

export type BudgetLimits = {
  /** Time, of which most is work: waiting for the database counts, too. */
  ms: number;
  /** Blocks that are unpacked. */
  blocks: number;
};

export type Budget = { spend: (blocks: number) => void; isSpent: () => boolean };

export function createBudget({ ms, blocks }: BudgetLimits, monotonic: () => number): Budget {
  const until = monotonic() + ms;
  let left = blocks;
  return {
    spend: count => {
      left -= count;
    },
    isSpent: () => left <= 0 || monotonic() >= until,
  };
}
