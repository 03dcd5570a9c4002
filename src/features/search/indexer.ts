/*
 * Takes events into the index behind the capture, in slices that hold the writer for a few milliseconds. The watermark moves
 * in the same transaction as the entries, so a crash at any point loses at most the work of one slice. Merging what many
 * small slices left behind is work of the same size, in between.
 */
import { createTimeSlices } from '../../core/concurrency/time-slices.ts';
import type { SliceResult } from '../../db/background.ts';
import { toIndexEntry } from './index-entry.ts';
import type { IndexEntry, SearchStore } from './store.ts';

/** What one append writes, at least and at most: the one while the writer has much else to do, the other 4 ms at rest. */
const leastCharacters = 12 << 10;
const mostCharacters = 28 << 10;
const aimedMs = 4;
const appendEntries = 64;
/** Steps of one slice at rest: the wait for the next slice is long beside a step. */
const stepsPerSlice = 4;
/** What is read and prepared at once. */
const readBytes = 1 << 20;
const readEntries = 64;
/** Segments are merged eight at a time: each entry is rewritten once per level, which this keeps up with. */
const mergePages = 12;
const mergePagesWhileBusy = 8;
/** While much is captured, a step is followed by this many times its length of rest: 1 % of the time is for the index. */
const restFactor = 100;
/** So soon it is seen that the capture has calmed down. */
const longestRestMs = 50;

export type Indexer = ReturnType<typeof createIndexer>;

export type IndexerOptions = {
  store: SearchStore;
  monotonic: () => number;
  /** Whether deliveries are waiting for their commit, or many come in. */
  isBusy: () => boolean;
  /** Told after each slice: all up to this row number are in the index. */
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
  /** Where the watermark is, and up to where events are prepared; undefined: ask. */
  let watermark: number | undefined;
  let preparedTo = 0;
  let appendCharacters = leastCharacters;
  let isMergeDue = false;
  let restUntil = 0;
  let rebuild: Rebuild | undefined;

  const reset = (): void => {
    prepared = [];
    watermark = undefined;
  };

  /** Reads and prepares the next events after `seq`. */
  const read = async (seq: number): Promise<IndexEntry[]> => {
    const turn = createTimeSlices(monotonic);
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
      await turn();
    }
    return entries;
  };

  const keep = (entries: readonly IndexEntry[]): void => {
    prepared.push(...entries);
    preparedTo = entries.at(-1)?.seq ?? preparedTo;
  };

  /** @returns whether there is anything to append */
  const prepare = async (): Promise<boolean> => {
    if (watermark === undefined) {
      watermark = (await store.progress()).watermark;
      preparedTo = watermark;
    }
    keep(await read(preparedTo));
    return prepared.length > 0;
  };

  const take = (): IndexEntry[] => {
    let characters = 0;
    let count = 0;
    for (const { trigrams } of prepared) {
      if (count > 0 && (count === appendEntries || characters + trigrams.length > appendCharacters)) break;
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
    // Until the answer is here, nothing is known: after an error the next slice asks again.
    reset();
    const startedAt = monotonic();
    const appending = store.append(entries, from, to).finally(() => {
      const ms = Math.max(1, monotonic() - startedAt);
      const fitting = (appendCharacters * aimedMs) / ms;
      appendCharacters = Math.min(mostCharacters, Math.max(leastCharacters, (appendCharacters + fitting) / 2));
    });
    // The writer writes in a thread of its own: what comes next is prepared meanwhile.
    const [isAppended, next] = await Promise.all([appending, rest.length === 0 && !isBusy() ? read(to) : []]);
    if (!isAppended) return;
    watermark = to;
    prepared = rest;
    keep(next);
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
      // Asked for while this slice was on its way: it has not begun.
      if (rebuild && rebuild.total === undefined) return 'more';
      rebuild?.done();
      rebuild = undefined;
      return 'done';
    }
    return 'more';
  };

  return {
    /** A background job's slice: one step, and at rest a few. */
    async slice(): Promise<SliceResult> {
      for (let steps = 1; ; steps++) {
        const startedAt = monotonic();
        if (isBusy() && startedAt < restUntil) return { restMs: Math.min(longestRestMs, restUntil - startedAt) };
        const result = await step();
        const endedAt = monotonic();
        restUntil = endedAt + restFactor * (endedAt - startedAt);
        if (result === 'done' || isBusy() || steps === stepsPerSlice) return result;
      }
    },

    /**
     * The next slice empties the index, and those after it fill it again. Resolves when that is done; asked for twice, it is
     * done once.
     * @param onProgress row numbers: the last one indexed, and the last there was
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
