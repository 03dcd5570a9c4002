/* Row encoders with platform recognition. */
import { recognise, recogniseLater } from '../features/secrets/recognition.ts';
import type { Destination } from '../ingest/delivery.ts';
import type { JournalEntry } from '../ingest/journal/group.ts';
import { createRowEncoder } from '../ingest/row-encoder.ts';
import { deliveryIdOf } from '../platforms/platforms.ts';

/** For deliveries as received. */
export const createDeliveryEncoder = () => createRowEncoder<Destination>({ recognise });

/** For deliveries of the journal. Some were recognised before they were written. */
export function createJournalEncoder() {
  const encode = createRowEncoder<{ seq: number; entry: JournalEntry }>({
    recognise: ({ entry: { platforms, recognition, outcome } }, delivery) => {
      if (!recognition) return recogniseLater(platforms, delivery);
      const deliveryId = deliveryIdOf({ ...delivery, rawHeaders: delivery.headers }, recognition.platform);
      return { ...recognition, deliveryId, answer: null, outcome };
    },
  });
  return (entries: readonly JournalEntry[], nonces: Uint8Array) =>
    encode({
      deliveries: entries.map(entry => ({ destination: { seq: entry.endpoint, entry }, delivery: entry.delivery })),
      nonces,
    }).events;
}
