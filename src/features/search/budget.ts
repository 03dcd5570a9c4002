/* The budget of one search request. When it is spent, the search stops, and the next request continues there. */

export type BudgetLimits = {
  /** Time limit, including waits for the database. */
  ms: number;
  /** The most blocks to unpack. */
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
