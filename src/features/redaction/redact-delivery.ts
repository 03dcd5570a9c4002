/*
 * Takes out of a recognised delivery what the rules of its endpoint remove, before anything is stored. Platform, verdict and number of
 * the delivery come from the original delivery; the event type is read from what is left.
 */
import { createHmac } from 'node:crypto';
import { deliveryNumber } from '../../core/ids/delivery-key.ts';
import type { Destination } from '../../ingest/delivery.ts';
import type { Recognition, Redact, StoredForm } from '../../ingest/row-encoder.ts';
import { deliveryIdOf, eventTypeOf } from '../../platforms/platforms.ts';

/** @param verdictOf the stored form of the verdict on the delivery as it came, JSON */
export function createRedact(
  verdictOf: (destination: Destination, ...of: VerdictInput) => string,
): Redact<Destination> {
  return (destination, { received, stored, recognition }) => {
    const redaction = destination.policy?.redaction;
    if (redaction === undefined) return undefined;
    // Capture refuses such deliveries earlier.
    if (redaction === 'unreadable') throw new Error('the redaction rules cannot be read');
    const result = redaction.redact(stored);
    if (!result.redacted) return undefined;
    const { platform } = recognition;
    const left = { ...stored, ...result.event };
    return {
      ...result.event,
      eventType: eventTypeOf(rawOf(left), platform),
      verdict: verdictOf(destination, received, platform),
      redaction: {
        redacted: result.redacted,
        delivery: numberOf(redaction.numberKey, destination.seq, { stored, left, recognition }),
      },
    };
  };
}

type VerdictInput = [received: Parameters<Redact<Destination>>[1]['received'], platform: string | null];

export const rawOf = ({ method, path, query, headers, body }: StoredForm) => ({
  method,
  path,
  query,
  rawHeaders: headers,
  body,
});

/** @param key of the team */
export const deriveNumberKey = (key: Uint8Array): Uint8Array =>
  createHmac('sha256', key).update('delivery numbers').digest();

/** A number of what is stored no longer shows is made with a key: otherwise its hash would help to guess a short value. */
export function numberOf(
  key: Uint8Array,
  endpoint: number,
  {
    stored,
    left,
    recognition,
  }: {
    stored: StoredForm;
    left: StoredForm;
    recognition: Pick<Recognition, 'platform' | 'eventType' | 'deliveryId'>;
  },
): number {
  const { platform, eventType, deliveryId } = recognition;
  const nothing = { endpoint, platform, method: '', path: '', query: null, eventType: null, body: Buffer.alloc(0) };
  const keyed = (...parts: (string | Uint8Array)[]): Buffer => {
    const hmac = createHmac('sha256', key);
    for (const part of parts) hmac.update(part);
    return hmac.digest();
  };
  if (deliveryId) {
    const isStored = deliveryIdOf(rawOf(left), platform)?.id === deliveryId.id;
    const id = isStored ? deliveryId.id : keyed(deliveryId.id).toString('hex');
    return deliveryNumber(nothing, { id, basis: deliveryId.basis });
  }
  const { method, path, query, body } = stored;
  return deliveryNumber({ ...nothing, body: keyed(JSON.stringify([method, path, query, eventType]), body) }, undefined);
}
