/*
 * For readers that get one attempt of each delivery: forwards and agents. A sender repeats a delivery if our response is lost, so
 * an attempt is skipped if the reader has got an earlier one. An attempt with a valid signature is skipped only for an earlier
 * attempt that is also valid. Otherwise anyone who knows a delivery's id could suppress it.
 */

type Attempt = { seq: number; receivedAt: number };
/** An event that no longer exists has no entry. */
type Verdicts = ReadonlyMap<number, string | null>;
/** `endpoint`: its row number. `since`: attempts up to this row number were not for this reader. */
type DeliveryReader = { endpoint: number; since: number };

export function createFirstAttempts<R extends DeliveryReader, E extends { seq: number }>(options: {
  groupsOf: (endpoint: number, events: readonly E[]) => Promise<ReadonlyMap<number, { attempts: readonly Attempt[] }>>;
  selectFor: (reader: R, seqs: readonly number[]) => Promise<ReadonlySet<number>>;
  verdictsOf: (reader: R, seqs: readonly number[]) => Promise<Verdicts>;
}) {
  const { groupsOf, selectFor, verdictsOf } = options;
  /** @param events which are for the reader @returns the ones that it gets */
  return async (reader: R, events: readonly E[]): Promise<E[]> => {
    const groups = await groupsOf(reader.endpoint, events);
    const earlier = new Map<number, number[]>();
    for (const { seq } of events) {
      const before = (groups.get(seq)?.attempts ?? []).map(one => one.seq);
      const counted = before.filter(one => one < seq && one > reader.since);
      if (counted.length > 0) earlier.set(seq, counted);
    }
    if (earlier.size === 0) return [...events];
    const candidates = [...new Set([...earlier.values()].flat())];
    const sent = await selectFor(reader, candidates);
    const verdicts = await verdictsOf(reader, [...sent, ...earlier.keys()]);
    return events.filter(({ seq }) => {
      const mustBeValid = verdicts.get(seq) === 'valid';
      return !(earlier.get(seq) ?? []).some(one => sent.has(one) && (!mustBeValid || verdicts.get(one) === 'valid'));
    });
  };
}
