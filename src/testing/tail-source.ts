/* A source of events for tests of tails: row numbers in memory, some of which belong to another endpoint. */
import { answeredWith } from '../core/answers/model.ts';
import type { EventSummary } from '../features/events/model.ts';
import type { TailSource } from '../features/notifications/tail.ts';

export const summaryOf = (seq: number): EventSummary => ({
  id: `evt_${seq}`,
  eventType: null,
  platform: null,
  method: 'POST',
  receivedAt: 0,
  payloadPreview: '',
  action: null,
  highlights: [],
  matched: [],
  size: 0,
  path: '',
  signatureValid: null,
  verdict: 'none',
  pin: null,
  tags: [],
  answered: answeredWith(200),
  refused: null,
  redacted: null,
  delivery: { key: `d${seq}`, basis: 'content', attempt: 1, attempts: 1 },
});

export type FakeSource = TailSource &
  Required<Pick<TailSource, 'listBySeq'>> & {
    /** Stores events. @returns the last row number */
    store: (count?: number) => number;
    newest: () => Promise<number>;
    /** How often events were read. */
    reads: () => number;
    /** How often the newest row number was asked for. */
    newestReads: () => number;
  };

export function createFakeSource(isForeign: (seq: number) => boolean = () => false): FakeSource {
  let newest = 0;
  let reads = 0;
  let newestReads = 0;
  const summariesOf = (seqs: number[]) => seqs.filter(seq => !isForeign(seq)).map(summaryOf);
  return {
    store: (count = 1) => {
      newest += count;
      return newest;
    },
    newest: async () => {
      newestReads++;
      return newest;
    },
    reads: () => reads,
    newestReads: () => newestReads,
    listAfter: async (position, limit) => {
      reads++;
      const upTo = Math.min(newest, position + limit);
      const seqs = Array.from({ length: upTo - position }, (_, i) => position + 1 + i);
      return { events: summariesOf(seqs), position: upTo, more: upTo < newest };
    },
    listBySeq: async seqs => {
      reads++;
      return summariesOf(seqs);
    },
  };
}
