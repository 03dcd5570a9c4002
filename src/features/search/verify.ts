/* Decides which events contain a term, by their texts. Memory is bounded: small blocks are read together, larger ones alone. */
import { createTimeSlices } from '../../core/concurrency/time-slices.ts';
import type { Position } from '../../core/cursor.ts';
import {
  type EventRecord,
  maxBlockBytes,
  readRecords,
  type StoredBlock,
  unpackBlock,
  unpackLargeBlock,
} from '../../core/event-block.ts';
import type { Matcher } from '../../core/search-text.ts';
import { DamagedError } from '../../core/stored-content.ts';
import { ChangedError } from './candidates.ts';
import type { Candidate, EventRow, ListRest, SearchStore } from './store.ts';

/** Bytes of the bodies of 1.0 rows that are read together, as stored. */
const unpackedBatch = 32;

export type Verifier = ReturnType<typeof createVerifier>;

export function createVerifier(options: {
  store: SearchStore;
  rest: ListRest;
  matcher: Matcher;
  /** When the search began. */
  newestBlock: number;
  monotonic: () => number;
}) {
  const { store, rest, matcher, newestBlock, monotonic } = options;
  const yieldIfDue = createTimeSlices({ monotonic });

  const matches = async (eventType: string | null, body: Uint8Array): Promise<boolean> => {
    const steps = matcher(eventType, body);
    for (;;) {
      const { done, value } = steps.next();
      await yieldIfDue();
      if (done) return value;
    }
  };

  const recordsOf = async (block: StoredBlock): Promise<EventRecord[]> => {
    try {
      const records = block.bytes > maxBlockBytes ? await unpackLargeBlock(block) : unpackBlock(block);
      return [...readRecords(records, block.firstEvent)];
    } catch (error) {
      // `hooktape check` reports it. The other events can still be searched.
      if (error instanceof DamagedError) return [];
      throw error;
    }
  };

  const verifyBlocks = async (blocks: Iterable<StoredBlock>): Promise<Position[]> => {
    const records: EventRecord[] = [];
    for (const block of blocks) {
      records.push(...(await recordsOf(block)));
      await yieldIfDue();
    }
    const events = await store.events(
      rest,
      records.map(({ seq }) => seq),
    );
    const found: Position[] = [];
    for (const { seq, body } of records) {
      const event = events.get(seq);
      if (event && (await matches(event.eventType, body))) found.push({ seq, receivedAt: event.receivedAt });
    }
    return found;
  };

  return {
    /** The matching events of these blocks. @throws ChangedError */
    async inBlocks(candidates: readonly Candidate[]): Promise<Position[]> {
      const numbers = candidates.map(({ block }) => block);
      const { blocks, larger } = await store.blocks(numbers, maxBlockBytes);
      const found = await verifyBlocks(blocks.values());
      const missing = new Set(numbers);
      for (const number of blocks.keys()) missing.delete(number);
      for (const number of larger) {
        const one = (await store.blocks([number], Number.MAX_SAFE_INTEGER)).blocks;
        if (one.size > 0) missing.delete(number);
        found.push(...(await verifyBlocks(one.values())));
      }
      for (const { block, first } of candidates)
        if (missing.has(block) && (await store.wereMoved(rest.endpoint, newestBlock, first.seq)))
          throw new ChangedError();
      return found;
    },

    /** The matching events among these, in blocks or rows. */
    async inEvents(seqs: readonly number[]): Promise<Position[]> {
      const found: Position[] = [];
      const use = async ({ seq, receivedAt, eventType }: EventRow, body: Uint8Array): Promise<void> => {
        if (await matches(eventType, body)) found.push({ seq, receivedAt });
      };
      for (let at = 0; at < seqs.length; at += unpackedBatch)
        await store.bodies(rest, seqs.slice(at, at + unpackedBatch), use);
      return found;
    },
  };
}
