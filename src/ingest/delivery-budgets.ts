/*
 * How much memory deliveries may hold until they are stored. There are three budgets, so that one kind cannot use up the memory
 * of another:
 * - `complete`: small deliveries that have arrived. They wait only for a commit, so they have no shares, and counting one is cheap.
 *   Most deliveries are of this kind.
 * - `small`: arriving deliveries of up to 256 KiB, with a share for each sender's address.
 * - `large`: arriving deliveries beyond that size, with a share for each address and for each endpoint.
 */

import { createMemoryBudget, type MemoryBudget } from '../core/concurrency/memory-budget.ts';
import { networkOf } from '../shared/addresses.ts';

export type DeliveryBudgets = Record<'complete' | 'small' | 'large', MemoryBudget>;

export const maxSmallBytes = 256 << 10;

const smallTotalBytes = 64 << 20;
const largeTotalBytes = 256 << 20;

export const maxHeldBytes = (maxBodyBytes: number): number => 2 * smallTotalBytes + largeTotal(maxBodyBytes);

const largeTotal = (maxBodyBytes: number): number => Math.max(largeTotalBytes, 3 * maxBodyBytes);

export function createDeliveryBudgets(
  maxBodyBytes: number,
  { smallBytes = smallTotalBytes, largeBytes = largeTotal(maxBodyBytes) } = {},
): DeliveryBudgets {
  return {
    complete: createMemoryBudget({ totalBytes: smallBytes }),
    small: createMemoryBudget({ totalBytes: smallBytes }),
    // Beside the largest holder there is always space for two bodies of maximum size, so that another holder can use one.
    large: createMemoryBudget({
      totalBytes: largeBytes,
      maxBytesPerHolder: Math.max(maxBodyBytes, largeBytes - 2 * maxBodyBytes),
    }),
  };
}

/** The holder in `small` for an arriving delivery from this address: the address for IPv4, its network for IPv6. */
export const smallHolders = (clientAddress: string): readonly string[] => [
  clientAddress.includes(':') ? networkOf(clientAddress) : clientAddress,
];

/** Counts one arriving delivery: in `small` until it is too large for that, then in `large`. */
export function budgetOfDelivery(
  { small, large }: DeliveryBudgets,
  from: { clientAddress: string; endpoint: number },
): MemoryBudget {
  let holders = smallHolders(from.clientAddress);
  let budget = small;
  let heldBytes = 0;

  const moveToLarge = (bytes: number): boolean => {
    const holdersOfLarge = [...holders, `endpoint ${from.endpoint}`];
    if (!large.take(heldBytes + bytes, holdersOfLarge)) return false;
    small.give(heldBytes, holders);
    budget = large;
    holders = holdersOfLarge;
    return true;
  };
  return {
    take: bytes => {
      const fits =
        budget === small && heldBytes + bytes > maxSmallBytes ? moveToLarge(bytes) : budget.take(bytes, holders);
      if (fits) heldBytes += bytes;
      return fits;
    },
    give: bytes => {
      heldBytes -= bytes;
      budget.give(bytes, holders);
    },
  };
}
