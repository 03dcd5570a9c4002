/* The answers that rules would have given to stored events. Sequences start with the first of these events. */
import { chanceOf } from '../../core/answers/chance.ts';
import { atStart, decide, type SequenceState, stateAfter } from '../../core/answers/evaluate.ts';
import type { StoredOutcome } from '../../core/answers/model.ts';
import type { ActiveRule } from '../../core/answers/rules.ts';
import { numberOfRow } from '../../core/delivery-key.ts';
import { evaluate } from '../../core/filter/evaluate.ts';
import { createEventContent } from '../../core/filter/event-content.ts';
import type { HeaderPair } from '../../core/headers.ts';
import type { Filter, Verdict } from '../../shared/filter/filter.ts';

/** A stored event with its content. */
export type PreviewedEvent = {
  seq: number;
  nonce: Uint8Array;
  receivedAt: number;
  method: string;
  platform: string | null;
  eventType: string | null;
  size: number;
  sourceIp: string;
  path: Buffer;
  query: Buffer | null;
  headers: HeaderPair[];
  body: Uint8Array;
  delivery: number | null;
  outcome: StoredOutcome;
};

export type PreviewedAnswer = { rule: string | null; status: number | null };

/** @param events oldest first @returns the answers by row number */
export async function previewRules<Event extends PreviewedEvent>(
  rules: readonly ActiveRule[],
  events: AsyncIterable<Event>,
  {
    handshakeStatus,
    verdictOf,
  }: { handshakeStatus: (event: Event) => number | undefined; verdictOf: (event: Event) => Verdict },
): Promise<Map<number, PreviewedAnswer>> {
  const states = new Map<string, SequenceState>();
  const answers = new Map<number, PreviewedAnswer>();
  const version = 0;
  for await (const event of events) {
    const refused = event.outcome?.refused ?? null;
    if (refused !== null) {
      answers.set(event.seq, { rule: null, status: refused });
      continue;
    }
    const handshake = handshakeStatus(event);
    const { rule, counts } = await decide(
      { version, rules },
      {
        delivery: numberOfRow(event),
        at: event.receivedAt,
        isHandshake: handshake !== undefined,
        matches: matcherOf(event, verdictOf(event)),
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

function matcherOf(event: PreviewedEvent, verdict: Verdict): (filter: Filter) => boolean {
  const { eventType, platform, method, path, receivedAt, size, sourceIp, headers, query, body } = event;
  const facts = {
    type: eventType,
    platform,
    method,
    path: path.toString('latin1'),
    receivedAt,
    size,
    sourceIp,
    verdict,
    content: createEventContent({ headers, query, body }),
  };
  return filter => evaluate(filter, facts, receivedAt) ?? false;
}
