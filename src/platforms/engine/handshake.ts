/*
 * Registration checks, answered the way each platform wants. None makes a request of its own. Those that compute with a secret need it
 * registered for that very platform, and sign only input so narrow that the answer forges nothing.
 */

import { findPlatform } from '../platforms.ts';
import { createDeliveryReader, type DeliveryReader } from './delivery-reader.ts';
import { json, orAny } from './handshake-answers.ts';
import { answerPost, isWorthReading } from './handshake-post.ts';
import { answerQuery } from './handshake-query.ts';
import { type Detection, type HandshakeAnswer, isConfirmed, type RawDelivery, type SigningSecret } from './model.ts';

export type HandshakeInput = {
  delivery: RawDelivery;
  detection: Detection;
  secrets: readonly SigningSecret[];
  /** Epoch ms. */
  receivedAt: number;
  /** Candidates of the public URL this was sent to, exact first. */
  urls: readonly string[];
};

export type HandshakeRequest = HandshakeInput & {
  reader: DeliveryReader;
  /** Confirmed secrets registered for that platform, in the order given; those without a platform never answer a handshake. */
  secretsOf: (platform: string) => string[];
};

/** The answer the platform wants instead of the normal one, or null for the normal one. Runs on every delivery. Never throws. */
export function handshake(input: HandshakeInput): HandshakeAnswer | null {
  const { delivery } = input;
  switch (delivery.method) {
    case 'POST':
      return isWorthReading(input) ? answerPost(createHandshakeRequest(input)) : null;
    case 'GET':
      return answerGet(createHandshakeRequest(input));
    case 'OPTIONS':
      return answerOptions(createDeliveryReader(delivery));
    default:
      return null;
  }
}

function createHandshakeRequest(input: HandshakeInput): HandshakeRequest {
  return {
    ...input,
    reader: createDeliveryReader(input.delivery),
    secretsOf: platform => {
      const row = findPlatform(platform);
      return input.secrets
        .filter(secret => isConfirmed(secret) && secret.platform !== null && findPlatform(secret.platform) === row)
        .map(({ secret }) => secret);
    },
  };
}

function answerGet(asked: HandshakeRequest): HandshakeAnswer | null {
  const challenge = asked.reader.header('x-okta-verification-challenge');
  if (challenge !== undefined && challenge.length <= 4096) return json({ verification: challenge });
  return asked.delivery.query === null || asked.delivery.query === '' ? null : answerQuery(asked);
}

/** CloudEvents, and Event Grid with the CloudEvents schema: the sender asks whether it may deliver. */
function answerOptions(reader: DeliveryReader): HandshakeAnswer | null {
  const origin = reader.header('webhook-request-origin');
  if (origin === undefined || origin === '') return null;
  return {
    status: 200,
    headers: {
      'webhook-allowed-origin': orAny(origin),
      'webhook-allowed-rate': orAny(reader.header('webhook-request-rate')),
      allow: 'POST',
    },
    body: '',
  };
}
