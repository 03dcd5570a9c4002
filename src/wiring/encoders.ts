/* Row encoders with platform recognition. */
import { createRedact } from '../features/redaction/redact-delivery.ts';
import { finalVerdict, hasInvalidSignature, recognise, recogniseLater } from '../features/secrets/recognition.ts';
import type { Destination } from '../ingest/delivery.ts';
import type { KnownSecrets } from '../ingest/journal/filing.ts';
import type { JournalEntry } from '../ingest/journal/group.ts';
import { createRowEncoder } from '../ingest/row-encoder.ts';
import { deliveryIdOf } from '../platforms/platforms.ts';

type FiledSecrets = NonNullable<ReturnType<KnownSecrets['get']>>;

/** Applies the redaction rules of deliveries. */
export const redact = createRedact(finalVerdict);

/** For deliveries as received. */
export const createDeliveryEncoder = () => createRowEncoder<Destination>({ recognise, redact, hasInvalidSignature });

/**
 * For deliveries of the journal. Some were recognised before they were written. A secret that is newer than a delivery does not make its
 * signature invalid.
 */
export function createJournalEncoder(secretsOf: (endpoint: number) => FiledSecrets = () => []) {
  const encode = createRowEncoder<{ seq: number; entry: JournalEntry }>({
    recognise: ({ entry: { platforms, recognition, outcome, redaction } }, delivery) => {
      if (!recognition) return recogniseLater(platforms, delivery);
      const known = { ...recognition, answer: null, outcome, redaction };
      if (redaction) return { ...known, deliveryId: undefined };
      return {
        ...known,
        deliveryId: deliveryIdOf({ ...delivery, rawHeaders: delivery.headers }, recognition.platform),
      };
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
