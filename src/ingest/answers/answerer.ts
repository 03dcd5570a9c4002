/* Decides a batch's answers in order, before it is stored with them. If storing fails, no event is counted. */

import { chanceOf, decide, sequencesOf } from '../../core/answers/evaluate.ts';
import { type Answered, answeredWith, type Outcome, type Refusal } from '../../core/answers/model.ts';
import { maxBytesOf, type RenderedEvent } from '../../core/answers/placeholders.ts';
import type { ActiveAnswer, ActiveRule, ActiveRules } from '../../core/answers/rules.ts';
import { createTimeSlices } from '../../core/concurrency/time-slices.ts';
import type { DelayedResponse } from '../../core/delivery-response.ts';
import { evaluate, evaluateInSteps } from '../../core/filter/evaluate.ts';
import { createEventContent } from '../../core/filter/event-content.ts';
import type { HeaderPair } from '../../core/headers.ts';
import type { HandshakeAnswer } from '../../platforms/engine/model.ts';
import type { Filter, Verdict } from '../../shared/filter/filter.ts';
import type { Delivery, Destination } from '../delivery.ts';
import type { DelayedResponses } from './delayed-responses.ts';
import { createReadingAhead, factsOf, type ReadingAhead } from './reading-ahead.ts';
import type { SequenceDraft, SequenceKey, Sequences } from './sequences.ts';

export type Undecided = {
  index: number;
  destination: Destination;
  delivery: Delivery;
  /** After the header rules. */
  headers: readonly HeaderPair[];
  platform: string | null;
  eventType: string | null;
  number: number;
  nonce: Uint8Array;
  /** The answer that the sender's platform expects, if it is a handshake. */
  handshake: HandshakeAnswer | null;
  refused: Refusal | undefined;
};

export type Chosen = {
  answer: ActiveAnswer;
  retryAfterS: number | undefined;
  /** Undefined if the answer is sent at once. */
  hold: DelayedResponse | undefined;
  /** Whether a limit of delayed responses is reached, so that the answer is sent at once and without `stall`. */
  isLimited: boolean;
  event: RenderedEvent;
};

type Decided = {
  /** By position in the batch. */
  outcomes: ReadonlyMap<number, Outcome>;
  chosen: readonly [index: number, chosen: Chosen][];
  /** The handshakes that are answered the platform's way. */
  handshakes: readonly [index: number, answer: HandshakeAnswer][];
  /** Call it when the batch is stored. @param last the row number of its last event */
  keep: (last: number) => void;
  cancel: () => void;
};

export type Answerer = ReturnType<typeof createAnswerer>;

/** The verdict on the signature of a delivery that has just arrived. */
export type VerdictAtCapture = (of: Pick<Undecided, 'destination' | 'delivery' | 'platform'>) => Verdict;

/** The outcome of an event that neither a rule nor the guard has answered; undefined for the default. */
export const usualOutcome = (handshake: HandshakeAnswer | null): Outcome | undefined =>
  handshake === null || handshake.status === 200
    ? undefined
    : { answered: answeredWith(handshake.status), refused: null, counts: [] };

