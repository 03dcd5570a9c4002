/* Row encoders with platform recognition. */
import { hasInvalidSignature, recognise, recogniseLater } from '../features/secrets/recognition.ts';
import type { Destination } from '../ingest/delivery.ts';
import type { KnownSecrets } from '../ingest/journal/filing.ts';
import type { JournalEntry } from '../ingest/journal/group.ts';
import { createRowEncoder } from '../ingest/row-encoder.ts';
import { deliveryIdOf } from '../platforms/platforms.ts';

type FiledSecrets = NonNullable<ReturnType<KnownSecrets['get']>>;

/** For deliveries as received. */
export const createDeliveryEncoder = () => createRowEncoder<Destination>({ recognise, hasInvalidSignature });

/**
 * For deliveries of the journal. Some were recognised before they were written. A secret that is newer than a delivery does not make its
 * signature invalid.
 */
export function createJournalEncoder(secretsOf: (endpoint: number) => FiledSecrets = () => []) {
  const encode = createRowEncoder<{ seq: number; entry: JournalEntry }>({
    recognise: ({ entry: { platforms, recognition, outcome } }, delivery) => {
      if (!recognition) return recogniseLater(platforms, delivery);
      const deliveryId = deliveryIdOf({ ...delivery, rawHeaders: delivery.headers }, recognition.platform);
      return { ...recognition, deliveryId, answer: null, outcome };
    },
    hasInvalidSignature: ({ seq, entry: { url } }, event) => {
      const known = url === undefined ? [] : secretsOf(seq);
      const secrets = known.filter(({ createdAt }) => createdAt <= event.receivedAt);
      return hasInvalidSignature({ url: url ?? '', secrets }, event);
    },
  });
  return (entries: readonly JournalEntry[], nonces: Uint8Array) =>
    encode({
      deliveries: entries.map(entry => ({ destination: { seq: entry.endpoint, entry }, delivery: entry.delivery })),
      nonces,
    }).events;
}
