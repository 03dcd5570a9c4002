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
  for (const [i, { block, newest, oldest, lastEvent }] of blocks.entries())
    for (const [at, number] of [block, newest, oldest, lastEvent].entries())
      view.setFloat64(i * bytesPerBlock + at * 8, number);
  return bytes;
}

export function unpackSignedBlock(bytes: Uint8Array, position: number): SignedBlock {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const number = (at: number): number => view.getFloat64(position * bytesPerBlock + at * 8);
  return { block: number(0), newest: number(1), oldest: number(2), lastEvent: number(3) };
}

export const unpackBlocks = (bytes: Uint8Array): SignedBlock[] =>
  Array.from({ length: bytes.length / bytesPerBlock }, (_, i) => unpackSignedBlock(bytes, i));

export const firstPosition = ({ newest, lastEvent }: SignedBlock): Position => ({ receivedAt: newest, seq: lastEvent });
