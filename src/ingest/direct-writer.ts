/* Stores each batch of deliveries as rows in its own commit. Used with a libSQL server, which has no journal. */

import type { HeaderPair } from '../core/headers.ts';
import type { HandshakeAnswer } from '../platforms/engine/model.ts';
import { type Answerer, type Undecided, usualOutcome } from './answers/answerer.ts';
import type { DeliveryBatch, WriteBatch } from './capture.ts';
import { type Destination, hasAnswers } from './delivery.ts';
import { isOvertaken } from './outcome-statements.ts';
import type { EncodedRows, NewEvent, RowEncoder } from './row-encoder.ts';
import { type CaptureStore, packRows, type RowRange } from './store.ts';

/** A batch is one value for a libSQL server, which accepts about 5 MB by default. */
export const directBatchLimits = { maxBytes: 4 << 20 };

/** How often a batch is decided: again if another process has stored a step of the same sequence in the meantime. */
const maxDecisions = 20;

export function createDirectWriter({
  encode,
  insert,
  answerer,
  monotonic,
}: {
  encode: RowEncoder<Destination>;
  insert: CaptureStore['insert'];
  answerer: Answerer;
  monotonic: () => number;
}): WriteBatch {
  const insertOne = async (events: readonly NewEvent[]): Promise<RowRange> => {
    const [range] = await insert([packRows(events)]);
    if (!range) throw new TypeError('the insert returned no row numbers');
    return range;
  };

  const insertDecided = async (events: readonly NewEvent[], undecided: readonly Undecided[]) => {
    for (let decisions = 1; ; decisions++) {
      const decided = await answerer.decide(undecided);
      for (const { index } of undecided) {
        const event = events[index];
        if (event) event.outcome = decided.outcomes.get(index);
      }
      try {
        const range = await insertOne(events);
        decided.keep(range.first + range.rows - 1);
        return { range, decided };
      } catch (error) {
        decided.cancel();
        if (!isOvertaken(error) || decisions === maxDecisions) throw error;
      }
    }
  };

  return async batch => {
    const encoded = encode(batch);
    const { events } = encoded;
    const { answers, undecided } = divide(batch, encoded);
    const startedAt = monotonic();
    const stored = undecided.length > 0 ? await insertDecided(events, undecided) : undefined;
    const range = stored?.range ?? (await insertOne(events));
    const commit = { rows: range.rows, ms: monotonic() - startedAt };
    if (!stored) return { first: range.first, answers, commit };
    const { handshakes, chosen } = stored.decided;
    return { first: range.first, answers: [...answers, ...handshakes], chosen, commit };
  };
}

/** Separates the deliveries to decide about from the handshakes of all others. */
function divide({ deliveries }: DeliveryBatch, { events, answers: handshakes, originals }: EncodedRows) {
  const undecided: Undecided[] = [];
  const answers: [number, HandshakeAnswer][] = [];
  const byIndex = new Map(handshakes);
  for (const [index, { destination, delivery, refused }] of deliveries.entries()) {
    const event = events[index];
    const handshake = byIndex.get(index) ?? null;
    if (!event) continue;
    if (hasAnswers(destination)) {
      const { platform, delivery: number, nonce } = event;
      const { headers, eventType } = originals.get(index) ?? {
        headers: JSON.parse(event.headersJson) as HeaderPair[],
        eventType: event.eventType,
      };
      undecided.push({ index, destination, delivery, headers, platform, eventType, number, nonce, handshake, refused });
    } else if (handshake) {
      answers.push([index, handshake]);
      event.outcome = usualOutcome(handshake);
    }
  }
  return { undecided, answers };
}
