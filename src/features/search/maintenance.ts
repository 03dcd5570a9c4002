/* The background work of search, in small steps: builds runs of signatures, rebuilds signatures, removes the index of 1.0. */
import type { SliceResult } from '../../db/background.ts';
import type { OldIndexStore } from './old-index-store.ts';
import { createRunBuilder } from './run-builder.ts';
import type { RunsStore } from './runs-store.ts';
import { createRebuild, signAgain } from './signing.ts';
import type { SigningStore } from './signing-store.ts';

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

export function createIndexMaintenance({
  runs,
  signing,
  oldIndex,
  addJob,
  monotonic,
  isBusy,
  runLength,
}: IndexMaintenanceOptions) {
  const sign = async (blocks: readonly number[]): Promise<void> => {
    for (const number of blocks) {
      const block = await signing.blockAfter(number - 1);
      if (block?.seq === number) await signing.save(await signAgain(signing, block));
    }
  };
  const builder = createRunBuilder({ store: runs, sign, monotonic, ...(runLength && { runLength }) });
  const rebuild = createRebuild(signing, runs);
  let hasOldIndex: boolean | undefined;

  const removeOldIndex = async (): Promise<void> => {
    hasOldIndex ??= await oldIndex.exists();
    if (!hasOldIndex || (await oldIndex.removeSome())) return;
    await oldIndex.drop();
    hasOldIndex = false;
  };

  /** Does the most urgent step. @returns whether there may be more work */
  const step = async (): Promise<boolean> => {
    if (rebuild.isDue()) await rebuild.step(runs.lastRun);
    else if (await builder.step()) return true;
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

    /** Starts the background work, including the search for runs whose blocks were removed. */
    wakeForMaintenance(): void {
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
