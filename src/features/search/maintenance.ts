/* The background work of search, in small steps: builds runs of signatures, rebuilds signatures, removes the index of 1.0. */
import type { SliceResult } from '../../db/background.ts';
import type { OldIndexStore } from './old-index-store.ts';
import { createRunBuilder } from './run-builder.ts';
import type { RunsStore } from './runs-store.ts';
import { blocksPerStep, createRebuild, signAgain } from './signing.ts';
import type { SignedAgain, SigningStore } from './signing-store.ts';

/** Under load, each step is followed by a pause of this many times its duration. */
const restFactor = 8;
const maxRestMs = 50;

export type IndexMaintenanceOptions = {
  runs: RunsStore;
  signing: SigningStore;
  oldIndex: OldIndexStore;
  /** Registers a background job, which `wake` starts. */
  addJob: (job: { name: string; slice: () => Promise<SliceResult> }) => { wake: () => void };
  monotonic: () => number;
  /** Whether deliveries wait for their commit, or arrive at a high rate. */
  isBusy: () => boolean;
  /** Blocks in a run of signatures, for tests. */
  runLength?: number | undefined;
};

export function createIndexMaintenance(options: IndexMaintenanceOptions) {
  const { runs, signing, oldIndex, addJob, monotonic, isBusy, runLength } = options;
  const sign = async (blocks: readonly number[]): Promise<number[]> => {
    const signed: SignedAgain[] = [];
    for (const number of blocks) {
      const block = await signing.blockAfter(number - 1);
      if (block?.seq === number) signed.push(...(await signAgain(signing, block)));
    }
    await signing.save(signed);
    const readable = new Set(signed.map(({ block }) => block.seq));
    return blocks.filter(block => !readable.has(block));
  };
  const builder = createRunBuilder({ store: runs, sign, monotonic, ...(runLength && { runLength }) });
  const rebuild = createRebuild(signing, runs);
  let hasOldIndex: boolean | undefined;
  /** Up to this block, there are filters of values; undefined when all blocks have one. */
  let valuesUpTo: number | undefined = 0;

  /** Signs the blocks of an earlier version. @returns false if no block is left */
  const addValues = async (): Promise<boolean> => {
    if (valuesUpTo === undefined) return false;
    const blocks = await signing.withoutValues(valuesUpTo, blocksPerStep);
    valuesUpTo = blocks.at(-1);
    await sign(blocks);
    return blocks.length > 0;
  };

  const removeOldIndex = async (): Promise<void> => {
    hasOldIndex ??= await oldIndex.exists();
    if (!hasOldIndex || (await oldIndex.removeSome())) return;
    await oldIndex.drop();
    hasOldIndex = false;
  };

  /** Does the most urgent step. @returns whether there may be more work */
  const step = async (): Promise<boolean> => {
    if (rebuild.isDue()) await rebuild.step(runs.lastRun);
    else if ((await addValues()) || (await builder.step())) return true;
    else if (hasOldIndex !== false) await removeOldIndex();
    else return false;
    return true;
  };

  const { wake } = addJob({
    name: 'search index',
    async slice() {
      const startedAt = monotonic();
      if (!(await step())) return 'done';
      return isBusy() ? { restMs: Math.min(maxRestMs, restFactor * (monotonic() - startedAt)) } : 'more';
    },
  });

  return {
    /** Starts the background work. */
    wake,

    /** Starts the background work, including the search for runs whose blocks were removed and for old signatures. */
    wakeForMaintenance(): void {
      valuesUpTo = 0;
      builder.checkRuns();
      wake();
    },

    /**
     * Rebuilds all signatures in the background. Searches stay exact during the rebuild.
     * @param onProgress gets the number of the last signed block, and the number of the last block of all
     */
    reindex(onProgress: (done: number, total: number) => void = () => {}): Promise<void> {
      const finished = rebuild.start(onProgress);
      wake();
      return finished;
    },
  };
}
