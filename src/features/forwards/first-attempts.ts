/*
 * For forwards of deliveries: senders repeat a delivery when our answer is lost, and the destination gets it once. An attempt is passed
 * when an earlier one is forwarded. An attempt whose signature is valid is passed only for another valid one, so that nobody can keep a
 * delivery back who knows its id.
 */
import type { FedEvent, OpenForward } from './store.ts';

type Attempt = { seq: number; receivedAt: number };
/** Undefined: the event is gone. */
type Verdicts = ReadonlyMap<number, string | null>;

export function createFirstAttempts(options: {
  /** The attempts of the deliveries of these events, by row number. */
  groupsOf: (
    endpoint: number,
    events: readonly FedEvent[],
  ) => Promise<ReadonlyMap<number, { attempts: readonly Attempt[] }>>;
  /** The given events that match and are not refused. */
  forwarded: (forward: OpenForward, seqs: readonly number[]) => Promise<ReadonlySet<number>>;
  verdictsOf: (forward: OpenForward, seqs: readonly number[]) => Promise<Verdicts>;
}) {
  const { groupsOf, forwarded, verdictsOf } = options;
  return async (forward: OpenForward, events: readonly FedEvent[]): Promise<FedEvent[]> => {
    const groups = await groupsOf(forward.endpoint, events);
    /** The events that came before, by row number of the event. */
    const earlier = new Map<number, number[]>();
    for (const { seq } of events) {
      const before = (groups.get(seq)?.attempts ?? []).map(one => one.seq);
      const counted = before.filter(one => one < seq && one > forward.since);
      if (counted.length > 0) earlier.set(seq, counted);
    }
    if (earlier.size === 0) return [...events];
    const candidates = [...new Set([...earlier.values()].flat())];
    const sent = await forwarded(forward, candidates);
    const verdicts = await verdictsOf(forward, [...sent, ...earlier.keys()]);
    return events.filter(({ seq }) => {
      const mustBeValid = verdicts.get(seq) === 'valid';
      return !(earlier.get(seq) ?? []).some(one => sent.has(one) && (!mustBeValid || verdicts.get(one) === 'valid'));
    });
  };
}
