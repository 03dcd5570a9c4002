/*
 * Stores batches of deliveries in the journal. What must be known before a delivery is answered or before the header rules are applied
 * is recognised here; everything else is left to filing.
 */
import { applyRulesToLines, readFieldLines } from '../../core/headers.ts';
import type { HandshakeAnswer } from '../../platforms/engine/model.ts';
import type { WriteBatch } from '../capture.ts';
import type { Destination, PendingDelivery } from '../delivery.ts';
import type { Recognition, UnredactedDelivery } from '../row-encoder.ts';
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
  /** By the list of secrets, which is replaced when it changes. */
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
    const { method, query, body, fields } = delivery;
    const registered = registeredPlatforms(destination.secrets);
    const fieldLines = latin1(fields);
    const entry: JournalEntry = {
      endpoint: destination.seq,
      platforms: registered,
      delivery: { ...delivery, fields: applyRulesToLines(fields, fieldLines) },
      recognition: null,
    };
    if (mayRecogniseLater({ method, query, fieldLines, body }, registered)) return { entry, answer: null };
    const { answer, ...recognition } = recognise(destination, { ...delivery, headers: readFieldLines(fields) });
    return { entry: { ...entry, recognition }, answer };
  };

  return async ({ deliveries, nonces }) => {
    await filing.room();
    const answers: [number, HandshakeAnswer][] = [];
    const entries = deliveries.map((delivery, i) => {
      const { entry, answer } = toEntry(delivery);
      if (answer) answers.push([i, answer]);
      return entry;
    });
    const startedAt = monotonic();
    const reservation = filing.reserve(entries.length);
    try {
      const group = await journal.append(entries, nonces, reservation.first);
      // Filed in its own time.
      void reservation.ready({ group }, group.bytes);
    } catch (error) {
      reservation.cancel();
      throw error;
    }
    const commit = { rows: entries.length, ms: monotonic() - startedAt };
    return { first: reservation.first, answers, commit };
  };
}

const latin1 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
