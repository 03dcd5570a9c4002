/* Custom answers and guards: rules, the stored part of each event's answer, and what the capture path needs. */

import type { Fault } from '../../shared/answers.ts';
import type { AnswerRule, AnswerRules } from './schema.ts';

export type { AnswerRule, AnswerRules };
export type RuleAnswer = AnswerRule['answer'];

/** The answer to an event. `status`: null with a fault. `rule`: the name of the rule that chose it. */
export type Answered = {
  status: number | null;
  rule: string | null;
  delayMs: number;
  fault: Fault | null;
  limited: boolean;
};

export const answeredWith = (status: number): Answered => ({
  status,
  rule: null,
  delayMs: 0,
  fault: null,
  limited: false,
});

export const refusals = [401, 403, 405] as const;
/** The status with which the guard refused a delivery. */
export type Refusal = (typeof refusals)[number];

/** One step of a sequence: the event was the `n`-th that a rule counted. Stored in the same commit as the event. */
export type Count = {
  /** The version of the endpoint's rules: new rules restart their sequences. */
  version: number;
  slot: number;
  /** The number of the delivery (core/ids/delivery-key.ts), or `allDeliveries`. */
  delivery: number;
  n: number;
  at: number;
  /** How many of the newest steps are needed later. */
  keep: number;
  /** The last stored step when this was decided; given if other processes may store steps concurrently. */
  before?: number;
};
/** No delivery has this number. */
export const allDeliveries = -1;

/** The data stored beside an event. Most events have none. */
export type Outcome = {
  /** null: the default, that is `answeredWith(200)`. */
  answered: Answered | null;
  refused: Refusal | null;
  counts: readonly Count[];
};

/** The answer of a stored event; null for the default. */
export type StoredOutcome = { answered: Answered; refused: Refusal | null } | null;

export const shownOutcome = (outcome: StoredOutcome): { answered: Answered; refused: Refusal | null } =>
  outcome ?? { answered: answeredWith(200), refused: null };

/** A delivery as the guard sees it, before anything is stored. */
export type GuardedRequest = {
  method: string;
  /** After trusted proxies. */
  sourceIp: string;
  /** Header fields as on the wire, each line with its CRLF (core/headers). */
  fields: Uint8Array;
  query: string | null;
};

/**
 * The guard's decision. Undefined: accepted as it is. `stored`: query and fields to store, where the given ones contain its token.
 * `headers`: of the refusal, names in lower case; `error`: for the sender.
 */
type GuardVerdict = {
  stored?: Pick<GuardedRequest, 'query' | 'fields'> | undefined;
  refusal?: { status: Refusal; error: string; headers: Readonly<Record<string, string>> } | undefined;
};

export type GuardRefusal = NonNullable<GuardVerdict['refusal']>;

export type EndpointGuard = {
  check: (request: GuardedRequest) => GuardVerdict | undefined;
  onRefuse: 'record' | 'drop';
};
