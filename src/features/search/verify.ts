/*
 * Decides which events meet a condition: first by the columns of their rows, then by their contents. Memory is bounded: small blocks are
 * read together, larger ones alone.
 */

import {
  type EventRecord,
  maxBlockBytes,
  type StoredBlock,
  selectRecords,
  unpackBlock,
  unpackLargeBlock,
} from '../../core/blocks/event-block.ts';
import { DamagedError } from '../../core/blocks/stored-content.ts';
import { bytesToRead, type ContentRead } from '../../core/concurrency/content-reads.ts';
import { createTimeSlices } from '../../core/concurrency/time-slices.ts';
import type { Position } from '../../core/ids/cursor.ts';
import { ChangedError } from './candidates.ts';
import type { Condition, EventRow } from './condition.ts';
import type { ListRest } from './rows-store.ts';
import type { Candidate, SearchStore } from './store.ts';

/** How many events, and how many blocks, one step reads. */
const eventsAtOnce = 32;
const blocksAtOnce = 32;
/** The cost of an event that is read on its own, in blocks: several such events are often in one block. */
const blocksPerEvent = 1 / 4;

export type Verifier = ReturnType<typeof createVerifier>;

export function createVerifier(options: {
  store: Pick<SearchStore, 'blocks' | 'wereMoved' | 'events' | 'bodies' | 'blockRows' | 'attemptsOf'>;
  rest: ListRest;
  condition: Condition;
  /** The newest block when the search began. */
  newestBlock: number;
  monotonic: () => number;
  read: ContentRead;
}) {
  const { store, rest, condition, newestBlock, monotonic, read } = options;
  const { columns, prefilter, excludes } = condition;
  const yieldIfDue = createTimeSlices({ monotonic, signal: read.signal });
  let unpacked = 0;

  /** The records of a block that may match. @param known rows by number; undefined until they are read */
  const recordsOf = async (
    block: StoredBlock,
    known: ReadonlyMap<number, EventRow> | undefined,
  ): Promise<EventRecord[]> => {
    const { firstEvent } = block;
    const isKnown = (distance: number): boolean => known?.has(firstEvent + distance) ?? true;
    try {
      if (block.bytes > maxBlockBytes)
        return selectRecords(await unpackLargeBlock(block), firstEvent, ({ distance }) => isKnown(distance));
      const records = unpackBlock(block);
      const mayMatch = prefilter?.(records);
      return selectRecords(
        records,
        firstEvent,
        place => isKnown(place.distance) && (mayMatch === undefined || mayMatch(place)),
      );
    } catch (error) {
      // `hooktape check` reports the damage. The other events can still be searched.
      if (error instanceof DamagedError) return [];
      throw error;
    }
  };

  const attemptsOf = async (seqs: readonly number[]): Promise<ReadonlyMap<number, number>> =>
    columns?.needs.has('attempt') && seqs.length > 0 ? store.attemptsOf(rest.endpoint, seqs) : noAttempts;
  /** Adds the attempt numbers of events, if a term needs them. */
  const withAttempts = async <Row extends EventRow>(rows: readonly Row[]): Promise<readonly Row[]> => {
    const attempts = await attemptsOf(rows.map(({ seq }) => seq));
    return attempts.size === 0 ? rows : rows.map(row => ({ ...row, attempt: attempts.get(row.seq) }));
  };

  const matches = async (row: EventRow, record: EventRecord | undefined): Promise<boolean> =>
    condition.decide(row) ?? condition.matches(row, record, yieldIfDue);

  /** @param known rows by number; undefined until they are read */
  const inContents = async (
    blocks: Iterable<StoredBlock>,
    known: ReadonlyMap<number, EventRow> | undefined,
  ): Promise<Position[]> => {
    const records: EventRecord[] = [];
    for (const block of blocks) {
      unpacked++;
      for (const record of await recordsOf(block, known))
        if (known || !excludes || !(await excludes(record, yieldIfDue))) records.push(record);
      await yieldIfDue();
    }
    if (records.length === 0) return [];
    const seqs = records.map(({ seq }) => seq);
    const rows = known ?? bySeq(await withAttempts([...(await store.events(rest, seqs, columns)).values()]));
    const found: Position[] = [];
    for (const record of records) {
      const row = rows.get(record.seq);
      if (row && (await matches(row, record))) found.push(toPosition(row));
    }
    return found;
  };

  /** The matching events of blocks by their contents. @param gone gets the blocks that no longer exist */
  const readBlocks = async (
    numbers: readonly number[],
    gone: Set<number>,
    known?: ReadonlyMap<number, EventRow>,
  ): Promise<Position[]> => {
    const found: Position[] = [];
    for (let at = 0; at < numbers.length; at += blocksAtOnce) {
      const some = numbers.slice(at, at + blocksAtOnce);
      await read.hold(0);
      const { blocks, larger } = await store.blocks(some, maxBlockBytes);
      found.push(...(await inContents(blocks.values(), known)));
      const missing = new Set(some);
      for (const number of blocks.keys()) missing.delete(number);
      for (const { number, bytes } of larger) {
        await read.hold(bytesToRead(bytes));
        const one = (await store.blocks([number], Number.MAX_SAFE_INTEGER)).blocks;
        if (one.size > 0) missing.delete(number);
        found.push(...(await inContents(one.values(), known)));
      }
      for (const number of missing) gone.add(number);
    }
    return found;
  };

  /** Like `readBlocks`, but decides by rows first. */
  const readRows = async (numbers: readonly number[], gone: Set<number>): Promise<Position[]> => {
    if (!columns) return readBlocks(numbers, gone);
    const { rows: read, wide, found: existing } = await store.blockRows(rest, numbers, columns);
    const rows = await withAttempts(read);
    for (const number of numbers) if (!existing.has(number)) gone.add(number);
    const found: Position[] = [];
    const open = new Map<number, EventRow>();
    const openBlocks = new Set<number>();
    for (const row of rows) {
      const decided = condition.decide(row);
      if (decided) found.push(toPosition(row));
      if (decided !== undefined) continue;
      open.set(row.seq, row);
      openBlocks.add(row.block);
    }
    found.push(...(await readBlocks([...openBlocks], gone, open)));
    found.push(...(await readBlocks(wide, gone)));
    return found;
  };

  const inEvents = async (seqs: readonly number[]): Promise<Position[]> => {
    const found: Position[] = [];
    for (let at = 0; at < seqs.length; at += eventsAtOnce) {
      const some = seqs.slice(at, at + eventsAtOnce);
      const attempts = await attemptsOf(some);
      await store.bodies({ endpoint: rest.endpoint, seqs: some, plan: columns, read }, async (row, content) => {
        unpacked += blocksPerEvent;
        const known = attempts.size === 0 ? row : { ...row, attempt: attempts.get(row.seq) };
        if (await condition.matches(known, content, yieldIfDue)) found.push(toPosition(row));
      });
    }
    return found;
  };

  return {
    /** Blocks that were unpacked since the last call. */
    takeUnpacked(): number {
      const count = unpacked;
      unpacked = 0;
      return count;
    },

    /** The matching events of these blocks. @throws ChangedError */
    async inBlocks(candidates: readonly Candidate[]): Promise<Position[]> {
      const gone = new Set<number>();
      const found = await readRows(
        candidates.map(({ block }) => block),
        gone,
      );
      for (const { block, first } of candidates)
        if (gone.has(block) && (await store.wereMoved(rest.endpoint, newestBlock, first.seq))) throw new ChangedError();
      return found;
    },

    /** The matching events among these, which columns may exclude. */
    async inRows(rows: readonly EventRow[]): Promise<Position[]> {
      const open: number[] = [];
      const found: Position[] = [];
      for (const row of await withAttempts(rows)) {
        const decided = condition.decide(row);
        if (decided) found.push(toPosition(row));
        else if (decided === undefined) open.push(row.seq);
      }
      if (open.length > 0) found.push(...(await inEvents(open)));
      return found;
    },

    /** The matching events among these row numbers, in blocks or rows. */
    async inEvents(seqs: readonly number[]): Promise<Position[]> {
      if (!columns) return inEvents(seqs);
      return this.inRows([...(await store.events(rest, seqs, columns)).values()]);
    },
  };
}

const noAttempts: ReadonlyMap<number, number> = new Map();

const bySeq = (rows: readonly EventRow[]): ReadonlyMap<number, EventRow> => new Map(rows.map(row => [row.seq, row]));

const toPosition = ({ seq, receivedAt }: Position): Position => ({ seq, receivedAt });
