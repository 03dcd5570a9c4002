/*
 * Whether an event's signature holds: judged when it is read, so that registering or mending a secret judges every stored
 * event anew. The exception is a verdict that was kept at capture (recognition.ts).
 */

import type { HeaderPair } from '../../core/headers.ts';
import type { IngestAddress } from '../../ingest/capture.ts';
import { isConfirmed, type RawDelivery, type SigningSecret, type Verdict } from '../../platforms/engine/model.ts';
import { verify } from '../../platforms/platforms.ts';
import { urlsOf } from './recognition.ts';

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

const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');

export function createVerdicts(options: {
  secretsOf: (endpoint: number) => readonly SigningSecret[];
  /** The public address of an endpoint. */
  urlOf: (token: string) => string;
}) {
  const { secretsOf, urlOf } = options;
  const kept = (verdict: string | null): Verdict | null => (verdict === null ? null : (JSON.parse(verdict) as Verdict));

  return {
    /** Whether a stored event of this endpoint can have a verdict other than unchecked, or the one that was kept. */
    canJudge: async (endpoint: number): Promise<boolean> => secretsOf(endpoint).some(isConfirmed),

    kept,

    async judge(address: IngestAddress, events: readonly Stored[]): Promise<(Verdict | null)[]> {
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
        return verify({ delivery, platform, secrets, receivedAt, urls: urlsOf(urlOf(address.token), delivery) });
      });
    },
  };
}
