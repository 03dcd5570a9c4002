/* Computes signatures of stored blocks from their contents: for a rebuild, and for blocks whose run is removed. */
import { signBlock } from '../../core/blocks/block-signature.ts';
import {
  type EventRecord,
  maxBlockBytes,
  readRecords,
  unpackBlock,
  unpackLargeBlock,
} from '../../core/blocks/event-block.ts';
import { DamagedError } from '../../core/blocks/stored-content.ts';
import type { BlockToSign, RowToSign, SignedAgain, SigningStore } from './signing-store.ts';

export type ReadEvent = RowToSign & { path: string; headersJson: string; body: Uint8Array };

/** The events of a block, from their rows and its records. @throws DamagedError */
export async function eventsOf(store: Pick<SigningStore, 'events'>, block: BlockToSign): Promise<ReadEvent[]> {
  const plain = block.bytes > maxBlockBytes ? await unpackLargeBlock(block) : unpackBlock(block);
  const records: EventRecord[] = [...readRecords(plain, block.firstEvent)];
  const rows = await store.events(records.map(({ seq }) => seq));
  return records.flatMap(({ seq, path, headers, body }) => {
    const row = rows.get(seq);
    return row ? [{ ...row, path: path.toString('latin1'), headersJson: headers.toString(), body }] : [];
  });
}

/** Computes a block's signature again. Undefined for a block that cannot be read, which keeps its signature. */
export async function signAgain(store: SigningStore, block: BlockToSign): Promise<SignedAgain[]> {
  try {
    const events = await eventsOf(store, block);
    return events.length > 0 ? [{ block, signature: signBlock(events) }] : [];
  } catch (error) {
    if (error instanceof DamagedError) return [];
    throw error;
  }
}

/** Blocks signed in one step, in one transaction. */
export const blocksPerStep = 16;

/**
 * Rebuilds all signatures, a few blocks at a time.
 * @param onProgress gets the number of the last signed block, and the number of the last block of all
 */
export function createRebuild(
  store: SigningStore,
  {
    retireUpTo,
    forget,
  }: { retireUpTo: (run: number) => Promise<unknown>; forget: (blocks: number[]) => Promise<unknown> },
) {
  type Rebuild = {
    finished: Promise<void>;
    done: () => void;
    onProgress: (done: number, total: number) => void;
    /** Undefined until the rebuild has begun. */
    from?: { block: number; lastBlock: number; lastRun: number };
  };
  let rebuild: Rebuild | undefined;

  return {
    isDue: (): boolean => rebuild !== undefined,

    /** Resolves when the rebuild is done. A second call during the rebuild waits for the same one. */
    start(onProgress: (done: number, total: number) => void): Promise<void> {
      if (!rebuild) {
        const { promise: finished, resolve: done } = Promise.withResolvers<void>();
        rebuild = { finished, done, onProgress };
      }
      return rebuild.finished;
    },

    async step(lastRun: () => Promise<number>): Promise<void> {
      if (!rebuild) return;
      rebuild.from ??= { block: 0, lastBlock: await store.lastBlock(), lastRun: await lastRun() };
      const { from } = rebuild;
      const signed: SignedAgain[] = [];
      let taken = 0;
      for (; taken < blocksPerStep; taken++) {
        const block = await store.blockAfter(from.block);
        if (!block || block.seq > from.lastBlock) break;
        signed.push(...(await signAgain(store, block)));
        from.block = block.seq;
      }
      await store.save(signed);
      if (taken > 0) {
        rebuild.onProgress(from.block, from.lastBlock);
        return;
      }
      await retireUpTo(from.lastRun);
      const orphans = await store.orphans();
      if (orphans.length > 0) await forget(orphans);
      rebuild.done();
      rebuild = undefined;
    },
  };
}
