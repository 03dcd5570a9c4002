/*
 * Stores batches of deliveries in the journal. A delivery is recognised here only if the result affects the response or needs headers
 * that the header rules remove; all others are recognised when they are filed.
 */
import { latin1 } from '../../core/buffer.ts';
import { applyRulesToLines } from '../../core/headers.ts';
import type { HandshakeAnswer } from '../../platforms/engine/model.ts';
import type { WriteBatch } from '../capture.ts';
import type { Destination, PendingDelivery } from '../delivery.ts';
import { rowErrorCode } from '../group-commit.ts';
import { type Recognition, type UnredactedDelivery, unredacted } from '../row-encoder.ts';
import type { Filing } from './filing.ts';
import type { JournalEntry } from './group.ts';
import type { Journal } from './journal.ts';

export type Recogniser = {
  /** The platforms of an endpoint's confirmed secrets. */
  platformsOf: (secrets: Destination['secrets']) => readonly string[];
  mayRecogniseLater: (
    delivery: { method: string; query: string | null; fieldLines: string; body: Uint8Array },
    platforms: readonly string[],
  ) => boolean;
  recognise: (destination: Destination, delivery: UnredactedDelivery) => Recognition;
};

export function createJournalWriter({
  journal,
  filing,
  recogniser: { platformsOf, mayRecogniseLater, recognise },
  monotonic,
}: {
  journal: Journal;
  filing: Filing;
  recogniser: Recogniser;
  monotonic: () => number;
}): WriteBatch {
  /** Cached by the list of secrets, which is replaced when it changes. */
  const platforms = new WeakMap<Destination['secrets'], readonly string[]>();
  const registeredPlatforms = (secrets: Destination['secrets']): readonly string[] => {
    const known = platforms.get(secrets);
    if (known) return known;
    const names = platformsOf(secrets);
    platforms.set(secrets, names);
    return names;
  };

  const toEntry = ({
    destination,
    delivery,
  }: PendingDelivery): { entry: JournalEntry; answer: HandshakeAnswer | null } => {
    const { stored, ...received } = delivery;
    const { method, query, body, fields } = received;
    const registered = registeredPlatforms(destination.secrets);
    const fieldLines = latin1(fields);
    const entry: JournalEntry = {
      endpoint: destination.seq,
      platforms: registered,
      delivery: stored
        ? { ...received, query: stored.query, fields: applyRulesToLines(stored.fields, latin1(stored.fields)) }
        : { ...received, fields: applyRulesToLines(fields, fieldLines) },
      recognition: null,
    };
    const mayWait =
      destination.sentTo === undefined &&
      stored === undefined &&
      mayRecogniseLater({ method, query, fieldLines, body }, registered);
    if (mayWait) return { entry, answer: null };
    const { answer, ...recognition } = recognise(destination, unredacted(delivery));
    return { entry: { ...entry, recognition }, answer };
  };

  return async ({ deliveries, nonces }) => {
    await filing.waitForCapacity();
    const answers: [number, HandshakeAnswer][] = [];
    const entries = deliveries.map((delivery, i) => {
      try {
        const { entry, answer } = toEntry(delivery);
        if (answer) answers.push([i, answer]);
        return entry;
      } catch (cause) {
        // With this code, group commit writes the others without it.
        throw Object.assign(new Error(`a delivery cannot be stored: ${cause}`, { cause }), { code: rowErrorCode });
      }
    });
    const startedAt = monotonic();
    const reservation = filing.reserve(entries.length);
    try {
      const group = await journal.append(entries, nonces, reservation.first);
      // Not awaited: the delivery is answered before it is filed.
      void reservation.ready({ group }, group.bytes);
    } catch (error) {
      reservation.cancel();
      throw error;
    }
    const commit = { rows: entries.length, ms: monotonic() - startedAt };
    return { first: reservation.first, answers, commit };
  };
}
