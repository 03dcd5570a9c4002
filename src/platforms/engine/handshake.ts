/*
 * Answers registration checks the way each platform expects, without any outgoing request. A handshake that needs a secret uses
 * only one registered for its own platform, and signs only such narrow input that the response cannot serve as another
 * signature.
 */
import { createDeliveryReader, type DeliveryReader } from './delivery-reader.ts';
import { type HandshakeCandidate, indexHandshakes, maxHandshakeBytes } from './handshake-triggers.ts';
import { type Detection, type HandshakeAnswer, isConfirmed, type RawDelivery, type SigningSecret } from './model.ts';
import type { HandshakeReply, HandshakeRequest, Platform } from './platform.ts';
import type { PlatformIndex } from './platform-index.ts';
import type { Verify } from './verify.ts';

export type HandshakeInput = {
  delivery: RawDelivery;
  detection: Detection;
  secrets: readonly SigningSecret[];
  /** Epoch ms. */
  receivedAt: number;
  /** Candidates of the public URL this was sent to, exact first. */
  urls: readonly string[];
};

/** The form of a secret that a platform may deliver, so that a long text from anyone is not stored as a secret. */
const learnable = /^[\w-]{8,256}$/;

type Context = { platform: Platform; reader: DeliveryReader; secrets: readonly string[] };

export function createHandshake({ index, verify }: { index: PlatformIndex; verify: Verify }) {
  const findHandshakes = indexHandshakes(index.all);

  /** The answer of the detected platform, else the first answer that accepts, else the first that refuses. */
  const answer = (input: HandshakeInput, candidates: readonly HandshakeCandidate[]): HandshakeAnswer | null => {
    const reader = createDeliveryReader(input.delivery);
    const detected = input.detection.platform;
    const isDetected = ({ platform }: HandshakeCandidate): boolean => platform.name === detected;
    let refusal: HandshakeAnswer | null = null;
    for (const candidate of [...candidates.filter(isDetected), ...candidates.filter(one => !isDetected(one))]) {
      const { platform, handshake } = candidate;
      const secrets = secretsOf(platform, input.secrets);
      const reply = handshake.answer(createRequest(input, { platform, reader, secrets }));
      if (reply === null) continue;
      if (isDetected(candidate) || reply.status < 400) return toAnswer(reply, candidate, secrets);
      refusal ??= toAnswer(reply, candidate, secrets);
    }
    return refusal;
  };

  const secretsOf = (platform: Platform, secrets: readonly SigningSecret[]): string[] =>
    secrets
      .filter(secret => isConfirmed(secret) && secret.platform !== null && index.find(secret.platform) === platform)
      .map(({ secret }) => secret);

  const createRequest = (
    { delivery, receivedAt, urls }: HandshakeInput,
    { platform: { name: platform }, reader, secrets }: Context,
  ): HandshakeRequest => ({
    delivery,
    reader,
    secrets,
    urls,
    json: () => (delivery.body.length <= maxHandshakeBytes ? reader.json() : undefined),
    query: name => reader.query().get(name) || undefined,
    signingSecret: () =>
      secrets.find(secret => {
        const verdict = verify({ delivery, platform, secrets: [{ platform, secret }], receivedAt, urls });
        return verdict?.verdict === 'valid';
      }) ?? null,
  });

  /** The answer that the platform expects, or null for the default answer. Runs on every delivery. Never throws. */
  return (input: HandshakeInput): HandshakeAnswer | null => {
    const candidates = findHandshakes(input.delivery, input.detection);
    return candidates.length === 0 ? null : answer(input, candidates);
  };
}

/** A delivered secret is learned unless it is registered and confirmed; the answer is the same either way. */
function toAnswer(
  { deliveredSecret: secret, ...answer }: HandshakeReply,
  { platform: { name: platform }, handshake: { deliversSecret } }: HandshakeCandidate,
  secrets: readonly string[],
): HandshakeAnswer {
  if (!deliversSecret || secret === undefined || !learnable.test(secret) || secrets.includes(secret)) return answer;
  return { ...answer, learnedSecret: { platform, secret } };
}
