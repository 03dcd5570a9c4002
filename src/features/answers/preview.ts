/* The answers that rules would have given to stored events. Sequences start with the first of these events. */
import { atStart, chanceOf, decide, type SequenceState, stateAfter } from '../../core/answers/evaluate.ts';
import { shownOutcome } from '../../core/answers/model.ts';
import type { ActiveRule } from '../../core/answers/rules.ts';
import { createTimeSlices } from '../../core/concurrency/time-slices.ts';
import { invalid } from '../../core/errors.ts';
import { evaluate } from '../../core/filter/evaluate.ts';
import { createEventContent } from '../../core/filter/event-content.ts';
import { readFilters } from '../../core/filter/read-filters.ts';
import { numberOfRow } from '../../core/ids/delivery-key.ts';
import { pick } from '../../core/pick.ts';
import type { Verdict } from '../../shared/filter/filter.ts';
import type { StoredEvent } from '../events/reading.ts';

/** A stored event with its content. */
export type PreviewedEvent = { nonce: Uint8Array } & Pick<StoredEvent, 'headers' | 'body'> &
  Pick<StoredEvent['row'], 'seq' | 'receivedAt' | 'method' | 'platform' | 'eventType' | 'size'> &
  Pick<StoredEvent['row'], 'sourceIp' | 'path' | 'query' | 'delivery' | 'outcome'>;

export type PreviewedAnswer = { rule: string | null; status: number | null };

/** The time limit for all events together. */
const defaultLimitMs = 5000;

/** @param events oldest first @throws invalid when the filters take too long @returns the answers by row number */
export async function previewRules<Event extends PreviewedEvent>(
  rules: readonly ActiveRule[],
  events: AsyncIterable<Event>,
  {
    handshakeStatus,
    verdictOf,
    savedAt = Number.POSITIVE_INFINITY,
    monotonic,
    limitMs = defaultLimitMs,
    signal,
  }: {
    handshakeStatus: (event: Event) => number | undefined;
    verdictOf: (event: Event) => Verdict;
    /** When the rules were saved: events that came later have the answers that they got. Epoch ms. */
    savedAt?: number | undefined;
    monotonic: () => number;
    limitMs?: number;
    signal?: AbortSignal | undefined;
  },
): Promise<Map<number, PreviewedAnswer>> {
  const states = new Map<string, SequenceState>();
  const answers = new Map<number, PreviewedAnswer>();
  const version = 0;
  const filters = rules.flatMap(({ when }) => when ?? []);
  const yieldIfDue = createTimeSlices({ monotonic, signal });
  let leftMs = limitMs;
  for await (const event of events) {
    // An imported event keeps the answer of the endpoint that received it.
    if (event.receivedAt > savedAt && event.sourceIp !== '') {
      const { rule, status } = shownOutcome(event.outcome).answered;
      answers.set(event.seq, { rule, status });
      continue;
    }
    const refused = event.outcome?.refused ?? null;
    if (refused !== null) {
      answers.set(event.seq, { rule: null, status: refused });
      continue;
    }
    const handshake = handshakeStatus(event);
    const facts = factsOf(event, verdictOf(event));
    const read = await readFilters(filters, facts, event.receivedAt, { monotonic, yieldIfDue, limitMs: leftMs });
    leftMs -= read.spentMs;
    if (read.leftOut.size > 0) throw invalid('the filters of these rules take too long: preview fewer events');
    const { rule, counts } = await decide(
      { version, rules },
      {
        delivery: numberOfRow(event),
        at: event.receivedAt,
        isHandshake: handshake !== undefined,
        matches: filter => evaluate(filter, facts, event.receivedAt) ?? false,
        chanceOf: name => chanceOf(event.nonce, name),
        stateOf: (slot, delivery) => states.get(`${slot}:${delivery}`) ?? atStart,
      },
    );
    for (const count of counts) {
      const key = `${count.slot}:${count.delivery}`;
      states.set(key, stateAfter(states.get(key) ?? atStart, count));
    }
    const status = rule ? (rule.answer.fault === null ? rule.answer.status : null) : (handshake ?? 200);
    answers.set(event.seq, { rule: rule?.name ?? null, status });
  }
  return answers;
}

function factsOf(event: PreviewedEvent, verdict: Verdict) {
  return {
    ...pick(event, 'platform', 'method', 'receivedAt', 'size', 'sourceIp'),
    type: event.eventType,
    path: event.path.toString('latin1'),
    verdict,
    content: createEventContent(event),
  };
}
