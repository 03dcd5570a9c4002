/*
 * Registration checks, answered the way each platform wants. None makes a request of its own. Those that compute with a secret need it
 * registered for that very platform, and sign only input so narrow that the answer forges nothing.
 */
import { json, orAny } from './answers.ts';
import { answerPost, isWorthReading } from './handshake-post.ts';
import { answerQuery } from './handshake-query.ts';
import { type Detection, type HandshakeAnswer, isConfirmed, type RawDelivery, type SigningSecret } from './model.ts';
import { findPlatform } from './platforms.ts';
import { type Reading, readDelivery } from './reading.ts';

export type HandshakeInput = {
  delivery: RawDelivery;
  detection: Detection;
  secrets: readonly SigningSecret[];
  /** Epoch ms. */
  receivedAt: number;
  /** Candidates of the public URL this was sent to, exact first. */
  urls: readonly string[];
};

export type Asked = HandshakeInput & {
  reading: Reading;
  /** Confirmed secrets registered for that platform, in the order given; those without a platform never answer a handshake. */
  secretsOf: (platform: string) => string[];
};

/** The answer the platform wants instead of the normal one, or null for the normal one. Runs on every delivery. Never throws. */
export function handshake(input: HandshakeInput): HandshakeAnswer | null {
  const { delivery } = input;
  switch (delivery.method) {
    case 'POST':
      return isWorthReading(input) ? answerPost(ask(input)) : null;
    case 'GET':
      return answerGet(ask(input));
    case 'OPTIONS':
      return answerOptions(readDelivery(delivery));
    default:
      return null;
  }
}

function ask(input: HandshakeInput): Asked {
  return {
    ...input,
    reading: readDelivery(input.delivery),
    secretsOf: platform => {
      const row = findPlatform(platform);
      return input.secrets
        .filter(secret => isConfirmed(secret) && secret.platform !== null && findPlatform(secret.platform) === row)
        .map(({ secret }) => secret);
    },
  };
}

function answerGet(asked: Asked): HandshakeAnswer | null {
  const challenge = asked.reading.header('x-okta-verification-challenge');
  if (challenge !== undefined && challenge.length <= 4096) return json({ verification: challenge });
  return asked.delivery.query === null || asked.delivery.query === '' ? null : answerQuery(asked);
}

/** CloudEvents, and Event Grid with the CloudEvents schema: the sender asks whether it may deliver. */
function answerOptions(reading: Reading): HandshakeAnswer | null {
  const origin = reading.header('webhook-request-origin');
  if (origin === undefined || origin === '') return null;
  return {
    status: 200,
    headers: {
      'webhook-allowed-origin': orAny(origin),
      'webhook-allowed-rate': orAny(reading.header('webhook-request-rate')),
      allow: 'POST',
    },
    body: '',
  };
}