export function createAnswerer({
  sequences,
  holds,
  verdictOf,
  monotonic,
  readingAhead = createReadingAhead({ monotonic }),
}: {
  sequences: Sequences;
  holds: Pick<DelayedResponses, 'take'>;
  verdictOf: VerdictAtCapture;
  monotonic: () => number;
  readingAhead?: ReadingAhead;
}) {
  /** A large body is read in steps, because other deliveries are answered on this thread. */
  const matcherOf = (one: Undecided) => {
    const { delivery, platform, eventType, headers } = one;
    const { query, body, receivedAt } = delivery;
    const ahead = readingAhead.of(delivery);
    const facts = {
      ...factsOf(delivery),
      type: eventType,
      platform,
      // This object remembers the fields read from the body. The headers are those after the header rules.
      content: ahead ? Object.assign(ahead.content, { headers }) : createEventContent({ headers, query, body }),
    };
    const yieldIfDue = createTimeSlices({ monotonic });
    let verdict: Verdict | undefined;
    return async (filter: Filter): Promise<boolean> => {
      if (ahead?.leftOut.has(filter)) {
        const { content: _, ...others } = facts;
        return evaluate(filter, others, receivedAt) ?? false;
      }
      const steps = evaluateInSteps(filter, facts, receivedAt);
      let step = steps.next();
      for (; !step.done; step = steps.next()) await yieldIfDue();
      if (step.value !== undefined) return step.value;
      verdict ??= verdictOf(one);
      return evaluate(filter, { ...facts, verdict }, receivedAt) ?? false;
    };
  };

  const decideOne = async (one: Undecided, rules: ActiveRules, draft: SequenceDraft) => {
    const { version } = rules;
    const { rule, retryAfterS, counts } = await decide(rules, {
      delivery: one.number,
      at: one.delivery.receivedAt,
      isHandshake: one.handshake !== null,
      matches: matcherOf(one),
      chanceOf: name => chanceOf(one.nonce, name),
      stateOf: (slot, delivery) => draft.stateOf({ version, slot, delivery }),
    });
    return { rule, retryAfterS, counts: counts.map(draft.add) };
  };

  const choose = (one: Undecided, rule: ActiveRule, retryAfterS: number | undefined): Chosen => {
    const { answer } = rule;
    const { delayMs, fault, body } = answer;
    const { destination, headers, delivery, platform, eventType: type } = one;
    const { query, body: sent, receivedAt } = delivery;
    const event = { type, platform, verdict: () => verdictOf(one), receivedAt, headers, query, body: sent };
    const takesTime = delayMs > 0 || fault === 'stall';
    // A body without placeholders is part of the rule.
    const ownBytes = (): number => (body instanceof Uint8Array ? 0 : maxBytesOf(body.template, event));
    const hold = takesTime ? holds.take(destination.seq, ownBytes()) : undefined;
    return { answer, retryAfterS, hold, isLimited: takesTime && !hold, event };
  };

  return {
    /** Await it before the delivery joins a batch; undefined if there is nothing to wait for. */
    prepare: readingAhead.prepare,

    async decide(batch: readonly Undecided[]): Promise<Decided> {
      const draft = await sequences.begin(keysOf(batch));
      const outcomes = new Map<number, Outcome>();
      const chosen: [number, Chosen][] = [];
      const handshakes: [number, HandshakeAnswer][] = [];
      const cancel = (): void => {
        for (const [, { hold }] of chosen) hold?.release();
      };
      const answer = async (one: Undecided): Promise<Outcome | undefined> => {
        const { index, handshake, refused, destination } = one;
        if (refused !== undefined) return { answered: answeredWith(refused), refused, counts: [] };
        const rules = destination.policy?.rules;
        const { rule, retryAfterS, counts } = rules ? await decideOne(one, rules, draft) : noDecision;
        if (rule) {
          const found = choose(one, rule, retryAfterS);
          chosen.push([index, found]);
          return { answered: answeredBy(rule.name, found), refused: null, counts };
        }
        if (handshake) handshakes.push([index, handshake]);
        const usual = usualOutcome(handshake);
        return counts.length === 0 ? usual : { answered: usual?.answered ?? null, refused: null, counts };
      };
      try {
        for (const one of batch) {
          const outcome = await answer(one);
          if (outcome) outcomes.set(one.index, outcome);
        }
      } catch (error) {
        cancel();
        throw error;
      }
      return { outcomes, chosen, handshakes, keep: draft.keep, cancel };
    },
  };
}

const noDecision = { rule: undefined, retryAfterS: undefined, counts: [] };

function keysOf(batch: readonly Undecided[]): Map<number, SequenceKey[]> {
  const keys = new Map<number, Map<string, SequenceKey>>();
  for (const { destination, number, refused } of batch) {
    const { rules } = destination.policy ?? {};
    if (!rules || refused !== undefined) continue;
    for (const { slot, delivery } of sequencesOf(rules.rules, number)) {
      const ofEndpoint = keys.get(destination.seq) ?? new Map<string, SequenceKey>();
      keys.set(destination.seq, ofEndpoint);
      ofEndpoint.set(`${rules.version}:${slot}:${delivery}`, { version: rules.version, slot, delivery });
    }
  }
  return new Map([...keys].map(([endpoint, ofEndpoint]) => [endpoint, [...ofEndpoint.values()]]));
}

function answeredBy(rule: string, { answer, isLimited }: Chosen): Answered {
  const fault = isLimited && answer.fault === 'stall' ? null : answer.fault;
  return {
    status: fault === null ? answer.status : null,
    rule,
    delayMs: isLimited ? 0 : answer.delayMs,
    fault,
    limited: isLimited,
  };
}
