/*
 * Verifies the signatures of stored events. Verdicts are computed when an event is read, so a secret that is added or corrected
 * later applies to every stored event. The exception is a verdict that was stored with the event at capture (recognition.ts).
 */

import type { HeaderPair } from '../../core/headers.ts';
import type { IngestAddress } from '../../ingest/capture.ts';
import { isConfirmed, type RawDelivery, type SigningSecret, type Verdict } from '../../platforms/engine/model.ts';
import { verify as verifySignature } from '../../platforms/platforms.ts';
import { urlsOf } from './recognition.ts';

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

const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');

export function createVerdicts(options: {
  secretsOf: (endpoint: number) => readonly SigningSecret[];
  /** The public URL of an endpoint's ingest address. */
  urlOf: (token: string) => string;
}) {
  const { secretsOf, urlOf } = options;
  const storedVerdict = (verdict: string | null): Verdict | null =>
    verdict === null ? null : (JSON.parse(verdict) as Verdict);

  const toDelivery = ({
    method,
    path,
    query,
    headers,
    body,
  }: Omit<StoredEvent, 'platform' | 'receivedAt' | 'verdict'>) => ({
    method,
    path: latin1(path),
    query: query && latin1(query),
    rawHeaders: headers,
    body,
  });

  return {
    /** The verdict on an event, as it was captured, with this secret alone. A stored verdict does not count. */
    verifyWith(
      { token }: Pick<IngestAddress, 'token'>,
      event: Omit<StoredEvent, 'verdict'>,
      secret: SigningSecret,
    ): Verdict | null {
      const delivery = toDelivery(event);
      const { platform, receivedAt } = event;
      const urls = urlsOf(urlOf(token), delivery);
      return verifySignature({ delivery, platform, secrets: [secret], receivedAt, urls });
    },

    /** Whether the endpoint has a secret to verify with. Without one, verdicts are `unchecked` or the stored ones. */
    canVerify: async (endpoint: number): Promise<boolean> => secretsOf(endpoint).some(isConfirmed),

    storedVerdict,

    async verify(address: IngestAddress, events: readonly StoredEvent[]): Promise<(Verdict | null)[]> {
      const secrets = secretsOf(address.seq);
      return events.map(event => {
        if (event.verdict !== null) return storedVerdict(event.verdict);
        const { platform, receivedAt } = event;
        const delivery: RawDelivery = toDelivery(event);
        return verifySignature({
          delivery,
          platform,
          secrets,
          receivedAt,
          urls: urlsOf(urlOf(address.token), delivery),
        });
      });
    },
  };
}
