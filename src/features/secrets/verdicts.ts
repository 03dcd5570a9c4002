/*
 * What a delivery is and whether its signature holds. Detection and handshakes at capture, before the header rules;
 * verdicts when an event is read, so that registering or mending a secret judges every stored event anew. The exception is
 * proof in headers that the rules redact or drop: judged at capture, and the verdict is kept.
 */
import type { HeaderPair } from '../../core/headers.ts';
import { detect } from '../../core/platforms/detect.ts';
import { handshake } from '../../core/platforms/handshake.ts';
import type { HandshakeAnswer, RawDelivery, SigningSecret, Verdict } from '../../core/platforms/model.ts';
import { proofVanishes, verify } from '../../core/platforms/verify.ts';

type Address = { seq: number; token: string };

type Arrived = {
  method: string;
  path: string;
  query: string | null;
  headers: readonly HeaderPair[];
  body: Uint8Array;
  receivedAt: number;
};

type Stored = {
  method: string;
  path: Uint8Array;
  query: Uint8Array | null;
  headers: readonly HeaderPair[];
  body: Uint8Array;
  platform: string | null;
  receivedAt: number;
  verdict: string | null;
};

export type Recognition = {
  platform: string | null;
  eventType: string | null;
  verdict: string | null;
  answer: HandshakeAnswer | null;
};

const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');

export function createVerdicts(options: {
  secretsOf: (endpoint: number) => readonly SigningSecret[];
  /** The public address of an endpoint. */
  urlOf: (token: string) => string;
}) {
  const { secretsOf, urlOf } = options;

  const urlsOf = (token: string, { path, query }: RawDelivery): string[] => [
    `${urlOf(token)}${path}${query === null ? '' : `?${query}`}`,
  ];

  const platformsOf = (secrets: readonly SigningSecret[]): string[] => [
    ...new Set(secrets.flatMap(({ platform }) => platform ?? [])),
  ];

  const kept = (verdict: string | null): Verdict | null => (verdict === null ? null : (JSON.parse(verdict) as Verdict));

  return {
    /** At capture. Pure computation, no query: it runs for every delivery. */
    recognise(address: Address, arrived: Arrived): Recognition {
      const secrets = secretsOf(address.seq);
      const { method, path, query, headers, body, receivedAt } = arrived;
      const delivery: RawDelivery = { method, path, query, rawHeaders: headers, body };
      const detection = detect(delivery, secrets.length === 0 ? [] : platformsOf(secrets));
      const judged = { delivery, platform: detection.platform, secrets, receivedAt };
      const vanishing = proofVanishes(delivery, detection.platform);
      const verdict = vanishing ? verify({ ...judged, urls: urlsOf(address.token, delivery) }) : null;
      const answer = handshake({
        delivery,
        detection,
        secrets,
        receivedAt,
        // Few handshakes ask for it, and nearly no delivery is one.
        get urls() {
          return urlsOf(address.token, delivery);
        },
      });
      return { ...detection, verdict: verdict && JSON.stringify(verdict), answer };
    },

    /** Whether a stored event of this endpoint can have a verdict other than unchecked, or the one that was kept. */
    canJudge: async (endpoint: number): Promise<boolean> => secretsOf(endpoint).length > 0,

    kept,

    async judge(address: Address, events: readonly Stored[]): Promise<(Verdict | null)[]> {
      const secrets = secretsOf(address.seq);
      return events.map(({ method, path, query, headers, body, platform, receivedAt, verdict }) => {
        if (verdict !== null) return kept(verdict);
        const delivery: RawDelivery = {
          method,
          path: latin1(path),
          query: query && latin1(query),
          rawHeaders: headers,
          body,
        };
        return verify({ delivery, platform, secrets, receivedAt, urls: urlsOf(address.token, delivery) });
      });
    },
  };
}
