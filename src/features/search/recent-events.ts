/*
 * Events that are not in the index yet, in memory: for each its endpoint, time and a signature. A search reads only those
 * whose signature can match, however far the index is behind. Events that are unknown here (after a restart, from another
 * process, beyond the limit) are reported as such, and the search reads them all.
 */
import type { Position } from '../../core/cursor.ts';
import { mayContain, type SignatureQuery, signatureWords } from '../../core/search-signature.ts';

const blockSize = 1024;
/** 81,920 events, 22 MB when full. */
const maxBlocks = 80;

type Block = { endpoints: Float64Array; times: Float64Array; signatures: Uint32Array };

/** A stored event, as ingest reports it. */
export type CapturedEvent = Position & { endpoint: number };

export type Range = { from: number; to: number };

export type RecentEvents = {
  /** @param events with consecutive row numbers @param signatures of the events, one after another */
  add: (events: readonly CapturedEvent[], signatures: Uint32Array) => void;
  /** All events up to this row number are in the index now. */
  dropUpTo: (watermark: number) => void;
  /**
   * Of row numbers `from` to `to`: the endpoint's events that can contain the term, and the ranges of unknown events.
   */
  find: (endpoint: number, term: SignatureQuery, range: Range) => { found: Position[]; unknown: Range[] };
  /** Whether this event can match; true for unknown events. */
  mayMatch: (seq: number, term: SignatureQuery) => boolean;
};

export function createRecentEvents(): RecentEvents {
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
    add: (events, signatures) => {
      for (let done = 0; done < events.length; ) {
        const first = (events[done] as CapturedEvent).seq;
        const at = first % blockSize;
        const inBlock = events.slice(done, done + blockSize - at);
        const block = blockFor(first);
        if (block) {
          const blockSignatures = signatures.subarray(done * signatureWords, (done + inBlock.length) * signatureWords);
          block.signatures.set(blockSignatures, at * signatureWords);
          for (const [i, { endpoint, receivedAt }] of inBlock.entries()) {
            block.times[at + i] = receivedAt;
            block.endpoints[at + i] = endpoint;
          }
        }
        done += inBlock.length;
      }
    },

    dropUpTo: watermark => {
      for (const number of blocks.keys()) if ((number + 1) * blockSize - 1 <= watermark) blocks.delete(number);
    },

    find: (endpoint, term, { from, to }) => {
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
          else if (owner === endpoint && mayContain(block.signatures, at * signatureWords, term))
            found.push({ seq, receivedAt: block.times[at] ?? 0 });
        }
      }
      return { found, unknown };
    },

    mayMatch: (seq, term) => {
      const block = blocks.get(numberOf(seq));
      const at = seq % blockSize;
      if (!block || block.endpoints[at] === 0) return true;
      return mayContain(block.signatures, at * signatureWords, term);
    },
  };
}
