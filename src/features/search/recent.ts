/*
 * What was captured and is not in the index yet, in memory: for each such event its endpoint, its time and a signature. A
 * search then looks only into those that can match, however far the index is behind. It is a filter and never the truth:
 * what it does not know (after a restart, from another process, beyond its room) it says so, and the search looks there.
 */
import type { Position } from '../../core/cursor.ts';
import { addSignature, hasBits, signatureWords } from '../../core/search-grams.ts';

const blockSize = 1024;
/** A quarter of a million events, 36 MB when full. */
const maxBlocks = 256;

type Block = { endpoints: Float64Array; times: Float64Array; signatures: Uint32Array };

export type Range = { from: number; to: number };

export type Recent = {
  /** @param texts what is searched of it; undefined when that is too much to look at now: it may then match anything */
  add: (event: Position & { endpoint: number }, texts: readonly string[] | undefined) => void;
  /** All up to this row number are in the index now. */
  forget: (watermark: number) => void;
  /**
   * Of row numbers `from` to `to`: the endpoint's events whose signature has all `bits`, and the ranges of what is unknown.
   */
  find: (endpoint: number, bits: readonly number[], range: Range) => { found: Position[]; unknown: Range[] };
  /** Whether this event can match; true for what is unknown. */
  mayMatch: (seq: number, bits: readonly number[]) => boolean;
  clear: () => void;
};

export function createRecent(): Recent {
  const blocks = new Map<number, Block>();
  const numberOf = (seq: number): number => Math.floor(seq / blockSize);

  const blockFor = (seq: number): Block | undefined => {
    const number = numberOf(seq);
    let block = blocks.get(number);
    if (!block && blocks.size < maxBlocks) {
      block = {
        endpoints: new Float64Array(blockSize),
        times: new Float64Array(blockSize),
        signatures: new Uint32Array(blockSize * signatureWords),
      };
      blocks.set(number, block);
    }
    return block;
  };

  return {
    add: ({ seq, endpoint, receivedAt }, texts) => {
      const block = blockFor(seq);
      if (!block) return;
      const at = seq % blockSize;
      const offset = at * signatureWords;
      if (texts) addSignature(block.signatures, offset, texts);
      else block.signatures.fill(0xffffffff, offset, offset + signatureWords);
      block.times[at] = receivedAt;
      block.endpoints[at] = endpoint;
    },

    forget: watermark => {
      for (const number of blocks.keys()) if ((number + 1) * blockSize - 1 <= watermark) blocks.delete(number);
    },

    find: (endpoint, bits, { from, to }) => {
      const found: Position[] = [];
      const unknown: Range[] = [];
      const addUnknown = (first: number, last: number): void => {
        const previous = unknown.at(-1);
        if (previous?.to === first - 1) previous.to = last;
        else unknown.push({ from: first, to: last });
      };
      for (let seq = from; seq <= to; ) {
        const block = blocks.get(numberOf(seq));
        const end = Math.min(to, (numberOf(seq) + 1) * blockSize - 1);
        if (!block) {
          addUnknown(seq, end);
          seq = end + 1;
          continue;
        }
        for (; seq <= end; seq++) {
          const at = seq % blockSize;
          const owner = block.endpoints[at] ?? 0;
          if (owner === 0) addUnknown(seq, seq);
          else if (owner === endpoint && hasBits(block.signatures, at * signatureWords, bits))
            found.push({ seq, receivedAt: block.times[at] ?? 0 });
        }
      }
      return { found, unknown };
    },

    mayMatch: (seq, bits) => {
      const block = blocks.get(numberOf(seq));
      const at = seq % blockSize;
      if (!block || block.endpoints[at] === 0) return true;
      return hasBits(block.signatures, at * signatureWords, bits);
    },

    clear: () => blocks.clear(),
  };
}
