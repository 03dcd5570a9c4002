/* Writes blocks again, without the events that were deleted since. */
import {
  createBlockBuilder,
  maxBlockBytes,
  type PackedBlock,
  readRecords,
  type SignBlock,
  unpackBlock,
  unpackLargeBlock,
} from '../../core/blocks/event-block.ts';
import { DamagedError } from '../../core/blocks/stored-content.ts';
import { latin1 } from '../../core/encoding/buffer.ts';
import type { ContentsStore } from './contents-store.ts';

/** Moves events of a block into a new one in its place, in one transaction, except events that were deleted or moved since. */
export type ReplaceBlock = (replacement: {
  endpoint: number;
  from: number;
  blocks: readonly PackedBlock[];
  moves: readonly { seq: number; block: number; start: number }[];
}) => Promise<unknown>;

/** @returns false if the block is damaged and stays as it is */
export async function rewriteBlock(
  store: Pick<ContentsStore, 'block' | 'eventsIn' | 'removeBlock'>,
  { sign, replace }: { sign: SignBlock; replace: ReplaceBlock },
  number: number,
): Promise<boolean> {
  const block = await store.block(number);
  if (!block) return true;
  const { endpoint, firstEvent } = block;
  try {
    const records = [
      ...readRecords(block.bytes > maxBlockBytes ? await unpackLargeBlock(block) : unpackBlock(block), firstEvent),
    ];
    const events = new Map(
      (
        await store.eventsIn(
          number,
          records.map(({ seq }) => seq),
        )
      ).map(event => [event.seq, event]),
    );
    if (events.size === records.length) return true;
    if (events.size === 0) {
      await store.removeBlock(number);
      return true;
    }
    const builder = createBlockBuilder();
    const moves: { seq: number; block: number; start: number }[] = [];
    for (const { seq, path, headers, body, tail } of records) {
      const event = events.get(seq);
      if (!event) continue;
      const signed = { ...event, path: latin1(path), headersJson: headers.toString(), body };
      // It fits, because it is a part of one block.
      moves.push({ seq, block: 0, start: builder.addTail(seq, tail, signed) ?? 0 });
    }
    const packed = builder.bytes() > maxBlockBytes ? await builder.takeLarge(sign) : builder.take(sign);
    await replace({ endpoint, from: number, blocks: [packed], moves });
    return true;
  } catch (error) {
    if (error instanceof DamagedError) return false;
    throw error;
  }
}
