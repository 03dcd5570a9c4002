/*
 * From bytes off the wire to an event on disk: deliveries are deliveries to the recorder in the parcels that group commit forms,
 * and whoever waits is told once their parcel is on disk.
 */
import { unavailable } from '../core/errors.ts';
import { eventId, nonceBytes, type RandomBytes } from '../core/ids.ts';
import type { HandshakeAnswer } from '../platforms/engine/model.ts';
import type { BatchResult } from './batch-writer.ts';
import type { Delivery, Destination, PendingDelivery } from './encoded-batch.ts';
import { createGroupCommit, type GroupCommitOptions } from './group-commit.ts';

/** Where a delivery arrived: an endpoint's row number and its ingest token. */
export type IngestAddress = { seq: number; token: string };

/** What the rest of the house is told of a stored event. */
export type StoredEvent = {
  seq: number;
  id: string;
  endpoint: number;
  receivedAt: number;
  eventType: string | null;
  answer: HandshakeAnswer | null;
};

/** Takes events whose row numbers have no gap, and their search signatures one after the other. */
type OnSigned = (events: readonly StoredEvent[], signatures: Uint32Array) => void;

/** Group commit's bounds, and who is told of commits and failures. */
type Bounds = Omit<GroupCommitOptions<PendingDelivery, StoredEvent>, 'insert' | 'bytesOf'>;
type Insert = GroupCommitOptions<PendingDelivery, StoredEvent>['insert'];

/** Deliveries that are stored together. */
export type DeliveryBatch = {
  deliveries: readonly PendingDelivery[];
  /** One after the other, in the order of `deliveries`. */
  nonces: Uint8Array;
  /** Whether search signatures are wanted. */
  withSignatures: boolean;
};

/** Stores a group in one commit, possibly with others that are on their way. */
export type WriteBatch = (group: DeliveryBatch) => Promise<BatchResult>;

export type CaptureService = ReturnType<typeof createCaptureService>;

export type CaptureServiceOptions = Bounds & {
  writeBatch: WriteBatch;
  onCommit: (rows: number, durationMs: number) => void;
  /** One of those that are told of stored events failed. */
  onError: (error: unknown) => void;
  random: RandomBytes;
  destinationOf: (address: IngestAddress) => Destination;
  /** Registers a secret that a handshake delivered. */
  saveLearnedSecret: (endpoint: number, learned: { platform: string; secret: string }) => Promise<void>;
  onStored: (recorded: StoredEvent) => void;
  /** undefined when nobody searches by signatures: none are made. */
  onSigned: OnSigned | undefined;
};

/** What a delivery holds of the memory. */
export const bytesOf = ({ delivery: { fields, body } }: PendingDelivery): number => fields.length + body.length;

export function createCaptureService(options: CaptureServiceOptions) {
  const { writeBatch, random, destinationOf, saveLearnedSecret, onCommit, onStored, onSigned, onError, ...bounds } =
    options;
  let draining = false;

  const record: Insert = async deliveries => {
    const nonces = random(nonceBytes * deliveries.length);
    const receipt = await writeBatch({ deliveries: deliveries, nonces, withSignatures: onSigned !== undefined });
    const { first, eventTypes, answers, signatures, commit } = receipt;
    const all = deliveries.map(
      ({ destination, delivery }, at): StoredEvent => ({
        seq: first + at,
        id: eventId(first + at, nonces, at * nonceBytes),
        endpoint: destination.seq,
        receivedAt: delivery.receivedAt,
        eventType: eventTypes[at] ?? null,
        answer: null,
      }),
    );
    for (const [at, answer] of answers) {
      const one = all[at];
      if (one) one.answer = answer;
    }
    // It is on disk: whatever happens here, no sender may be told otherwise.
    quietly(() => {
      if (commit) onCommit(commit.rows, commit.ms);
    });
    quietly(() => {
      if (signatures) onSigned?.(all, signatures);
    });
    for (const one of all) quietly(() => onStored(one));
    return answers.length === 0 ? all : all.map(afterLearning);
  };

  const quietly = (tell: () => void): void => {
    try {
      tell();
    } catch (error) {
      onError(error);
    }
  };

  /** A sender that handed a secret over is answered once it is registered. */
  const afterLearning = (recorded: StoredEvent): StoredEvent | Promise<StoredEvent> => {
    const learned = recorded.answer?.learnedSecret;
    if (!learned) return recorded;
    const done = saveLearnedSecret(recorded.endpoint, learned).then(() => recorded);
    // Its sender comes to hear of a failure; until it listens, it is nobody's.
    done.catch(() => {});
    return done;
  };

  const commits = createGroupCommit<PendingDelivery, StoredEvent>({
    ...bounds,
    insert: record,
    bytesOf,
  });

  return {
    /**
     * Stores one delivery. Resolves once it is on disk.
     * @throws unavailable when storage cannot take it or the server is shutting down
     */
    record: (address: IngestAddress, delivery: Delivery): Promise<StoredEvent> =>
      draining
        ? Promise.reject(unavailable('shutting down, try again', 5))
        : commits.add({ destination: destinationOf(address), delivery }),

    /** Deliveries waiting or being committed. */
    depth: commits.depth,

    /** Refuses what comes from now on and waits until all that was accepted is on disk. */
    async drain(): Promise<void> {
      draining = true;
      await commits.idle();
    },
  };
}
