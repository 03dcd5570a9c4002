/* Runs of signatures (bit-slices.ts): the numbers of their parts, and the list of their blocks, with four numbers for each. */
import type { Position } from '../ids/cursor.ts';

/** The facts about a block in the list of its run. */
export type SignedBlock = { block: number; newest: number; oldest: number; lastEvent: number };

const numbersPerBlock = 4;
export const bytesPerBlock = numbersPerBlock * 8;
/** The most parts of a run. The row number of a part is the run's number times this, plus the number of the part. */
export const maxParts = 2048;

export const partSeq = (run: number, part: number): number => run * maxParts + part;

export function packBlocks(blocks: readonly SignedBlock[]): Uint8Array {
  const bytes = new Uint8Array(blocks.length * bytesPerBlock);
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const { block, newest, oldest, lastEvent } of blocks)
    for (const number of [block, newest, oldest, lastEvent]) {
      view.setFloat64(at, number);
      at += 8;
    }
  return bytes;
}

export function unpackSignedBlock(bytes: Uint8Array, position: number): SignedBlock {
  return signedBlockAt(new DataView(bytes.buffer, bytes.byteOffset), position * bytesPerBlock);
}

const signedBlockAt = (view: DataView, at: number): SignedBlock => ({
  block: view.getFloat64(at),
  newest: view.getFloat64(at + 8),
  oldest: view.getFloat64(at + 16),
  lastEvent: view.getFloat64(at + 24),
});

export function unpackBlocks(bytes: Uint8Array): SignedBlock[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  return Array.from({ length: bytes.length / bytesPerBlock }, (_, i) => signedBlockAt(view, i * bytesPerBlock));
}

export const firstPosition = ({ newest, lastEvent }: SignedBlock): Position => ({ receivedAt: newest, seq: lastEvent });
