/*
 * For forwards per delivery. A sender repeats a delivery if our response is lost; the destination gets it once, so an attempt is
 * skipped if an earlier one was forwarded. An attempt with a valid signature is skipped only for an earlier attempt that is also
 * valid. Otherwise anyone who knows a delivery's id could suppress it.
 */
import type { FedEvent, OpenForward } from './store.ts';

type Attempt = { seq: number; receivedAt: number };
/** An event that no longer exists has no entry. */
type Verdicts = ReadonlyMap<number, string | null>;

export function createFirstAttempts(options: {
  /** The attempts of the deliveries of these events, by row number. */
  groupsOf: (
    endpoint: number,
    events: readonly FedEvent[],
  ) => Promise<ReadonlyMap<number, { attempts: readonly Attempt[] }>>;
  /** The matching events among these, without refused ones. */
  forwarded: (forward: OpenForward, seqs: readonly number[]) => Promise<ReadonlySet<number>>;
  verdictsOf: (forward: OpenForward, seqs: readonly number[]) => Promise<Verdicts>;
}) {
  const { groupsOf, forwarded, verdictsOf } = options;
  return async (forward: OpenForward, events: readonly FedEvent[]): Promise<FedEvent[]> => {
    const groups = await groupsOf(forward.endpoint, events);
    /** The earlier attempts of each event, by its row number. */
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
