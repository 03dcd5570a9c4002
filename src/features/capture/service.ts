/*
 * From bytes off the wire to an event on disk. Nothing is parsed, inflated or re-encoded; the header rules are the only
 * change. Detection sees the delivery before the rules.
 */
import { unavailable } from '../../core/errors.ts';
import { applyHeaderRules, type HeaderPair } from '../../core/headers.ts';
import { eventId, nonceBytes, type RandomBytes } from '../../core/ids.ts';
import { payloadPreviewCharacters } from '../../core/limits.ts';
import { packContent } from '../../core/stored-content.ts';
import type { GroupCommit } from './group-commit.ts';

/** A delivery as it came: header values are latin1, path and query raw. */
export type Delivery = {
  method: string;
  path: string;
  query: string | null;
  headers: readonly HeaderPair[];
  body: Uint8Array;
  sourceIp: string;
  receivedAt: number;
};

/** An answer that the sender's platform wants instead of Hooktape's own, and a secret that came with the question. */
export type Answer = {
  status: number;
  headers: Record<string, string>;
  body: string;
  learnedSecret?: { platform: string; secret: string };
};

/** Where a delivery arrived: an endpoint's row number and its ingest token. */
export type Address = { seq: number; token: string };

/** What is known of a delivery before it is stored. `verdict`: JSON, only when the proof does not survive the header rules. */
export type Recognised = {
  platform: string | null;
  eventType: string | null;
  verdict: string | null;
  answer: Answer | null;
};

/** What the rest of the house is told of a stored event. */
export type Recorded = {
  seq: number;
  id: string;
  endpoint: number;
  receivedAt: number;
  eventType: string | null;
  answer: Answer | null;
};

export type CaptureService = ReturnType<typeof createCaptureService>;

export function createCaptureService(options: {
  commits: GroupCommit;
  random: RandomBytes;
  sha256: (bytes: Uint8Array) => Uint8Array;
  recognise: (address: Address, delivery: Delivery) => Recognised;
  /** Registers a secret that a handshake delivered. */
  learn: (endpoint: number, learned: { platform: string; secret: string }) => Promise<void>;
  onRecorded: (recorded: Recorded, delivery: Delivery) => void;
}) {
  const { commits, random, sha256, recognise, learn, onRecorded } = options;
  let draining = false;

  return {
    /**
     * Stores one delivery. Resolves once it is on disk.
     * @throws unavailable when storage cannot take it or the server is shutting down
     */
    async record(address: Address, delivery: Delivery): Promise<Recorded> {
      if (draining) throw unavailable('shutting down, try again', 5);
      const { platform, eventType, verdict, answer } = recognise(address, delivery);
      const { encoding, content } = packContent(applyHeaderRules(delivery.headers), delivery.body);
      const nonce = random(nonceBytes);
      const seq = await commits.add({
        nonce,
        endpoint: address.seq,
        receivedAt: delivery.receivedAt,
        size: delivery.body.length,
        encoding,
        method: delivery.method,
        platform,
        eventType,
        verdict,
        sourceIp: delivery.sourceIp,
        sha256: sha256(delivery.body),
        path: Buffer.from(delivery.path, 'latin1'),
        query: delivery.query === null ? null : Buffer.from(delivery.query, 'latin1'),
        preview: preview(delivery.body),
        content,
      });
      if (answer?.learnedSecret) await learn(address.seq, answer.learnedSecret);
      const { receivedAt } = delivery;
      const recorded = { seq, id: eventId(seq, nonce), endpoint: address.seq, receivedAt, eventType, answer };
      onRecorded(recorded, delivery);
      return recorded;
    },

    /** Refuses what comes from now on and waits until all that was accepted is on disk. */
    async drain(): Promise<void> {
      draining = true;
      await commits.idle();
    },
  };
}

/** The bytes of the body's first 200 characters, as they are; one that is cut in half at the end is left out. */
export function preview(body: Uint8Array): Uint8Array {
  let characters = 0;
  const limit = Math.min(body.length, payloadPreviewCharacters * 4);
  for (let i = 0; i < limit; i++) {
    // Every byte but a continuation byte begins a character.
    if (((body[i] ?? 0) & 0xc0) !== 0x80 && ++characters > payloadPreviewCharacters) return body.subarray(0, i);
  }
  return body.subarray(0, limit);
}
