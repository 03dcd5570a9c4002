/* Stores deliveries: group commit forms batches, and each sender gets its response once its batch is on disk. */
import type { Refusal } from '../core/answers/model.ts';
import type { EndpointPolicy } from '../core/answers/rules.ts';
import { unavailable } from '../core/errors.ts';
import { eventId, nonceBytes, type RandomBytes } from '../core/ids/ids.ts';
import type { HandshakeAnswer } from '../platforms/engine/model.ts';
import type { Chosen } from './answers/answerer.ts';
import type { Delivery, Destination, PendingDelivery } from './delivery.ts';
import { createGroupCommit, type GroupCommitOptions } from './group-commit.ts';

/** A row number and a token. `isPrevious`: replaced, but still accepted. `policy`: only with rules, a guard or redaction. */
export type IngestAddress = { seq: number; token: string; isPrevious?: true; policy?: EndpointPolicy | undefined };

export type StoredEvent = {
  seq: number;
  id: string;
  endpoint: number;
  answer: HandshakeAnswer | null;
  /** The answer that a rule chose instead. */
  chosen?: Chosen;
};

/** The limits of group commit, and its callback for failures. */
type CommitOptions = Omit<GroupCommitOptions<PendingDelivery, StoredEvent>, 'insert' | 'bytesOf'>;
type Insert = GroupCommitOptions<PendingDelivery, StoredEvent>['insert'];

export type DeliveryBatch = {
  deliveries: readonly PendingDelivery[];
  /** Concatenated, in the order of `deliveries`. */
  nonces: Uint8Array;
};

type BatchResult = {
  /** The row number of the batch's first delivery; the others follow without a gap. */
  first: number;
  /** By position in the batch; few deliveries are handshakes. */
  answers: readonly [index: number, answer: HandshakeAnswer][];
  /** The answers that rules chose, by position in the batch. */
  chosen?: readonly [index: number, chosen: Chosen][];
  commit: { rows: number; ms: number };
};

/** Stores a batch. Resolves once all of it is on disk; if it rejects, none of it is stored. */
export type WriteBatch = (batch: DeliveryBatch) => Promise<BatchResult>;

export type CaptureService = ReturnType<typeof createCaptureService>;

export type CaptureServiceOptions = CommitOptions & {
  writeBatch: WriteBatch;
  onCommit: (rows: number, durationMs: number) => void;
  /** Called if one of the callbacks for stored events throws. */
  onError: (error: unknown) => void;
  random: RandomBytes;
  destinationOf: (address: IngestAddress) => Destination;
  prepare?: (destination: Destination, delivery: Delivery) => Promise<void> | undefined;
  saveLearnedSecret: (endpoint: number, learned: { platform: string; secret: string }) => Promise<void>;
  onStored: (recorded: StoredEvent) => void;
};

const shuttingDown = () => unavailable('shutting down, try again', 5);
const unreadableRules = () =>
  unavailable('the redaction rules of this endpoint cannot be read, so nothing is stored: try again later', 60);

export function createCaptureService(options: CaptureServiceOptions) {
  const {
    writeBatch,
    random,
    destinationOf,
    saveLearnedSecret,
    onCommit,
    onStored,
    onError,
    prepare,
    ...commitOptions
  } = options;
  let draining = false;
  const preparing = new Set<Promise<unknown>>();

  const insert: Insert = async deliveries => {
    const nonces = random(nonceBytes * deliveries.length);
    const { first, answers, chosen, commit } = await writeBatch({ deliveries, nonces });
    const events = deliveries.map(
      ({ destination }, index): StoredEvent => ({
        seq: first + index,
        id: eventId(first + index, nonces, index * nonceBytes),
        endpoint: destination.seq,
        answer: null,
      }),
    );
    for (const [index, answer] of answers) {
      const event = events[index];
      if (event) event.answer = answer;
    }
    for (const [index, one] of chosen ?? []) {
      const event = events[index];
      if (event) event.chosen = one;
    }
    // The events are on disk, so an error in a callback must not fail the deliveries.
    callSafely(({ rows, ms }) => onCommit(rows, ms), commit);
    for (const event of events) callSafely(onStored, event);
    return answers.length === 0 ? events : events.map(withLearnedSecret);
  };

  const callSafely = <T>(callback: (value: T) => void, value: T): void => {
    try {
      callback(value);
    } catch (error) {
      onError(error);
    }
  };

  /** A sender that delivered a signing secret is answered once the secret is registered. */
  const withLearnedSecret = (event: StoredEvent): StoredEvent | Promise<StoredEvent> => {
    const learned = event.answer?.learnedSecret;
    if (!learned) return event;
    const saved = saveLearnedSecret(event.endpoint, learned).then(() => event);
    // The sender's promise handles a rejection, but it is attached later.
    saved.catch(() => {});
    return saved;
  };

  const commits = createGroupCommit<PendingDelivery, StoredEvent>({
    ...commitOptions,
    insert,
    bytesOf: ({ delivery: { fields, body } }) => fields.length + body.length,
  });

  return {
    /**
     * Stores one delivery. Resolves once it is on disk.
     * @param refused the guard refused it
     * @throws unavailable if it cannot be stored, the server is shutting down, or the redaction rules cannot be read
     */
    record: (address: IngestAddress, delivery: Delivery, refused?: Refusal): Promise<StoredEvent> => {
      if (draining) return Promise.reject(shuttingDown());
      const destination = destinationOf(address);
      if (destination.policy?.redaction === 'unreadable') return Promise.reject(unreadableRules());
      if (refused !== undefined) return commits.add({ destination, delivery, refused });
      const prepared = destination.policy && prepare?.(destination, delivery);
      if (!prepared) return commits.add({ destination, delivery });
      const recorded = prepared.then(() =>
        draining ? Promise.reject(shuttingDown()) : commits.add({ destination, delivery }),
      );
      const isOver = (): void => void preparing.delete(recorded);
      preparing.add(recorded);
      recorded.then(isOver, isOver);
      return recorded;
    },

    /** Resolves once every delivery that was accepted before is stored or refused. */
    async settled(): Promise<void> {
      await Promise.all([commits.settled(), Promise.allSettled(preparing)]);
    },

    depth: commits.depth,

    /** Refuses new deliveries and waits until all accepted ones are on disk. */
    async drain(): Promise<void> {
      draining = true;
      await commits.idle();
    },
  };
}
