/*
 * Determines the lane of an event in an ordered forward: events with the same value of a field are sent one after the other, and
 * so are all events without that field.
 */
import { advance, type YieldIfDue } from '../../core/concurrency/time-slices.ts';
import { sha256 } from '../../core/encoding/sha256.ts';
import { createEventContent } from '../../core/filter/event-content.ts';
import { createFieldReader } from '../../core/filter/field-value.ts';
import type { HeaderPair } from '../../core/headers.ts';
import type { FedEvent, OpenForward } from './store.ts';

/** The content of an event; null if it is damaged. */
type Content = { query: Buffer | null; headers: readonly HeaderPair[]; body: Uint8Array } | null;

/** Lanes are hashes of this length, because values come from outside and may be long. */
const laneBytes = 16;
const oneLane: Uint8Array = Uint8Array.of(0);

export function createLanes(options: {
  /** The contents of events that are not large, by row number. */
  contents: (endpoint: number, seqs: readonly number[]) => Promise<ReadonlyMap<number, Content>>;
  largeContent: (endpoint: number, seq: number, yieldIfDue: YieldIfDue) => Promise<Content | undefined>;
  isLarge: (event: { size: number }) => boolean;
  createSlices: () => YieldIfDue;
}) {
  const { contents, largeContent, isLarge, createSlices } = options;
  return async (
    { endpoint, orderBy }: Pick<OpenForward, 'endpoint' | 'orderBy'>,
    events: readonly FedEvent[],
  ): Promise<Map<number, Uint8Array>> => {
    const lanes = new Map<number, Uint8Array>(events.map(({ seq }) => [seq, oneLane]));
    if (orderBy === null || events.length === 0) return lanes;
    const readField = createFieldReader(orderBy.toString());
    const yieldIfDue = createSlices();
    const laneOf = async (content: Content): Promise<Uint8Array> => {
      const value = content && (await advance(readField(createEventContent(content)), yieldIfDue));
      return value === null || value === undefined ? oneLane : sha256(Buffer.from(value)).subarray(0, laneBytes);
    };
    const step = 64;
    for (let at = 0; at < events.length; at += step) {
      const some = events.slice(at, at + step);
      const small = await contents(
        endpoint,
        some.filter(event => !isLarge(event)).map(({ seq }) => seq),
      );
      for (const event of some) {
        const content = isLarge(event) ? await largeContent(endpoint, event.seq, yieldIfDue) : small.get(event.seq);
        if (content) lanes.set(event.seq, await laneOf(content));
        await yieldIfDue();
      }
    }
    return lanes;
  };
}
