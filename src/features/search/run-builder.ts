/*
 * Moves the signatures of full blocks into runs, oldest first, in slices of a few milliseconds. Every block always has its own
 * signature or is in a usable run: the signatures that a run replaces are deleted only after it is complete. A crash loses the
 * work of one slice; another process that shares the database continues with the same run. If most blocks of a run no longer
 * exist, or the run has no filters of values, its blocks get their own signatures again, and the run is removed.
 */
import { makePart, partBytes } from '../../core/blocks/bit-slices.ts';
import { factBytes } from '../../core/blocks/block-facts.ts';
import type { BlockFilters } from '../../core/blocks/block-signature.ts';
import { createTimeSlices } from '../../core/concurrency/time-slices.ts';
import type { RunsStore, StoredRun } from './runs-store.ts';
import { blocksPerStep } from './signing.ts';

/** Two parts of 8,160 bytes fit on a page of the database; with 2,048 blocks, each would take a page. */
const blocksPerRun = 2040;
/**
 * How many parts or signatures one transaction writes or deletes: parts of nearly 8 KiB, and signatures of up to 6 KiB. Under load most
 * of a slice's time is its wait for the writer, so small slices would fall behind capture.
 */
const partsPerSlice = 128;
const signaturesPerSlice = 512;
const filtersPerRead = 128;
/** A run with a smaller share of existing blocks is removed. */
const minLiving = 1 / 8;

export function createRunBuilder(options: {
  store: RunsStore;
  /** Computes the signatures of these blocks again from their contents. @returns the blocks that cannot be read */
  sign: (blocks: readonly number[]) => Promise<number[]>;
  monotonic: () => number;
  runLength?: number;
}) {
  const { store, sign, monotonic, runLength = blocksPerRun } = options;
  /** The filters of the run under construction. */
  let filters: { run: number; filters: (BlockFilters | undefined)[] } | undefined;
  /** Runs up to this number have been checked for deleted blocks; undefined when no check is due. */
  let checked: number | undefined = 0;

  const filtersOf = async ({ seq, blocks }: StoredRun): Promise<(BlockFilters | undefined)[]> => {
    if (filters?.run !== seq) {
      const numbers = blocks.map(({ block }) => block);
      const read: NonNullable<typeof filters>['filters'] = [];
      // All at once would be 8 MiB, in three copies until the threads collect them.
      for (let at = 0; at < numbers.length; at += filtersPerRead) {
        const asked = numbers.slice(at, at + filtersPerRead);
        const found = await store.filters(asked);
        read.push(...asked.map(number => found.get(number)));
      }
      filters = { run: seq, filters: read };
    }
    return filters.filters;
  };

  const addParts = async (run: StoredRun): Promise<void> => {
    const from = await store.storedParts(run.seq);
    const factsFrom = run.filterBytes / partBytes;
    const valuesFrom = factsFrom + factBytes / partBytes;
    const to = Math.min(valuesFrom + run.valueBytes / partBytes, from + partsPerSlice);
    if (from === to) {
      await store.setState(run.seq, 0, 1);
      filters = undefined;
      return;
    }
    const yieldIfDue = createTimeSlices({ monotonic });
    const given = await filtersOf(run);
    const [texts, facts, values] = [
      given.map(one => one?.filter),
      given.map(one => one?.facts),
      given.map(one => one?.values),
    ];
    const parts: Uint8Array[] = [];
    for (let part = from; part < to; part++) {
      if (part < factsFrom) parts.push(makePart(texts, run.filterBytes, part));
      else if (part < valuesFrom) parts.push(makePart(facts, factBytes, part - factsFrom));
      else parts.push(makePart(values, run.valueBytes, part - valuesFrom));
      await yieldIfDue();
    }
    await store.addParts(run.seq, from, parts);
  };

  const forgetSignatures = async ({ seq, blocks }: StoredRun): Promise<void> => {
    const left = await store.signed(blocks.map(({ block }) => block));
    if (left.length === 0) await store.setState(seq, 1, 2);
    else await store.forget(left.slice(0, signaturesPerSlice));
  };

  const removeRun = async ({ seq }: StoredRun): Promise<void> => {
    if ((await store.removeParts(seq, partsPerSlice)) === 0) await store.remove(seq);
  };

  const workOn = (run: StoredRun): Promise<void> => {
    if (run.state === 0) return addParts(run);
    return run.state === 1 ? forgetSignatures(run) : removeRun(run);
  };

  const checkNext = async (after: number): Promise<void> => {
    const run = await store.finishedAfter(after);
    checked = run?.seq;
    if (!run) return;
    const living = await store.living(run.blocks.map(({ block }) => block));
    if (run.valueBytes > 0 && living.length > run.blocks.length * minLiving) return;
    const signed = new Set(await store.signed(living));
    const left = living.filter(block => !signed.has(block));
    const unreadable = new Set(await sign(left.slice(0, blocksPerStep)));
    await store.keep(run.blocks.filter(({ block }) => unreadable.has(block)));
    if (left.length <= blocksPerStep) await store.setState(run.seq, 2, 3);
    else checked = after;
  };

  return {
    /** Starts a check of all runs for deleted blocks. */
    checkRuns(): void {
      checked ??= 0;
    },

    /** @returns whether there was work to do */
    async step(): Promise<boolean> {
      const unfinished = await store.unfinished();
      if (unfinished) {
        await workOn(unfinished);
        return true;
      }
      if (checked !== undefined) {
        await checkNext(checked);
        return true;
      }
      const endpoint = await store.endpointWith(runLength);
      if (endpoint === undefined) return false;
      const run = await store.oldest(endpoint, runLength);
      if (run.blocks.length < runLength) return false;
      await store.add(endpoint, run);
      return true;
    },
  };
}
