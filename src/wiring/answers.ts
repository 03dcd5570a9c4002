/* What the senders of stored events got, computed again. The only place that knows. */

import { type Answered, answeredWith } from '../core/answers/model.ts';
import type { DeliveryResponse } from '../core/delivery-response.ts';
import type { HeaderPair } from '../core/headers.ts';
import { handshakeAnswer } from '../features/secrets/recognition.ts';
import { stored } from '../ingest/responses.ts';
import type { WiredEndpoints } from './endpoints.ts';

type StoredDelivery = {
  method: string;
  platform: string | null;
  eventType: string | null;
  receivedAt: number;
  path: string;
  query: string | null;
  headers: HeaderPair[];
  body: Uint8Array;
};

export function createAnswers({ endpoints, secrets, registry }: WiredEndpoints) {
  /** The answer that the platform of a stored delivery expects; null for the default answer. */
  const handshakeTo = ({ seq, token }: { seq: number; token: string }, event: StoredDelivery) => {
    const { method, platform, eventType, receivedAt, path, query, headers, body } = event;
    const [sentTo = token] = registry.tokensAt({ seq, token }, receivedAt);
    const known = { url: endpoints.urlOf(sentTo), secrets: secrets.secretsAt(seq, receivedAt) };
    const delivery = { method, path, query, rawHeaders: headers, body };
    return handshakeAnswer(known, { delivery, detection: { platform, eventType }, receivedAt });
  };
  /** The response to a stored delivery that no rule answered. @param id the event's */
  const responseTo = (endpoint: { seq: number; token: string }, id: string, event: StoredDelivery): DeliveryResponse =>
    stored(id, handshakeTo(endpoint, event));
  return {
    responseTo,
    handshakeTo,
    answered: (endpoint: { seq: number; token: string }, event: StoredDelivery): Answered =>
      answeredWith(responseTo(endpoint, '', event).status),
  };
}
