/*
 * Verifies the signatures of stored events. Verdicts are computed when an event is read, so a secret that is added or corrected
 * later applies to every stored event. The exception is a verdict that was stored with the event at capture (recognition.ts).
 * Signatures that cover the URL are verified with the URL that the event was sent to.
 */

import type { HeaderPair } from '../../core/headers.ts';
import type { IngestAddress } from '../../ingest/capture.ts';
import { isConfirmed, type RawDelivery, type SigningSecret, type Verdict } from '../../platforms/engine/model.ts';
import { toRawDelivery } from '../../platforms/engine/raw-delivery.ts';
import type { SignatureScheme } from '../../platforms/engine/signature-scheme.ts';
import type { VerifyInput } from '../../platforms/engine/verify.ts';
import { validSchemes as findValidSchemes, verify as verifySignature } from '../../platforms/platforms.ts';
import { type SentTo, type Unsigned, urlsOf } from './recognition.ts';

type StoredEvent = {
  method: string;
  path: Uint8Array;
  query: Uint8Array | null;
  headers: readonly HeaderPair[];
  body: Uint8Array;
  platform: string | null;
  receivedAt: number;
  verdict: string | null;
};

export function createVerdicts(options: {
  secretsOf: (endpoint: number) => readonly SigningSecret[];
  /** The public URL of an endpoint's ingest address. */
  urlOf: (token: string) => string;
  /** The tokens of the URLs to which the endpoint's events of this time may have been sent, the likeliest first. */
  tokensAt: (address: IngestAddress, receivedAt: number) => readonly string[];
}) {
  const { secretsOf, urlOf, tokensAt } = options;
  const readStored = (stored: string): Verdict | SentTo | Unsigned => JSON.parse(stored) as Verdict | SentTo | Unsigned;
  const storedVerdict = (stored: string | null): Verdict | null | undefined => {
    const read = stored === null ? undefined : readStored(stored);
    if (read === undefined || 'sentTo' in read) return undefined;
    return 'unsigned' in read ? null : read;
  };

  const tokensOf = (address: IngestAddress, receivedAt: number, stored: string | null): readonly string[] => {
    const read = stored === null ? null : readStored(stored);
    return read && 'sentTo' in read ? [read.sentTo] : tokensAt(address, receivedAt);
  };

  /** The URLs that the sender of an event may have signed. */
  const signedUrls = (
    address: IngestAddress,
    { receivedAt, verdict }: Pick<StoredEvent, 'receivedAt' | 'verdict'>,
    delivery: RawDelivery,
  ): string[] => tokensOf(address, receivedAt, verdict).flatMap(token => urlsOf(urlOf(token), delivery));

  const inputOf = (
    address: IngestAddress,
    { platform, receivedAt, verdict, ...request }: StoredEvent,
    secrets: readonly SigningSecret[],
  ): VerifyInput => {
    const delivery = toRawDelivery(request);
    const urls = signedUrls(address, { receivedAt, verdict }, delivery);
    return { delivery, platform, secrets, receivedAt, urls };
  };

  return {
    /**
     * The verdict on an event, as it was captured, with this secret alone, and the schemes whose signature is valid. A stored verdict
     * does not count.
     */
    verifyWith(
      address: IngestAddress,
      event: StoredEvent,
      secret: SigningSecret,
    ): { verdict: Verdict | null; validSchemes: readonly SignatureScheme[] } {
      const input = inputOf(address, event, [secret]);
      return { verdict: verifySignature(input), validSchemes: findValidSchemes(input) };
    },

    /** Whether the endpoint has a secret to verify with. Without one, verdicts are `unchecked` or the stored ones. */
    canVerify: async (endpoint: number): Promise<boolean> =>
      secretsOf(endpoint).some(secret => isConfirmed(secret) || secret.test),

    /** The verdict that was stored at capture, null for none because there is no signature; undefined if none was stored. */
    storedVerdict,
    signedUrls,

    /** Whether the verdict was stored at capture, so that secrets do not change it. */
    isFinal: (stored: string | null): boolean => storedVerdict(stored) !== undefined,

    async verify(address: IngestAddress, events: readonly StoredEvent[]): Promise<(Verdict | null)[]> {
      const secrets = secretsOf(address.seq);
      return events.map(event => {
        const known = storedVerdict(event.verdict);
        return known === undefined ? verifySignature(inputOf(address, event, secrets)) : known;
      });
    },
  };
}
