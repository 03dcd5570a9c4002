/*
 * Bit-sliced filters: a slice is the same bit of the filters of many blocks, so a search reads a few slices instead of every filter.
 * A part stores the slices of `partBytes` consecutive filter bytes, in order. A run of 2,040 blocks has slices of 255 bytes and parts
 * of 8,160 bytes, of which two fit on a database page.
 */
import { factBytes } from './block-facts.ts';
import { byteOf } from './block-signature.ts';
import { isFact, isValueProbe, type Probe } from './narrowing.ts';
import { valueByteOf } from './value-filter.ts';

/** Bytes of a filter whose slices are stored together. */
export const partBytes = 4;

export const sliceBytes = (blocks: number): number => Math.ceil(blocks / 8);

/** The sizes of the filters of all blocks of a run: of their texts, and of their values, which is 0 if the run has none. */
export type FilterSizes = { filterBytes: number; valueBytes: number };

/**
 * The position of a probe's slice in a run; undefined if every block of the run meets the probe. The parts of the filters of texts are
 * first, then those of the facts, then those of the filters of values.
 */
export function sliceOf(
  probe: Probe,
  { filterBytes, valueBytes }: FilterSizes,
  blocks: number,
): { part: number; offset: number } | undefined {
  let byte: number;
  if (isFact(probe)) byte = filterBytes + probe.byte;
  else if (!isValueProbe(probe)) byte = byteOf(probe, filterBytes);
  else if (valueBytes > 0) byte = filterBytes + factBytes + valueByteOf(probe, valueBytes);
  else return undefined;
  const part = Math.floor(byte / partBytes);
  return { part, offset: ((byte % partBytes) * 8 + probe.bit) * sliceBytes(blocks) };
}

/** @param filters an empty one matches every term, undefined none @param filterBytes larger filters are folded and match more */
export function makePart(filters: readonly (Uint8Array | undefined)[], filterBytes: number, part: number): Uint8Array {
  const width = sliceBytes(filters.length);
  const slices = new Uint8Array(partBytes * 8 * width);
  const bytes = new Uint8Array(width * 8);
  // Plain loops: for the parts of one run they do two million steps, whose pairs would be many times as large as the run.
  for (let i = 0; i < partBytes; i++) {
    for (let block = 0; block < filters.length; block++) {
      const filter = filters[block];
      if (filter) bytes[block] = filter.length === 0 ? 0xff : byteAt(filter, part * partBytes + i, filterBytes);
    }
    for (let at = 0; at < width; at++) transpose(bytes, at * 8, slices, i * 8 * width + at, width);
  }
  return slices;
}

/** Byte `at` of a filter resized to `filterBytes`: all bytes that it may represent. */
function byteAt(filter: Uint8Array, at: number, filterBytes: number): number {
  const end = Math.ceil(((at + 1) * filter.length) / filterBytes);
  let byte = 0;
  for (let i = Math.floor((at * filter.length) / filterBytes); i < end; i++) byte |= filter[i] as number;
  return byte;
}

/** Spreads the bits of eight bytes over eight slices (Hacker's Delight, 7-3). */
function transpose(bytes: Uint8Array, from: number, slices: Uint8Array, to: number, width: number): void {
  let high = 0;
  let low = 0;
  for (let i = 3; i >= 0; i--) {
    high = (high << 8) | (bytes[from + 4 + i] as number);
    low = (low << 8) | (bytes[from + i] as number);
  }
  let swapped = (high ^ (high >>> 7)) & 0x00aa00aa;
  high ^= swapped ^ (swapped << 7);
  swapped = (low ^ (low >>> 7)) & 0x00aa00aa;
  low ^= swapped ^ (swapped << 7);
  swapped = (high ^ (high >>> 14)) & 0x0000cccc;
  high ^= swapped ^ (swapped << 14);
  swapped = (low ^ (low >>> 14)) & 0x0000cccc;
  low ^= swapped ^ (swapped << 14);
  const upper = (high & 0xf0f0f0f0) | ((low >>> 4) & 0x0f0f0f0f);
  const lower = ((high << 4) & 0xf0f0f0f0) | (low & 0x0f0f0f0f);
  for (let bit = 0; bit < 4; bit++) {
    slices[to + bit * width] = lower >>> (8 * bit);
    slices[to + (bit + 4) * width] = upper >>> (8 * bit);
  }
}

export function blocksInAll(slices: readonly Uint8Array[], blocks: number): number[] {
  const positions: number[] = [];
  for (let at = 0; at < sliceBytes(blocks); at++) {
    let byte = 0xff;
    for (const slice of slices) byte &= slice[at] as number;
    for (let bit = 0; byte !== 0; bit++, byte >>>= 1)
      if ((byte & 1) === 1 && at * 8 + bit < blocks) positions.push(at * 8 + bit);
  }
  return positions;
}
