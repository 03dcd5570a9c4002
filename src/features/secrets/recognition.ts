/*
 * Recognises a delivery at capture, before the header rules: its platform and event type, the response to a handshake, and the
 * verdict on a signature in headers that are not stored, which cannot be verified later. Runs for every delivery, without a
 * query.
 */

import type { EventToFile, Recognition, UnredactedDelivery } from '../../ingest/row-encoder.ts';
import {
  type Detection,
  type HandshakeAnswer,
  isConfirmed,
  type RawDelivery,
  type SigningSecret,
  type Verdict,
} from '../../platforms/engine/model.ts';
import { detect, handshake, mayDefer, mustVerifyAtCapture, verify } from '../../platforms/platforms.ts';

/** The platforms of the confirmed secrets. */
export const platformsOf = (secrets: readonly SigningSecret[]): string[] => [
  ...new Set(secrets.filter(isConfirmed).flatMap(({ platform }) => platform ?? [])),
];

/** The URLs that the sender may have signed. */
export const urlsOf = (url: string, { path, query }: Pick<RawDelivery, 'path' | 'query'>): string[] => [
  `${url}${path}${query === null ? '' : `?${query}`}`,
];

/**
 * The response to the handshake of a stored delivery, computed again; null for the default answer. Never throws.
 * @param endpoint its public URL and the secrets that were known then
 */
export const handshakeAnswer = (
  { url, secrets }: { url: string; secrets: readonly SigningSecret[] },
  { delivery, detection, receivedAt }: { delivery: RawDelivery; detection: Detection; receivedAt: number },
): HandshakeAnswer | null => handshake({ delivery, detection, secrets, receivedAt, urls: urlsOf(url, delivery) });

/**
 * Stored instead of a verdict for a delivery to an earlier URL of the endpoint: it must be verified with that URL, which its time
 * does not show, because both URLs accept deliveries for a while.
 */
export type SentTo = { sentTo: string };

/** Stored in place of a verdict for an event without a signature whose verdict must stay that of its arrival. */
export type Unsigned = { unsigned: true };
const unsigned: Unsigned = { unsigned: true };

/** The verdict on a delivery as it came, in the form in which it is stored for good, JSON. Never throws. */
export const finalVerdict = (
  { url, secrets }: { url: string; secrets: readonly SigningSecret[] },
  { method, path, query, headers, body, receivedAt }: UnredactedDelivery,
  platform: string | null,
): string => {
  const delivery: RawDelivery = { method, path, query, rawHeaders: headers, body };
  return JSON.stringify(verify({ delivery, platform, secrets, receivedAt, urls: urlsOf(url, delivery) }) ?? unsigned);
};

/** The verdict on an imported event from which rules took something: its signature cannot be verified any more. */
export function verdictOfRedacted(delivery: RawDelivery, platform: string | null, receivedAt: number): string {
  const found = verify({ delivery, platform, secrets: [], receivedAt, urls: [] });
  return JSON.stringify(found ? { ...found, verdict: 'unchecked', reason: 'redacted', proves: null } : unsigned);
}

/** @param endpoint its public URL, the secrets known now, and `sentTo` for an earlier URL. Never throws. */
export function recognise(
  { url, secrets, sentTo }: { url: string; secrets: readonly SigningSecret[]; sentTo?: string },
  { method, path, query, headers, body, receivedAt, stored }: UnredactedDelivery,
): Recognition {
  const delivery: RawDelivery = { method, path, query, rawHeaders: headers, body };
  const detection = detect(delivery, secrets.length === 0 ? [] : platformsOf(secrets));
  const verdictOn = (seen: RawDelivery): Verdict | null =>
    verify({ delivery: seen, platform: detection.platform, secrets, receivedAt, urls: urlsOf(url, seen) });
  const verdict = mustVerifyAtCapture(delivery, detection.platform)
    ? verdictOn(delivery)
    : stored
      ? verdictLostIn({ ...delivery, query: stored.query, rawHeaders: stored.headers }, delivery, verdictOn)
      : null;
  const answer = handshake({
    delivery,
    detection,
    secrets,
    receivedAt,
    // The URLs are computed on demand, because few handshakes need them.
    get urls() {
      return urlsOf(url, delivery);
    },
  });
  const kept: Verdict | SentTo | null = verdict ?? (sentTo === undefined ? null : { sentTo });
  return { ...detection, verdict: kept && JSON.stringify(kept), answer };
}

/** The verdict, if it cannot be computed from the stored event: a signature may cover a query from which a token was removed. */
function verdictLostIn(
  stored: RawDelivery,
  received: RawDelivery,
  verdictOn: (seen: RawDelivery) => Verdict | null,
): Verdict | null {
  const verdict = verdictOn(received);
  return JSON.stringify(verdictOn(stored)) === JSON.stringify(verdict) ? null : verdict;
}

/**
 * Like `recognise`, after the header rules, for a delivery for which `mayRecogniseLater` is true.
 * @param platforms the platforms of the endpoint's secrets when the delivery was received
 */
export function recogniseLater(
  platforms: readonly string[],
  { method, path, query, headers, body }: UnredactedDelivery,
): Recognition {
  return { ...detect({ method, path, query, rawHeaders: headers, body }, platforms), verdict: null, answer: null };
}

/** Whether the delivery gets the default answer, and the header rules remove nothing that recognition needs. */
export const mayRecogniseLater = mayDefer;

/**
 * Whether the signature of an event is invalid with these secrets, when it is filed. A verdict that was stored with it decides; without
 * secrets nothing is verified. Never throws.
 */
export function hasInvalidSignature(
  { url, secrets }: { url: string; secrets: readonly SigningSecret[] },
  { verdict, platform, receivedAt, headers, ...request }: EventToFile,
): boolean {
  const stored = verdict === null ? null : (JSON.parse(verdict) as Verdict | SentTo | Unsigned);
  if (stored && 'verdict' in stored) return stored.verdict === 'invalid';
  if (stored && 'unsigned' in stored) return false;
  if (secrets.length === 0) return false;
  const delivery: RawDelivery = { ...request, rawHeaders: headers };
  return verify({ delivery, platform, secrets, receivedAt, urls: urlsOf(url, delivery) })?.verdict === 'invalid';
}
