/* Stores batches in the journal, without what rules remove. Most deliveries are recognised only when they are filed. */
import { latin1 } from '../../core/encoding/buffer.ts';
import { applyRulesToLines, type HeaderPair, readFieldLines, toFieldLines } from '../../core/headers.ts';
import { deliveryNumber } from '../../core/ids/delivery-key.ts';
import { nonceBytes } from '../../core/ids/ids.ts';
import type { DeliveryId, HandshakeAnswer, RawDelivery } from '../../platforms/engine/model.ts';
import { type Answerer, type Undecided, usualOutcome } from '../answers/answerer.ts';
import type { DeliveryBatch, WriteBatch } from '../capture.ts';
import { type Delivery, type Destination, hasAnswers, type PendingDelivery } from '../delivery.ts';
import { rowErrorCode } from '../group-commit.ts';
import {
  type Recognition,
  type Redact,
  type RedactedForm,
  type UnredactedDelivery,
  unredacted,
} from '../row-encoder.ts';
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
  /** Applies the redaction rules. */
  redact: Redact<Destination>;
  deliveryIdOf: (delivery: RawDelivery, platform: string | null) => DeliveryId | undefined;
};

/** `before`: what the answers are chosen by, before the redaction rules; absent if the delivery is recognised later. */
type Made = { entry: JournalEntry; answer: HandshakeAnswer | null; before?: Before };
type Before = { stored: Delivery; headers: readonly HeaderPair[]; recognition: Recognition };

export function createJournalWriter({
  journal,
  filing,
  recogniser: { platformsOf, mayRecogniseLater, recognise, redact, deliveryIdOf },
  answerer,
  monotonic,
}: {
  journal: Journal;
  filing: Filing;
  recogniser: Recogniser;
  answerer: Answerer;
  monotonic: () => number;
}): WriteBatch {
  /** Cached by the list of secrets, because a changed list is a new object. */
  const platforms = new WeakMap<Destination['secrets'], readonly string[]>();
  const registeredPlatforms = (secrets: Destination['secrets']): readonly string[] => {
    const known = platforms.get(secrets);
    if (known) return known;
    const names = platformsOf(secrets);
    platforms.set(secrets, names);
    return names;
  };

  const toEntry = ({ destination, delivery }: PendingDelivery): Made => {
    const { method, query, body, fields } = delivery;
    const registered = registeredPlatforms(destination.secrets);
    const fieldLines = latin1(fields);
    const entry: JournalEntry = {
      endpoint: destination.seq,
      platforms: registered,
      url: destination.secrets.length > 0 ? destination.url : undefined,
      delivery: toStored(delivery, fieldLines),
      recognition: null,
    };
    const mayWait =
      destination.sentTo === undefined &&
      destination.policy === undefined &&
      mayRecogniseLater({ method, query, fieldLines, body }, registered);
    if (mayWait) return { entry, answer: null };
    const received = unredacted(delivery);
    const recognition = recognise(destination, received);
    const { platform, eventType, verdict, answer } = recognition;
    entry.recognition = { platform, eventType, verdict };
    if (destination.policy === undefined) return { entry, answer };
    const stored = entry.delivery;
    const headers = readFieldLines(stored.fields);
    const taken = redact(destination, { received, stored: { ...stored, headers }, recognition });
    if (taken) Object.assign(entry, redactedEntry(stored, headers, platform, taken));
    return { entry, answer, before: { stored, headers, recognition } };
  };

  /** The input of the decision about a delivery to an endpoint with rules or a guard. */
  const toUndecided = (
    { destination, delivery, refused }: PendingDelivery,
    { entry, answer }: Made,
    { stored, headers, recognition: { platform, eventType } }: Before,
  ): Omit<Undecided, 'index' | 'nonce'> => {
    // Uses the stored form, so that attempts with and without the token of a guard are attempts of one delivery.
    const { method, path, query, body } = stored;
    const computed = (): number =>
      deliveryNumber(
        { endpoint: destination.seq, platform, method, path, query, eventType, body },
        deliveryIdOf({ method, path, query, rawHeaders: headers, body }, platform),
      );
    const number = entry.redaction?.delivery ?? computed();
    return { destination, delivery, headers, platform, eventType, number, handshake: answer, refused };
  };

  const toEntries = ({ deliveries, nonces }: DeliveryBatch) => {
    const answers: [number, HandshakeAnswer][] = [];
    const undecided: Undecided[] = [];
    const entries = deliveries.map((pending, index) => {
      try {
        const made = toEntry(pending);
        if (made.before && hasAnswers(pending.destination)) {
          const nonce = nonces.subarray(index * nonceBytes, (index + 1) * nonceBytes);
          undecided.push({ ...toUndecided(pending, made, made.before), index, nonce });
        } else if (made.answer) {
          answers.push([index, made.answer]);
          made.entry.outcome = usualOutcome(made.answer);
        }
        return made.entry;
      } catch (cause) {
        // With this code, group commit writes the other deliveries without it.
        throw Object.assign(new Error(`delivery cannot be stored: ${cause}`, { cause }), { code: rowErrorCode });
      }
    });
    return { entries, answers, undecided };
  };

  return async batch => {
    await filing.waitForCapacity();
    const { entries, answers, undecided } = toEntries(batch);
    const decided = undecided.length > 0 ? await answerer.decide(undecided) : undefined;
    for (const [index, outcome] of decided?.outcomes ?? []) {
      const entry = entries[index];
      if (entry) entry.outcome = outcome;
    }
    const startedAt = monotonic();
    const reservation = filing.reserve(entries.length);
    try {
      const group = await journal.append(entries, batch.nonces, reservation.first);
      // Not awaited: the delivery is answered before it is filed.
      void reservation.ready({ group }, group.bytes);
    } catch (error) {
      reservation.cancel();
      decided?.cancel();
      throw error;
    }
    const commit = { rows: entries.length, ms: monotonic() - startedAt };
    const { first } = reservation;
    if (!decided) return { first, answers, commit };
    decided.keep(first + entries.length - 1);
    return { first, answers: [...answers, ...decided.handshakes], chosen: decided.chosen, commit };
  };
}

/** The parts of an entry that the redaction rules change. */
function redactedEntry(
  stored: Delivery,
  headers: readonly HeaderPair[],
  platform: string | null,
  taken: RedactedForm,
): Pick<JournalEntry, 'delivery' | 'recognition' | 'redaction'> {
  const { path, query, headers: left, body, sourceIp, eventType, verdict, redaction } = taken;
  const fields = left === headers ? stored.fields : toFieldLines(left.flat());
  return {
    delivery: { ...stored, path, query, fields, body, sourceIp },
    recognition: { platform, eventType, verdict },
    redaction,
  };
}

/** The form of a delivery that is written: after the header rules, and without the token of a guard. */
function toStored(received: Delivery, fieldLines: string): Delivery {
  // Without object spreads, which would cost each delivery more than the rest of this function.
  const { method, path, body, sourceIp, receivedAt, stored } = received;
  const { query, fields } = stored ?? received;
  const lines = stored ? latin1(fields) : fieldLines;
  return { method, path, query, fields: applyRulesToLines(fields, lines), body, sourceIp, receivedAt };
}
