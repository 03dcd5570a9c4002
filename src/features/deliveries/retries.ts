/* The schedule on which senders retry: the median time before each retry. */
import type { DeliveryBasis } from '../../core/ids/delivery-key.ts';
import type { SenderRetries } from './model.ts';

/** A delivery with several attempts, oldest first. */
export type ObservedDelivery = {
  platform: string | null;
  basis: DeliveryBasis;
  attempts: readonly { receivedAt: number }[];
};

const maxRetries = 20;

/** By platform and basis, those with most deliveries first. */
export function senderRetries(deliveries: readonly ObservedDelivery[]): SenderRetries[] {
  const senders = Map.groupBy(deliveries, ({ platform, basis }) => `${basis} ${platform ?? ''}`);
  return [...senders.values()]
    .map(ofSender => ({
      platform: ofSender[0]?.platform ?? null,
      basis: ofSender[0]?.basis ?? 'content',
      deliveries: ofSender.length,
      retries: retriesOf(ofSender),
    }))
    .sort((a, b) => b.deliveries - a.deliveries);
}

function retriesOf(deliveries: readonly ObservedDelivery[]): SenderRetries['retries'] {
  const longest = Math.max(...deliveries.map(({ attempts }) => attempts.length));
  const retries: SenderRetries['retries'] = [];
  for (let n = 1; n < Math.min(longest, maxRetries + 1); n++) {
    const gaps = deliveries.flatMap(({ attempts }) => {
      const [before, after] = [attempts[n - 1], attempts[n]];
      return before && after ? [after.receivedAt - before.receivedAt] : [];
    });
    retries.push({ attempt: n + 1, gapMs: median(gaps), deliveries: gaps.length });
  }
  return retries;
}

/** @param numbers at least one */
function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return Math.round(((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle)] ?? 0)) / 2);
}
