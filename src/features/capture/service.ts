/*
 * From bytes off the wire to an event on disk: deliveries are posted to the recorder in the parcels that group commit forms,
 * and whoever waits is told once their parcel is on disk.
 */
import { unavailable } from '../../core/errors.ts';
import { eventId, nonceBytes, type RandomBytes } from '../../core/ids.ts';
import type { HandshakeAnswer } from '../../core/platforms/model.ts';
import { signatureWords } from '../../core/search-signature.ts';
import { createGroupCommit, type GroupCommitOptions } from './group-commit.ts';
import { type Delivery, type Destination, isSpare, type Posted, packParcel } from './parcel.ts';
import type { Recorder } from './recorder.ts';

/** Where a delivery arrived: an endpoint's row number and its ingest token. */
export type Address = { seq: number; token: string };

/** What the rest of the house is told of a stored event. */
export type Recorded = {
  seq: number;
  id: string;
  endpoint: number;
  receivedAt: number;
  eventType: string | null;
  answer: HandshakeAnswer | null;
};

type Stored = { seq: number; eventType: string | null; answer: HandshakeAnswer | null };

/** Takes a stored event's search signature, which begins at `from`. */
type OnSigned = (
  event: { seq: number; endpoint: number; receivedAt: number },
  signatures: Uint32Array,
  from: number,
) => void;

/** Group commit's bounds, and who is told of commits and failures. */
type Bounds = Omit<GroupCommitOptions<Posted, Stored>, 'insert' | 'bytesOf'>;

export type CaptureService = ReturnType<typeof createCaptureService>;

export function createCaptureService(
  options: Bounds & {
    recorder: Recorder;
    random: RandomBytes;
    destinationOf: (address: Address) => Destination;
    /** Registers a secret that a handshake delivered. */
    learn: (endpoint: number, learned: { platform: string; secret: string }) => Promise<void>;
    onRecorded: (recorded: Recorded) => void;
    /** undefined when nobody searches by signatures: none are made. */
    onSigned: OnSigned | undefined;
  },
) {
  const { recorder, random, destinationOf, learn, onRecorded, onSigned, ...bounds } = options;
  let draining = false;
  let spare: ArrayBuffer | undefined;

  const insert = async (posted: readonly Posted[]): Promise<Stored[]> => {
    const parcel = packParcel(posted, spare);
    // It is on its way: another thread owns it until it comes back.
    spare = undefined;
    const { first, eventTypes, answers, signatures, bytes } = await recorder(parcel, onSigned !== undefined);
    if (isSpare(bytes)) spare = bytes;
    const stored = eventTypes.map((eventType, at): Stored => ({ seq: first + at, eventType, answer: null }));
    for (const [at, answer] of answers) {
      const one = stored[at];
      if (one) one.answer = answer;
    }
    if (signatures && onSigned)
      for (const [at, { destination, delivery }] of posted.entries())
        onSigned(
          { seq: first + at, endpoint: destination.seq, receivedAt: delivery.receivedAt },
          signatures,
          at * signatureWords,
        );
    return stored;
  };
  const commits = createGroupCommit<Posted, Stored>({
    ...bounds,
    insert,
    bytesOf: ({ delivery }) => delivery.body.length,
  });

  return {
    /**
     * Stores one delivery. Resolves once it is on disk.
     * @throws unavailable when storage cannot take it or the server is shutting down
     */
    async record(address: Address, delivery: Delivery): Promise<Recorded> {
      if (draining) throw unavailable('shutting down, try again', 5);
      const nonce = random(nonceBytes);
      const { seq, eventType, answer } = await commits.add({ destination: destinationOf(address), nonce, delivery });
      if (answer?.learnedSecret) await learn(address.seq, answer.learnedSecret);
      const { receivedAt } = delivery;
      const recorded = { seq, id: eventId(seq, nonce), endpoint: address.seq, receivedAt, eventType, answer };
      onRecorded(recorded);
      return recorded;
    },

    /** Deliveries waiting or being committed. */
    depth: commits.depth,

    /** Refuses what comes from now on and waits until all that was accepted is on disk. */
    async drain(): Promise<void> {
      draining = true;
      await commits.idle();
    },
  };
}
