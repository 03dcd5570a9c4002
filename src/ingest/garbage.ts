/*
 * Collects the garbage of deliveries. Each quick collection of the engine keeps what the deliveries in flight use at that moment, for
 * tens of thousands of them, until its next full collection, which it puts off while memory is free: at full load that was
 * up to 40 MB.
 */

/** A full collection takes some 10 ms, so at most half a percent of the time at full load. */
const rowsPerCollection = 65_536;

/** @param collect a full collection @returns counts deliveries that were stored */
export function createGarbageCounter(collect: () => void): (rows: number) => void {
  let uncollected = 0;
  return rows => {
    uncollected += rows;
    if (uncollected < rowsPerCollection) return;
    uncollected = 0;
    // After the senders of this group have been answered.
    setImmediate(collect);
  };
}
