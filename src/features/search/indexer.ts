/*
 * Adds stored events to the index in the background, in slices that hold the writer for a few milliseconds. The watermark
 * moves in the same transaction as the entries, so a crash loses at most the work of one slice. The many small segments are
 * merged in between, in slices of the same size.
 */
import { createBatchSize } from '../../core/concurrency/batch-size.ts';
import { createTimeSlices } from '../../core/concurrency/time-slices.ts';
import type { SliceResult } from '../../db/background.ts';
import { toIndexEntry } from './index-entry.ts';
import type { IndexEntry, SearchStore } from './store.ts';

/** What one append writes: the least when the writer is slow, the most when it takes 4 ms. */
const minCharacters = 12 << 10;
const maxCharacters = 28 << 10;
const targetMs = 4;
const appendEntries = 64;
/** Steps of one slice when idle: waiting for the next slice takes long compared with a step. */
const stepsPerSlice = 4;
/** Read and prepared together. */
const readBytes = 1 << 20;
const readEntries = 64;
/** Segments are merged eight at a time: each entry is rewritten once per level, which this keeps up with. */
const mergePages = 12;
const mergePagesWhileBusy = 8;
/** Under load, each step is followed by a pause of this many times its duration: the index gets 1 % of the time. */
const restFactor = 100;
/** Limits how late the end of the load is noticed. */
const maxRestMs = 50;

export type Indexer = ReturnType<typeof createIndexer>;

export type IndexerOptions = {
  store: SearchStore;
  monotonic: () => number;
  /** Whether deliveries wait for their commit, or many arrive. */
  isBusy: () => boolean;
  /** Called after each slice: all events up to this row number are in the index. */
  onIndexed: (watermark: number) => void;
};

type Rebuild = {
  finished: Promise<void>;
  done: () => void;
  onProgress: (done: number, total: number) => void;
  /** Known once the index has been emptied. */
  total?: number;
};

export function createIndexer({ store, monotonic, isBusy, onIndexed }: IndexerOptions) {
  let prepared: IndexEntry[] = [];
  /** The stored watermark; undefined when it must be read first. */
  let watermark: number | undefined;
  let preparedTo = 0;
  const batchSize = createBatchSize({ targetMs, initial: minCharacters, min: minCharacters, max: maxCharacters });
  let isMergeDue = false;
  let restUntil = 0;
  let rebuild: Rebuild | undefined;

  const reset = (): void => {
    prepared = [];
    watermark = undefined;
  };

  /** Reads and prepares the next events after `seq`. */
  const read = async (seq: number): Promise<IndexEntry[]> => {
    const yieldIfDue = createTimeSlices({ monotonic });
    let bytes = 0;
    let count = 0;
    for (const size of await store.sizesAfter(seq, readEntries)) {
      if (count > 0 && bytes + size > readBytes) break;
      bytes += size;
      count++;
    }
    if (count === 0) return [];
    const entries: IndexEntry[] = [];
    for (const event of await store.searchedAfter(seq, count)) {
      entries.push(toIndexEntry(event));
      await yieldIfDue();
    }
    return entries;
  };

  const addPrepared = (entries: readonly IndexEntry[]): void => {
    prepared.push(...entries);
    preparedTo = entries.at(-1)?.seq ?? preparedTo;
  };

  /** @returns whether there is anything to append */
  const prepare = async (): Promise<boolean> => {
    if (watermark === undefined) {
      watermark = (await store.progress()).watermark;
      preparedTo = watermark;
    }
    addPrepared(await read(preparedTo));
    return prepared.length > 0;
  };

  const take = (): IndexEntry[] => {
    let characters = 0;
    let count = 0;
    for (const { trigrams } of prepared) {
      if (count > 0 && (count === appendEntries || characters + trigrams.length > batchSize.units())) break;
      characters += trigrams.length;
      count++;
    }
    return prepared.splice(0, count);
  };

  const append = async (): Promise<void> => {
    const entries = take();
    const to = entries.at(-1)?.seq;
    if (to === undefined || watermark === undefined) return;
    const from = watermark;
    const rest = prepared;
    // After an error the state is unknown, and the next slice reads the watermark again.
    reset();
    const startedAt = monotonic();
    const appending = store.append(entries, from, to).finally(() => {
      const characters = entries.reduce((sum, { trigrams }) => sum + trigrams.length, 0);
      batchSize.record(characters, monotonic() - startedAt);
    });
    // The writer is another thread: prepare the next entries meanwhile.
    const [isAppended, next] = await Promise.all([appending, rest.length === 0 && !isBusy() ? read(to) : []]);
    if (!isAppended) return;
    watermark = to;
    prepared = rest;
    addPrepared(next);
    isMergeDue = true;
    onIndexed(to);
    rebuild?.onProgress(to, rebuild.total ?? to);
  };

  const begin = async (): Promise<void> => {
    await store.clear();
    reset();
    if (rebuild) rebuild.total = (await store.progress()).last;
  };

  const step = async (): Promise<'more' | 'done'> => {
    if (rebuild && rebuild.total === undefined) await begin();
    else if (isMergeDue) {
      isMergeDue = false;
      await store.merge(isBusy() ? mergePagesWhileBusy : mergePages);
    } else if (prepared.length > 0 || (await prepare())) await append();
    else if (!(await store.merge(mergePages))) {
      // A rebuild was requested during this slice and has not begun.
      if (rebuild && rebuild.total === undefined) return 'more';
      rebuild?.done();
      rebuild = undefined;
      return 'done';
    }
    return 'more';
  };

  return {
    /** A slice of the background job: one step, or a few when idle. */
    async slice(): Promise<SliceResult> {
      for (let steps = 1; ; steps++) {
        const startedAt = monotonic();
        if (isBusy() && startedAt < restUntil) return { restMs: Math.min(maxRestMs, restUntil - startedAt) };
        const result = await step();
        const endedAt = monotonic();
        restUntil = endedAt + restFactor * (endedAt - startedAt);
        if (result === 'done' || isBusy() || steps === stepsPerSlice) return result;
      }
    },

    /**
     * The next slice empties the index, and later ones fill it again. Resolves when that is done. A second call meanwhile
     * waits for the same rebuild.
     * @param onProgress gets the last row number that was indexed, and the last one of all
     */
    rebuild(onProgress: (done: number, total: number) => void): Promise<void> {
      if (!rebuild) {
        const { promise: finished, resolve: done } = Promise.withResolvers<void>();
        rebuild = { finished, done, onProgress };
      }
      return rebuild.finished;
    },
  };
}
