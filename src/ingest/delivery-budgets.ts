/*
 * What deliveries may hold of the memory until they are stored. Three budgets, so that no kind can keep out another:
 * - `complete`: small ones that came in one read. They wait for a commit and for nobody's good will, so they have no shares, and
 *   counting one is an addition: this is what most deliveries are.
 * - `small`: unfinished ones of up to 256 KiB, with a share for each sender's address.
 * - `large`: those that have grown beyond that, with a share for each address and for each endpoint.
 */
import { networkOf } from '../core/addresses.ts';
import { createMemoryBudget, type MemoryBudget } from '../core/memory-budget.ts';

export type DeliveryBudgets = Record<'complete' | 'small' | 'large', MemoryBudget>;

export const maxSmallBytes = 256 << 10;

const smallTotalBytes = 64 << 20;
const largeTotalBytes = 256 << 20;

/** How much all deliveries together may hold, at most. */
export const maxHeldBytes = (maxBodyBytes: number): number => 2 * smallTotalBytes + largeTotal(maxBodyBytes);

const largeTotal = (maxBodyBytes: number): number => Math.max(largeTotalBytes, 3 * maxBodyBytes);

export function createDeliveryBudgets(
  maxBodyBytes: number,
  { smallBytes = smallTotalBytes, largeBytes = largeTotal(maxBodyBytes) } = {},
): DeliveryBudgets {
  return {
    complete: createMemoryBudget({ totalBytes: smallBytes }),
    small: createMemoryBudget({ totalBytes: smallBytes }),
    // Whatever the limit of a body is: beside the greediest holder there is room for two of the largest bodies, which lets another
    // holder take one.
    large: createMemoryBudget({
      totalBytes: largeBytes,
      maxBytesPerHolder: Math.max(maxBodyBytes, largeBytes - 2 * maxBodyBytes),
    }),
  };
}

/** Whose share of `small` an unfinished delivery from this address takes. Cheap for IPv4, which has nothing to work out. */
export const smallHolders = (clientAddress: string): readonly string[] => [
  clientAddress.includes(':') ? networkOf(clientAddress) : clientAddress,
];

/** Counts the bytes of one unfinished delivery: as a small one until it is too large for that. */
export function budgetOfDelivery(
  { small, large }: DeliveryBudgets,
  from: { clientAddress: string; endpoint: number },
): MemoryBudget {
  let holders = smallHolders(from.clientAddress);
  let budget = small;
  let held = 0;

  const grow = (bytes: number): boolean => {
    const holdersOfLarge = [...holders, `endpoint ${from.endpoint}`];
    if (!large.take(held + bytes, holdersOfLarge)) return false;
    small.give(held, holders);
    budget = large;
    holders = holdersOfLarge;
    return true;
  };
  return {
    take: bytes => {
      const fits = budget === small && held + bytes > maxSmallBytes ? grow(bytes) : budget.take(bytes, holders);
      if (fits) held += bytes;
      return fits;
    },
    give: bytes => {
      held -= bytes;
      budget.give(bytes, holders);
    },
  };
}
